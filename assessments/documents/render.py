"""Context to PDF bytes: one template, one style sheet, no network, no clock."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import override, pgettext
from weasyprint import HTML, Attachment
from weasyprint.text.fonts import FontConfiguration

from assessments.documents import appendix, chapters
from assessments.documents.assets import PackagedAssets
from assessments.documents.context import DocumentContext, RenderedDocument, Seller
from assessments.documents.cover import cover, summary
from assessments.documents.parameters import parameters
from assessments.documents.words import day, printable, status_word
from assessments.sizing import canonical_json
from assessments.wording import value_label


@dataclass(frozen=True, slots=True)
class Chapter:
    """A line of the table of contents."""

    number: str
    anchor: str
    title: str


def render_pdf(context: DocumentContext) -> RenderedDocument:
    """The assessment as PDF/UA-1 with task.json and result.json attached; the same context gives the same bytes."""
    result_json = canonical_json(context.result)
    result_sha256 = sha256(result_json).hexdigest()
    with override(context.language):
        html = HTML(string=document_html(context, result_sha256), url_fetcher=fetcher())
        # a font configuration of its own per document: a shared one keeps every subset it has ever made
        document = html.render(font_config=FontConfiguration(), pdf_variant="pdf/ua-1")
        content = document.write_pdf(
            pdf_variant="pdf/ua-1",
            pdf_identifier=identifier(context),
            attachments=[
                _attachment(context, "task.json", canonical_json(context.task), "Source", _("The task as answered")),
                _attachment(context, "result.json", result_json, "Data", _("Every number with its derivation")),
            ],
        )
    return RenderedDocument(
        content=content,
        pages=len(document.pages),
        sha256=sha256(content).hexdigest(),
        result_sha256=result_sha256,
    )


@cache
def fetcher() -> PackagedAssets:
    """The fetcher of packaged files; it holds no state between documents."""
    return PackagedAssets()


def identifier(context: DocumentContext) -> bytes:
    """PDF identifier: of the run's input and of what else makes this file another one."""
    parts = (context.input_sha256, context.language, context.number, str(context.revision), context.status)
    return sha256("\n".join(parts).encode()).hexdigest()[:32].encode()


def _attachment(context: DocumentContext, name: str, content: bytes, relationship: str, description: str) -> Attachment:
    return Attachment(
        string=content,
        name=name,
        description=description,
        relationship=relationship,
        created=context.made_at,
        modified=context.made_at,
        url_fetcher=fetcher(),
    )


def document_html(context: DocumentContext, result_sha256: str) -> str:
    """The document as HTML in the active language."""
    result = context.result
    measured = appendix.measured_accuracy()
    view: dict[str, object] = {
        "language": context.language,
        "number": context.number,
        "revision": context.revision,
        "seller": Seller(
            name=printable(context.seller.name, 80),
            contacts=printable(context.seller.contacts, 2000),
            legal=printable(context.seller.legal),
        ),
        "check_url": context.check_url,
        "catalog": (result.get("catalog") or {}).get("label", ""),
        "created": context.made_at.isoformat(timespec="seconds"),
        "purpose": printable(context.business_task, 6000),
        "running": _running(context),
        "remarks": _remarks(context),
        "letters": "АБВГ" if context.language == "ru" else "ABCD",
        "cover": cover(context, result_sha256),
        "summary": summary(context),
        "parameters": parameters(context),
        "difference": chapters.difference(result),
        "options": chapters.options(context),
        "methods": chapters.methods(result),
        "memory": chapters.memory(result),
        "techniques": chapters.techniques(result),
        "time": chapters.time(result),
        "links": chapters.links(result),
        "host": chapters.matrix(result, chapters.HOST),
        "rack": chapters.rack(result),
        "horizon": chapters.horizon(result),
        "findings": appendix.findings(result),
        "unknowns": appendix.unknowns(result),
        "adjustments": appendix.adjustments(context),
        "derivations": appendix.derivations(result),
        "method": appendix.method(context),
        "measured": measured,
        "disclaimers": disclaimers(context, is_measured=bool(measured)),
    }
    view["contents"] = contents(view)
    view["chapters"] = render_to_string("pdf/chapters.html", view)
    view["terms"] = appendix.terms(str(view["chapters"]))
    return render_to_string("pdf/document.html", view)


def contents(view: dict[str, object]) -> list[Chapter]:
    """The chapters that this document has; numbers stay when one is left out."""
    letters = str(view["letters"])

    def has(key: str, part: str = "") -> bool:
        found = view[key]
        return bool(found[part] if part and isinstance(found, dict) else found)

    rows = (
        ("1", "1", _("In brief"), True),
        ("2", "2", _("Five parameters"), True),
        ("3", "3", _("Why training takes more"), has("difference", "lines")),
        ("4", "4", _("Options"), has("options")),
        ("5", "5", _("Memory per GPU"), has("memory", "heads")),
        ("6", "6", pgettext("document", "What makes it fit"), has("techniques")),
        ("7", "7", _("Time and GPU count"), has("time", "options")),
        ("8", "8", _("Link and fabric"), has("links")),
        ("9", "9", _("CPU, RAM, drives"), has("host")),
        ("10", "10", _("Rack"), has("rack", "rows")),
        ("11", "11", _("Horizon"), has("horizon")),
        ("12", "12", _("Findings"), has("findings")),
        ("13", "13", _("What to find out next"), has("unknowns")),
        ("14", "14", _("Engineer’s adjustments"), has("adjustments")),
        (letters[0], "A", _("How it was calculated"), has("derivations")),
        (letters[1], "B", _("Terms"), True),
        (letters[2], "C", _("Method and accuracy"), True),
        (letters[3], "D", _("Disclaimers"), True),
    )
    return [Chapter(number, f"ch-{anchor}", title) for number, anchor, title, is_there in rows if is_there]


def disclaimers(context: DocumentContext, *, is_measured: bool) -> list[str]:
    """What the document is not; the appendix is pointed to only when it has measured figures."""
    catalog = (context.result.get("catalog") or {}).get("label", "")
    return [
        _("Orders of magnitude for choosing a platform, not a quote."),
        _("A range aims at nine hits in ten; measured accuracy is in the appendix “Method and accuracy”.")
        if is_measured
        else _("A range aims at nine hits in ten."),
        _("Assumptions are marked ≈; an exact answer may change the option."),
        _("Server figures from the catalog of %(date)s; check with the vendor before buying.") % {"date": catalog},
        _("Out of scope: cluster fabric, shared storage, hall cooling, model quality."),
    ]


def _running(context: DocumentContext) -> dict[str, str]:
    """Texts of the running head and foot."""
    number = _("%(number)s, revision %(n)d") % {"number": context.number, "n": context.revision}
    return {
        "head": f"{printable(context.seller.name, 40)} · {number}",
        "status": f"{status_word(context)}, {day(context)}" if not context.approval else status_word(context),
        "foot": _("A preliminary assessment: orders of magnitude, not a quote"),
        "sheet": _("Sheet"),
        "of": _("of"),
    }


def _remarks(context: DocumentContext) -> dict[str, list[dict[str, str]]]:
    """The engineer's words by chapter, marked where they are in another language."""
    by_section: dict[str, list[dict[str, str]]] = {}
    for remark in context.remarks:
        if not remark.text.strip():
            continue
        label = _("The engineer’s words")
        if remark.language != context.language:
            label = _("The engineer’s words, in %(language)s") % {"language": value_label(remark.language)}
        by_section.setdefault(remark.section, []).append({"label": label, "text": printable(remark.text)})
    return by_section
