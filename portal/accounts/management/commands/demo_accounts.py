"""Makes the demo accounts of a newcomer's machine."""

from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser

from portal.accounts.demo import CUSTOMER, demo_ensure


class Command(BaseCommand):
    """`manage.py demo_accounts`: one customer and the staff's roles; passwords are printed once."""

    help = "Make the demo accounts that are missing and print the passwords that were set."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--new-passwords", action="store_true", help="set and print new passwords for the staff")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEBUG:
            raise CommandError("Demo accounts are for DEBUG only: this portal is served to people.")
        shown = demo_ensure(renew_passwords=options["new_passwords"])
        if not shown:
            return
        self.stdout.write(f"Demo customer: {CUSTOMER}, signs in by a code that the worker prints.")
        self.stdout.write("Demo staff, passwords shown once (again: manage.py demo_accounts --new-passwords):")
        for account in shown:
            self.stdout.write(f"  {account.email:24} {account.password}")
