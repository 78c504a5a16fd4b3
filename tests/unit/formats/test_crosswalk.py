"""Records of every format through the crosswalk: what people look for is still there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lxml import etree

from tests.contracts.test_formats import records_in, responses
from tests.fixtures import Place, own_and_shared
from tests.oai_schema import validate_oai_dc
from windrow.formats.dublin_core.oai_dc import write_oai_dc
from windrow.formats.registry import read, reader_for
from windrow.model.document import Document

MOST_OF_A_FILE = 40
FORMATS = {"oai_dc", "qdc", "kk", "marcxml", "mods", "mets", "didl", "datacite", "lido", "xoai", "ore"}


def read_records(place: Place) -> Iterator[tuple[str, Document]]:
    """Yield documents, each with the name of its format and its file."""
    for folder in ("oai", "records"):
        for path in responses(folder, place):
            for root in list(records_in(path))[:MOST_OF_A_FILE]:
                reader = reader_for(root.tag, path.parent.name)
                payload = etree.tostring(root, with_tail=False, encoding="utf-8")
                yield reader.name if reader else "generic", read(payload, b"", path.parent.name)


@own_and_shared
def test_titles_creators_years_and_languages_come_through_the_crosswalk(place: Place) -> None:
    formats: Counter[str] = Counter()
    for name, document in read_records(place):
        written = write_oai_dc(document)
        validate_oai_dc(written)
        again = read(written, b"", "oai_dc")
        assert again.titles == document.titles
        assert [agent.name for agent in again.creators] == [agent.name for agent in document.creators]
        assert (again.year, again.languages) == (document.year, document.languages)
        formats[name] += 1
    assert set(formats) >= FORMATS


@own_and_shared
def test_what_went_through_once_stays_as_it_is_at_every_further_hop(place: Place) -> None:
    for _, document in read_records(place):
        second = write_oai_dc(read(write_oai_dc(document), b"", "oai_dc"))
        assert write_oai_dc(read(second, b"", "oai_dc")) == second
