"""The page on cadences says what they are."""

from __future__ import annotations

import re

import pytest

from tests.docs.markdown import pages
from windrow.schedule.cadence import parse_cadence

PAGE = next(each for each in pages() if str(each) == "docs/explain/cadences.md")
ROWS = re.findall(r"^\| `(.+?)` \| (.+?) \| (.+?) \|$", PAGE.text, re.MULTILINE)


@pytest.mark.parametrize(("every", "words", "cron"), ROWS)
def test_every_example_is_due_when_the_page_says(every: str, words: str, cron: str) -> None:
    cadence = parse_cadence(every, timezone="Europe/Helsinki")
    assert cadence.words == words
    assert cron == (f"`{cadence.cron}`" if cadence.cron else "–")


def test_the_page_has_examples() -> None:
    assert len(ROWS) > 20
