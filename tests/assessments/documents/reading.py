"""Reading a PDF back: text, structure, fonts, attachments."""

import re
from io import BytesIO
from typing import Any

import pdfplumber
from pypdf import PdfReader


def text_of(content: bytes) -> str:
    """All text with single spaces, as a reader would search it."""
    pages = [page.extract_text() or "" for page in PdfReader(BytesIO(content)).pages]
    return re.sub(r"\s+", " ", "\n".join(pages).replace("\u00a0", " ").replace("\u202f", " "))


def fonts_of(content: bytes) -> set[str]:
    """Names of the fonts that draw at least one visible character."""
    with pdfplumber.open(BytesIO(content)) as pdf:
        return {char["fontname"] for page in pdf.pages for char in page.chars if char["text"].strip()}


def structure_of(content: bytes) -> list[tuple[str, Any]]:
    """The structure tree as (kind, alternative text) in reading order."""
    root = PdfReader(BytesIO(content)).trailer["/Root"]["/StructTreeRoot"]
    found: list[tuple[str, Any]] = []

    def walk(node: Any) -> None:
        node = node.get_object() if hasattr(node, "get_object") else node
        if isinstance(node, list):
            for kid in node:
                walk(kid)
        elif isinstance(node, dict) and "/K" in node:
            if "/S" in node:
                found.append((str(node["/S"]), node.get("/Alt")))
            walk(node["/K"])

    walk(root["/K"])
    return found
