"""Of several descriptions the abstract comes first, also where the format does not say which it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.formats.test_flat_dc import flat, parsed, record
from windrow.formats.citations.bibtex import write_bibtex
from windrow.formats.citations.csl_json import write_csl_json
from windrow.formats.citations.ris import write_ris
from windrow.formats.mapping.document_draft import Draft, abstract_first
from windrow.model.document import Text

NOTE = "This is the final version. It was first published by Barn Press."
ABSTRACT = "We mowed four meadows twice a year and weighed what they gave. " * 8
NOTED = record(f"<dc:description>{NOTE}</dc:description>", f"<dc:description>{ABSTRACT}</dc:description>")


def values(texts: tuple[Text, ...]) -> list[str]:
    return [text.value for text in texts]


def test_a_note_before_the_abstract_comes_behind_it_whichever_way_it_is_read() -> None:
    quick = flat(NOTED)
    assert quick is not None
    assert values(quick.descriptions) == values(parsed(NOTED).descriptions) == [ABSTRACT.strip(), NOTE]


def test_reference_managers_are_given_the_abstract() -> None:
    document = parsed(NOTED)
    csl = str(write_csl_json(document, "a"))
    for written in (write_bibtex(document, "a"), write_ris(document, "a"), csl):
        assert "We mowed four meadows" in written
        assert "final version" not in written


def test_of_an_abstract_in_two_languages_the_first_stays_first() -> None:
    texts = (Text("Heinä " * 20, "fi"), Text("Hay and straw " * 15, "en"))
    assert abstract_first(texts) == texts


def test_what_the_format_calls_an_abstract_comes_first_however_short() -> None:
    draft = Draft()
    draft.add_description(ABSTRACT)
    draft.add_description("Hay was weighed.", is_abstract=True)
    assert values(draft.finish().descriptions) == ["Hay was weighed.", ABSTRACT.strip()]


@given(st.lists(st.builds(Text, st.text())))
def test_nothing_is_lost_and_the_rest_keeps_its_order(texts: list[Text]) -> None:
    found = abstract_first(tuple(texts))
    rest = list(texts)
    for lead in found[:1]:
        rest.remove(lead)
    assert list(found[1:]) == rest
