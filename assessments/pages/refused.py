"""A message that was refused: kept for one more look at its form, so that nothing typed is lost."""

from portal.accounts.http import ReaderRequest

KEY = "refused_message"
LONGEST = 10_000


def refused_keep(request: ReaderRequest, *, number: str, body: str, error: str) -> None:
    """Keep what was written and why it was not taken."""
    request.session[KEY] = {"number": number, "body": body[:LONGEST], "error": error}


def refused_take(request: ReaderRequest, number: str) -> dict[str, str] | None:
    """What was kept for this request's form; once."""
    kept: dict[str, str] | None = request.session.get(KEY)
    if kept is None or kept["number"] != number:
        return None
    del request.session[KEY]
    return kept
