"""Institutions of real DSpace records: next to none have one in their metadata, nearly all by their sets."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

from tests.fixtures import Place, own, own_and_shared
from windrow.errors import UpstreamError
from windrow.formats.registry import read
from windrow.model.record import Record
from windrow.model.set_assignment import SetRoles, apply_assignment
from windrow.model.set_layouts import SetTree
from windrow.protocols.oai.page_parser import parse_records

DSPACE = ("com_", "col_", "hdl_")


def records_of(path: Path) -> list[Record]:
    try:
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if not any(f">{start}".encode() in body for start in DSPACE):
            return []
        return list(parse_records(body).records)
    except (UpstreamError, OSError):
        return []


def repositories(place: Place) -> dict[str, dict[str, Record]]:
    """Every live record in a set of DSpace, once, by the repository in its identifier."""
    found: dict[str, dict[str, Record]] = {}
    for folder in ("oai", "oai-bulk"):
        for path in sorted(each for each in place(folder).rglob("*") if each.is_file()):
            for record in records_of(path):
                if record.payload is not None and any(spec.startswith(DSPACE) for spec in record.sets):
                    host = ":".join(record.identifier.split(":")[:2])
                    found.setdefault(host, {}).setdefault(record.identifier, record)
    return found


@own_and_shared
def test_nearly_all_records_of_dspace_have_an_institution_by_their_sets(place: Place) -> None:
    counts: Counter[str] = Counter()
    for records in repositories(place).values():
        roles = SetRoles(SetTree([], [record.sets for record in records.values()]))
        for record in records.values():
            document = read(record.payload or b"", record.declarations, "oai_dc")
            mapped = apply_assignment(document, roles.assign(record.sets))
            has_community = any(spec.startswith("com_") for spec in record.sets)
            counts.update({"records": 1, "stated": document.institution is not None})
            counts.update({"assigned": mapped.institution is not None})
            counts.update({"left out": has_community and mapped.institution is None})
    assert counts["records"] >= (30 if place is own else 3000)
    assert counts["stated"] < counts["records"] * 0.01
    assert counts["assigned"] > counts["records"] * 0.95
    assert counts["left out"] == 0  # without a community, DSpace before 3.0 shows collections alone
