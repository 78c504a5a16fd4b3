"""One record as a file for other programs: BibTeX, RIS, CSL JSON, and our own JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from windrow.exports.portrait import as_dict
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.response import (
    DATA_HEADERS,
    NO_CACHE,
    NO_INDEX,
    Header,
    Response,
    attachment,
)
from windrow.finding.exporting import FORMATS
from windrow.finding.record import RecordView
from windrow.formats.bibtex import write_bibtex
from windrow.formats.csl_json import write_csl_json
from windrow.formats.ris import write_ris

_UNSAFE = re.compile(r"[^A-Za-z0-9]+")
_LONGEST_NAME = 60


class Kind(NamedTuple):
    """A kind of file: what it is called, its media type, and what writes it."""

    title: str
    media_type: str
    write: Callable[[RecordView], str]


def _as(suffix: str, write: Callable[[RecordView], str]) -> Kind:
    """A format that whole results can be had in, too."""
    return Kind(FORMATS[suffix].title, FORMATS[suffix].media_type, write)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _whole(found: RecordView) -> dict[str, object]:
    return {
        "identifier": found.identifier,
        "source": found.source,
        "datestamp": found.stamp,
        "sets": [each.spec for each in found.sets],
        "document": as_dict(found.document),
    }


KINDS: Mapping[str, Kind] = {
    "bib": _as("bib", lambda found: write_bibtex(found.document, found.identifier)),
    "ris": _as("ris", lambda found: write_ris(found.document, found.identifier)),
    "csl.json": _as("csl.json", lambda found: _json([write_csl_json(found.document, found.identifier)])),
    "json": Kind("JSON", "application/json", lambda found: _json(_whole(found))),
}


def stem(text: str) -> str:
    """Return what a file is called after an identifier, or a prefix."""
    return _UNSAFE.sub("-", text).strip("-")[-_LONGEST_NAME:] or "record"


def download(found: RecordView, name: str, *more: Header) -> Response:
    """Give the file of that kind."""
    kind = KINDS.get(name)
    if kind is None:
        raise Refused(404, f"A record can be had as {', '.join(KINDS)}.")
    headers: list[Header] = [
        (b"content-type", kind.media_type.encode()),
        attachment(f"{stem(found.identifier)}.{name}"),
    ]
    headers += more
    body = kind.write(found).encode("utf-8", "replace")
    return Response(200, body, [*headers, NO_CACHE, NO_INDEX, *DATA_HEADERS])
