"""Which of the formats a repository offers Windrow reads, and which it keeps as they come."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.formats.registry import registry
from windrow.sources.findings.finding import Finding, good, note
from windrow.wire.oai.answers import MetadataFormat

_SHOWN = 12


def reader_name(offered: MetadataFormat) -> str | None:
    """Give the name of the reader for an offered format, by its prefix, else by its namespace."""
    readers = registry().readers
    for reader in readers:
        if offered.prefix == reader.name or offered.prefix in reader.prefixes:
            return reader.name
    namespace = f"{{{offered.namespace}}}"
    for reader in readers:
        if offered.namespace and any(root.startswith(namespace) for root in reader.roots):
            return reader.name
    return None


def judge_formats(offered: Sequence[MetadataFormat]) -> Finding:
    """Say what is offered, and what of it is read."""
    readers = {item.prefix: reader_name(item) for item in offered}
    known = [prefix for prefix, reader in readers.items() if reader]
    other = [prefix for prefix, reader in readers.items() if not reader]
    words = f"{len(readers)} format{'' if len(readers) == 1 else 's'}: {_some(list(readers))}"
    action = f"reads {'all of them' if not other else _some(known) or 'none of them'}"
    if other:
        action += f"; keeps {_some(other)} as it comes and picks out the fields it can"
    return (good if known else note)("formats", words, action, formats=readers)


def _some(words: list[str]) -> str:
    shown = ", ".join(words[:_SHOWN])
    return shown if len(words) <= _SHOWN else f"{shown} and {len(words) - _SHOWN} more"
