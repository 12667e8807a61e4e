"""The only files a rendering may read: style sheet, fonts and icons that ship with the product."""

from importlib.resources import files
from pathlib import Path

from django.conf import settings
from weasyprint.urls import URLFetcher, URLFetcherResponse

SCHEME = "asset:"
_TYPES = {".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}


def _folder(name: str) -> dict[str, Path]:
    return {path.name: path for path in (Path(str(files("assessments.documents"))) / name).iterdir() if path.suffix in _TYPES}


class NotPackaged(ValueError):
    """Something asked for an address outside the packaged files."""


class PackagedAssets(URLFetcher):  # type: ignore[misc] – WeasyPrint is untyped
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
        return URLFetcherResponse(url, path.read_bytes(), {"Content-Type": _TYPES[path.suffix]})
