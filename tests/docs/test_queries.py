"""The page on queries shows queries that work, and names every field that there is."""

from __future__ import annotations

import re

from tests.docs.markdown import pages
from windrow.model.query_fields import FIELDS
from windrow.wire.query.parse import parse_query

PAGE = next(each for each in pages() if str(each) == "docs/howto/define-a-set.md")


def test_every_query_that_is_shown_is_without_a_mistake() -> None:
    shown = re.findall(r"^\| (.+?) \| with|^\| (.+?) \| \w", PAGE.text, re.MULTILINE)
    queries = [query for pair in shown for cell in pair for query in re.findall(r"`([^`]+)`", cell)]
    assert len(queries) > 10
    assert {query: parse_query(query).mistakes for query in queries if parse_query(query).mistakes} == {}


def test_every_field_is_named() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE.text.rpartition("Fields are")[2]))
    assert named == {name for name, field in FIELDS.items() if not field.is_of_event}
