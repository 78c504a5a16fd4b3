"""Where people work, on the page of their record: in every format that says it, and only as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.formats.affiliated import FORMATS
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import staged
from windrow.web.portal.record_description import MAX_PLACES

RECORD = "/record/hay/oai:hay.example:1"
MODS = '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Hay</title></titleInfo>{}</mods>'


def person(name: str, *places: str, role: str = "author") -> str:
    """Give somebody in MODS."""
    written = "".join(f"<affiliation>{place}</affiliation>" for place in places)
    return f"<name><namePart>{name}</namePart>{written}<role><roleTerm>{role}</roleTerm></role></name>"


@pytest.mark.parametrize("prefix", FORMATS)
def test_an_author_stands_with_each_institution(tmp_path: Path, catalogue: Catalogue, prefix: str) -> None:
    catalogue.add("oai:hay.example:1", payload=FORMATS[prefix].strip().encode(), prefix=prefix)
    with staged(tmp_path, catalogue) as portal:
        page = portal.page(RECORD)
        assert page.texts("//ul[@class='authors']/li") == ["Mower, Ann Barn; West; Field"]
        assert page.texts("//ul[@class='authors']//small[@class='places']/a") == ["Barn; West", "Field"]


def test_an_institution_leads_to_everything_that_names_it(tmp_path: Path, catalogue: Catalogue) -> None:
    for number in (1, 2):
        payload = MODS.format(
            person("Mower, Ann", "Barn", "Field") + person("Rake, Bo", "Mill", role="editor")
        )
        catalogue.add(f"oai:hay.example:{number}", payload=payload.encode(), prefix="mods")
    with staged(tmp_path, catalogue) as portal:
        page = portal.page(RECORD)
        assert page.texts("//dd[small]") == ["Rake, Bo (editor) Mill"]
        for name in ("Barn", "Field", "Mill"):
            assert page.link(name) == f"/search?q=affiliation%3D%22{name}%22"
            assert len(portal.page(page.link(name)).texts("//ol//h2")) == 2


def test_what_strangers_call_an_institution_is_text(tmp_path: Path, catalogue: Catalogue) -> None:
    evil = "Barn&quot; onclick=&quot;alert(1)' &amp; Co"
    places = (evil, *map(str, range(MAX_PLACES)))
    catalogue.add("oai:hay.example:1", payload=MODS.format(person("A", *places)).encode(), prefix="mods")
    with staged(tmp_path, catalogue) as portal:
        page = portal.page(RECORD)
        shown = page.texts("//ul[@class='authors']//small/*")
        assert shown == ['Barn" onclick="alert(1)\' & Co', *map(str, range(MAX_PLACES - 1)), "…"]
        assert not page.texts("//*[@onclick]")
