"""Small pages to parse, written out plainly so that a test shows what it feeds in."""

from __future__ import annotations

OAI = "http://www.openarchives.org/OAI/2.0/"
OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
DC = "http://purl.org/dc/elements/1.1/"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACES = f'xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}"'


def payload(title: str = "Hay in June") -> str:
    return f"<oai_dc:dc {NAMESPACES}><dc:title>{title}</dc:title></oai_dc:dc>"


def header(identifier: str, *, sets: tuple[str, ...] = (), is_deleted: bool = False) -> str:
    specs = "".join(f"<setSpec>{spec}</setSpec>" for spec in sets)
    status = ' status="deleted"' if is_deleted else ""
    named = f"<identifier>{identifier}</identifier><datestamp>2024-05-01</datestamp>"
    return f"<header{status}>{named}{specs}</header>"


def record(identifier: str, metadata: str | None = None, *, about: str = "") -> str:
    inside = payload(f"On {identifier}") if metadata is None else metadata
    return f"<record>{header(identifier)}<metadata>{inside}</metadata>{about}</record>\n"


def tombstone(identifier: str) -> str:
    return f"<record>{header(identifier, is_deleted=True)}</record>\n"


def page(*entries: str, token: str = "", verb: str = "ListRecords", attributes: str = "") -> bytes:
    start = f'<OAI-PMH xmlns="{OAI}"{attributes}>\n<responseDate>2024-06-01T12:00:00Z</responseDate>\n'
    asked = f'<request verb="{verb}">https://repository.example/oai</request>\n'
    listed = f"<{verb}>\n{''.join(entries)}{token}</{verb}>\n</OAI-PMH>\n"
    return (DECLARATION + start + asked + listed).encode()


def answer(inside: str) -> bytes:
    """An answer to one of the small requests."""
    start = f'{DECLARATION}<OAI-PMH xmlns="{OAI}"><responseDate>2024-06-01T12:00:00Z</responseDate>'
    return f"{start}<request>https://repository.example/oai</request>{inside}</OAI-PMH>".encode()
