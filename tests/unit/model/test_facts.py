"""What is counted of a document: the same whether a value was met before, is long, or is nought."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from windrow.model.document import Document, Text
from windrow.model.facts import fact, facts_about, facts_in


@given(st.lists(st.text(), max_size=5))
def test_several_values_are_counted_as_each_would_be_alone_and_once(texts: list[str]) -> None:
    assert facts_in(texts) == tuple(dict.fromkeys(filter(None, map(fact, texts))))


def test_a_field_is_filled_that_has_something_and_nought_pages_are_something() -> None:
    document = Document(titles=(Text("Hay"),), pages=12, institution="Barn")
    assert facts_about(document, "filled") == ("titles pages institution",)
    assert facts_about(Document(titles=(Text("Hay"),), pages=0), "filled") == ("titles pages",)
    assert facts_about(Document(titles=(Text("Hay"),)), "filled") == ("titles",)
    assert facts_about(Document(year=0), "filled") == ("year",)
    assert facts_about(Document(), "filled") == ()
