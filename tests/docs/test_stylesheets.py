"""The stylesheets in the documentation work, and what it says of their limits is so."""

from __future__ import annotations

import pytest

from tests.docs.markdown import page
from windrow.web.gateway import stylesheet_child, stylesheets
from windrow.web.gateway.xslt_transform import CLASSES, StylesheetCache, sanitise

GUIDE = page("docs/howto/change-how-a-format-looks.md")
SHEETS = [block.text for block in GUIDE.blocks if block.language == "xml"]
PAYLOAD = b"""<x xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Mower, Ann</dc:creator>
<dc:format>application/pdf</dc:format><dc:description>Of hay.</dc:description></x>"""
SHOWN = [["In short", "<li>Mower, Ann</li>", "<p>Of hay.</p>"], ["Written by", "Mower, Ann", "Of hay."]]


@pytest.mark.parametrize(("sheet", "shown"), list(zip(SHEETS, SHOWN, strict=True)))
def test_a_stylesheet_of_the_guide_does_what_it_says(sheet: str, shown: list[str]) -> None:
    made = sanitise(StylesheetCache().make(PAYLOAD, "oai_dc", sheet.encode(), "en", ""))
    assert [each for each in shown if each not in made] == []
    assert "application/pdf" not in made


def test_the_limits_in_the_guide_are_those_in_the_code() -> None:
    text = GUIDE.text
    assert f"{stylesheet_child.CPU_SECONDS} seconds of work" in text
    assert f"{stylesheet_child.MEMORY_BYTES // 1024**2} MB of" in text
    assert f"more than {stylesheets.MAX_PAYLOAD_BYTES // 1024**2} MB" in text
    assert all(f"`{name}`" in text for name in CLASSES)
