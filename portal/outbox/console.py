"""The mailer of a newcomer's machine: prints what a person would read."""

import sys
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class ConsoleMailer(BaseEmailBackend):
    """Prints address, subject and text; Django's own prints the encoded source, in which a code cannot be read."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            heading = f"To: {', '.join(message.to)}\nSubject: {message.subject}"
            sys.stdout.write(f"\n--- e-mail ---\n{heading}\n\n{message.body}\n--------------\n\n")
        sys.stdout.flush()
        return len(email_messages)
