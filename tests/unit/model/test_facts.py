"""What is counted of a document: the same whether a value was met before, is long, or is nought."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from windrow.model.counted_fields import counted_value, counted_values, field_values
from windrow.model.document import Document, Text


@given(st.lists(st.text(), max_size=5))
def test_several_values_are_counted_as_each_would_be_alone_and_once(texts: list[str]) -> None:
    assert counted_values(texts) == tuple(dict.fromkeys(filter(None, map(counted_value, texts))))


def test_a_field_is_filled_that_has_something_and_nought_pages_are_something() -> None:
    document = Document(titles=(Text("Hay"),), pages=12, institution="Barn")
    assert field_values(document, "filled") == ("titles pages institution",)
    assert field_values(Document(titles=(Text("Hay"),), pages=0), "filled") == ("titles pages",)
    assert field_values(Document(titles=(Text("Hay"),)), "filled") == ("titles",)
    assert field_values(Document(year=0), "filled") == ("year",)
    assert field_values(Document(), "filled") == ()
