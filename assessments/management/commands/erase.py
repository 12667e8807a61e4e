"""Erase an account or requests from the command line; texts, files and names go, numbers, states and hashes stay."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from assessments.models import Inquiry
from assessments.services.erasure import NotErasable, account_erase, inquiries_erase, retention_due
from portal.accounts.models import User, folded


class Command(BaseCommand):
    """Says what would go; does it with --yes."""

    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--account", metavar="EMAIL", help="a customer's account and what is theirs alone")
        what.add_argument("--request", metavar="NUMBER", help="one request")
        what.add_argument("--expired", action="store_true", help="requests older than the settings keep them")
        parser.add_argument("--yes", action="store_true", help="erase; without it only say what would go")

    def handle(self, *args: Any, account: str, request: str, expired: bool, yes: bool, **options: Any) -> None:
        if account:
            self._account(account, is_sure=yes)
            return
        found = retention_due() if expired else Inquiry.objects.filter(number=request)
        if request and not found.exists():
            raise CommandError(f"There is no request {request}.")
        numbers = {inquiry.pk: inquiry.number for inquiry in found}
        if yes:
            inquiries_erase(list(numbers))
        self._say(yes, f"{len(numbers)} requests {' '.join(numbers.values())}".strip())

    def _account(self, email: str, *, is_sure: bool) -> None:
        user = User.objects.filter(email=folded(email)).first()
        if user is None:
            raise CommandError(f"There is no account {email}.")
        if is_sure:
            try:
                account_erase(user)
            except NotErasable as refusal:
                raise CommandError(str(refusal)) from refusal
        self._say(is_sure, f"account {email}")

    def _say(self, is_done: bool, what: str) -> None:
        self.stdout.write(f"{'Erased' if is_done else 'Would erase (repeat with --yes)'}: {what}")
