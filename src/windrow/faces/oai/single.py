"""Answers about one record: GetRecord, ListMetadataFormats. What lists hide is not shown here either."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.faces.oai.question import Question
from windrow.faces.oai.records import records
from windrow.store import catalogue
from windrow.store.offering import Row
from windrow.wire.oai.answering import render, small


def get_record(question: Question) -> Sequence[bytes]:
    """Give the answer to GetRecord."""
    formats, prefix = question.books.formats, question.request.prefix or ""
    row = _find(question, formats.number(prefix))
    if prefix not in formats.prefixes:
        raise question.refuse(
            "cannotDisseminateFormat", f"There is no format {prefix}; see ListMetadataFormats"
        )
    if not row[4] and row[8] is None and prefix not in formats.of_record(row):
        raise question.refuse(
            "cannotDisseminateFormat", f"This record is not there as {prefix}; see ListMetadataFormats"
        )
    (rendered,) = records(question, (row,), prefix)
    if rendered is None:
        raise question.refuse("cannotDisseminateFormat", f"This record cannot be rendered as {prefix}")
    return render.listing("GetRecord", (rendered,))


def list_metadata_formats(question: Question) -> Sequence[bytes]:
    """Give the formats of the repository, or those of one record."""
    formats = question.books.formats
    prefixes: Sequence[str] = formats.prefixes
    if question.request.identifier is not None:
        row = _find(question, None)
        if row[4]:
            raise question.refuse("noMetadataFormats", "This record is deleted")
        prefixes = formats.of_record(row)
    return (small.list_metadata_formats(formats.facts(prefix) for prefix in prefixes),)


def _find(question: Question, format_id: int | None) -> Row:
    offering, identifier = question.offering, question.request.identifier or ""
    row = offering.one(identifier, tuple(question.books.sources), format_id)
    if row is None or _is_hidden(question, row):
        raise question.refuse("idDoesNotExist", "There is no record of this identifier")
    return row


def _is_hidden(question: Question, row: Row) -> bool:
    if not question.hidden_sets:
        return False
    held = catalogue.members(question.offering, (row[5],)).get(row[5], ())
    return not set(held).isdisjoint(question.hidden_sets)
