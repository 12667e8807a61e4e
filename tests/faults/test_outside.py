"""What the portal needs around it is away: a full disk and a silent mail server delay, and lose nothing."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_string
from pathlib import Path

import pytest

from portal import processes
from tests.faults.scene import CUSTOMER, assert_everything_once, assert_rows_once, rows, submit, until
from tests.stack import Stack

pytestmark = pytest.mark.processes


def test_documents_wait_for_room_on_the_disk(own_stack: Stack) -> None:
    media = own_stack.folder / "media"
    media.mkdir(exist_ok=True)
    obstacle = media / "documents"  # a file where the folder must be: nothing can be written, also not by root
    obstacle.write_bytes(b"")
    number = submit(own_stack)
    errors = until(
        own_stack,
        "SELECT last_error FROM outbox_outboxmessage WHERE name = 'assessments.render_document' AND last_error <> ''",
    )
    assert "documents" in errors[0]
    assert rows(own_stack, "SELECT state FROM assessments_inquiry") == ["in_review"]
    assert rows(own_stack, "SELECT id FROM assessments_document") == []
    obstacle.unlink()
    assert_everything_once(own_stack, number)
    (file,) = (media / "documents").rglob("*.pdf")
    assert file.read_bytes().startswith(b"%PDF")


@contextmanager
def mail_server(port: int) -> Iterator[list[str]]:
    """A server that speaks just enough SMTP; yields what it was given."""
    received: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 test\r\n")
        while line := await reader.readline():
            verb = line[:4].upper()
            if verb == b"DATA":
                writer.write(b"354 go on\r\n")
                text = await reader.readuntil(b"\r\n.\r\n")
                received.append(text.decode())
            writer.write(b"221 bye\r\n" if verb == b"QUIT" else b"250 ok\r\n")
            await writer.drain()
            if verb == b"QUIT":
                break
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", port)
        started.set()
        async with server:
            await asyncio.to_thread(ended.wait)

    started, ended = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert started.wait(5)
    yield received
    ended.set()
    thread.join(5)


def test_letters_wait_for_the_mail_server_and_come_once(tmp_path: Path) -> None:
    port = processes.free_port()
    stack = Stack.start(tmp_path, own_broker=True, environment={"MAIL_URL": f"smtp://127.0.0.1:{port}"})
    try:
        number = submit(stack)
        waiting = "SELECT last_error FROM outbox_outboxmessage WHERE kind = 'mail' AND last_error <> ''"
        errors = until(stack, waiting, lambda found: len(found) == 2)
        assert all("refused" in error for error in errors)
        assert rows(stack, "SELECT language FROM assessments_document") == ["en"]
        with mail_server(port) as received:
            assert_rows_once(stack, number)
        mails = [message_from_string(text) for text in received]
        assert [mail["To"] for mail in mails] == [CUSTOMER, CUSTOMER]
        assert len({mail["Message-ID"] for mail in mails}) == 2
    finally:
        stack.stop()
