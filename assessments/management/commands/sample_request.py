"""Make one realistic request of the demo customer, so that a newcomer sees the whole portal."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from assessments import examples
from assessments.intake.submission import Submission
from assessments.services.inquiries import inquiry_create, organization_of
from assessments.sizing import parse_task
from portal.accounts.demo import CUSTOMER
from portal.accounts.models import User
from portal.accounts.viewer import Viewer

SAMPLE = "lora-8b.json"
BUSINESS_TASK = (
    "Помощник техподдержки отвечает по нашим регламентам: дообучаем модель на 8 млрд параметров "
    "на переписке и документах за пять лет, раз в квартал повторяем на свежих данных."
)


class Command(BaseCommand):
    help = "Make the demo customer's sample request; the second call does nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEBUG:
            raise CommandError("Demo data are refused outside DEBUG.")
        customer = User.objects.get(email=CUSTOMER)
        by = Viewer.of(customer)
        task = json.loads((Path(examples.__path__[0]) / SAMPLE).read_text(encoding="utf-8"))
        inquiry, _is_new = inquiry_create(
            submission=Submission(
                task=parse_task(task).canonical(),
                context={"business_task": BUSINESS_TASK, "contact_name": customer.name, "email": customer.email},
            ),
            language="ru",
            by=by,
            organization=organization_of(by),
            idempotency_key="sample",
        )
        self.stdout.write(f"Sample request {inquiry.number}")
