"""The page on queries shows queries that work."""

from __future__ import annotations

import re

from tests.docs.markdown import pages
from windrow.protocols.query.query_parser import parse_query

PAGE = next(each for each in pages() if str(each) == "docs/reference/query-language.md")


def test_every_query_that_is_shown_is_without_a_mistake() -> None:
    shown = re.findall(r"^\| (`.+?) \| (?:with|by|of|in|dated) ", PAGE.text, re.MULTILINE)
    queries = [query for cell in shown for query in re.findall(r"`([^`]+)`", cell)]
    assert len(queries) > 15
    assert {query: parse_query(query).mistakes for query in queries if parse_query(query).mistakes} == {}
