"""What a document is made of: plain data, no models, no queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

type Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seller:
    """Who gives the assessment; from the portal's settings. `legal` is plain text in the document's language."""

    name: str = "Sizewright"
    contacts: str = ""
    legal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """The engineer's signature under an approved assessment."""

    name: str
    on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One line of required / offered / left. Values are in the base unit of the resource; None = unknown.

    code: resource code of the result (memory, power, units …)
    """

    code: str
    required: float | None
    offered: float | None
    left: float | None
    unit: str
    fit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PickedServer:
    """The catalog server chosen for one option; name None = no server, `reason` says why."""

    option: str
    name: str | None
    vendor: str = ""
    quantity: int = 1
    fit: str = "fits"
    reason: str = ""
    requirements: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What the engineer wrote to one chapter.

    section: summary, options, memory, time, link, host, rack, horizon, findings
    language: the language it was written in; shown when it is not the document's
    """

    section: str
    text: str
    language: str = "ru"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjusted:
    """One adjustment in force: an answer (JSON path), a knob (quantity ID) or an option (key)."""

    kind: Literal["answer", "knob", "option", "text"]
    target: str
    before: Any = None
    after: Any = None
    reason: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentContext:
    """Everything the document prints. The same context gives the same bytes.

    result, task: result/1 and task/1 as in the run
    made_at: when the run finished, with time zone: the date of the file and of its attachments
    input_sha256: hash of the run's input (hex), the identifier of the PDF
    title: the task in a few words as on the page; empty = made from the task
    """

    result: Json
    task: Json
    language: Literal["ru", "en"]
    number: str
    revision: int
    made_at: datetime
    input_sha256: str
    organization: str = ""
    title: str = ""
    business_task: str = ""
    status: Literal["automatic", "approved"] = "automatic"
    approval: Approval | None = None
    superseded_by: int | None = None
    seller: Seller = Seller()
    check_url: str = ""
    servers: tuple[PickedServer, ...] = ()
    remarks: tuple[Remark, ...] = ()
    adjustments: tuple[Adjusted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedDocument:
    """A finished PDF. sha256: hex of `content`; result_sha256: hex of the attached result.json, as on the cover."""

    content: bytes
    pages: int
    sha256: str
    result_sha256: str
