"""The only files a rendering may read: style sheet, fonts and icons that ship with the product."""

from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path

from django.conf import settings
from fontTools.ttLib import woff2
from weasyprint.urls import URLFetcher, URLFetcherResponse

SCHEME = "asset:"
_TYPES = {".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/ttf"}


def _folder(name: str) -> dict[str, Path]:
    return {
        path.name: path
        for path in (Path(str(files("assessments.documents"))) / name).iterdir()
        if path.suffix in _TYPES
    }


@cache
def _content(path: Path) -> bytes:
    """The file, read once per process; fonts are unpacked, because WeasyPrint would do so again for every document."""
    if path.suffix != ".woff2":
        return path.read_bytes()
    unpacked = BytesIO()
    with path.open("rb") as packed:
        woff2.decompress(packed, unpacked)
    return unpacked.getvalue()


class NotPackaged(ValueError):
    """Something asked for an address outside the packaged files."""


class PackagedAssets(URLFetcher):
    """Serves `asset:NAME` and refuses every other address, so that no rendering touches network or disk elsewhere."""

    def __init__(self) -> None:
        super().__init__(allowed_protocols=("asset",), allow_redirects=False)
        self._files = _folder("assets") | _folder("fonts")
        self._files["pdf.css"] = Path(settings.BASE_DIR) / "portal" / "static" / "css" / "pdf.css"

    def fetch(self, url: str, headers: dict[str, str] | None = None) -> URLFetcherResponse:
        """The packaged file, or NotPackaged."""
        name = url.removeprefix(SCHEME)
        if not url.startswith(SCHEME) or name not in self._files:
            raise NotPackaged(f"not a packaged file: {url[:80]!r}; a document may use {sorted(self._files)}")
        path = self._files[name]
        return URLFetcherResponse(url, _content(path), {"Content-Type": _TYPES[path.suffix]})
