"""Vocabularies from a file to the pages of a served library, and from there to other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urljoin

import pytest
import rdflib
from lxml import html

from tests.flows.commanding import windrow
from tests.flows.serving import NAME, Served, serving, stocked
from tests.servers.asgi import Got
from windrow.wiring.indexing import follow_index

BROWSER = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "sv",
}
# Subjects of the demo's theses, below two parents; a circle, and a concept without a name.
TOPICS = """\
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix t: <http://topics.example/t> .
t:1 a skos:Concept ; skos:prefLabel "Work"@en , "Arbete"@sv .
t:2 a skos:Concept ; skos:prefLabel "Methods"@en , "Metoder"@sv .
t:3 a skos:Concept ; skos:prefLabel "Communication"@en , "Kommunikation"@sv ; skos:altLabel "viestintä"@fi ;
  skos:broader t:1 , t:2 .
t:4 a skos:Concept ; skos:prefLabel "Quality"@en ; skos:altLabel "laatu"@fi ; skos:broader t:1 , t:5 .
t:5 a skos:Concept ; skos:broader t:4 .
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("vocabulary") / "library"
    shelf = stocked(folder)
    library = shelf.open()
    follow_index(library)
    library.close()
    with (folder / "windrow.toml").open("a", encoding="utf-8") as settings:
        settings.write(f'\n[collections.school]\nsources = ["{NAME}"]\n')
        settings.write('[collections.school.vocabulary]\nsubject = "topics"\nkeyword = "topics"\n')
    topics = folder.parent / "topics.ttl"
    topics.write_text(TOPICS, encoding="utf-8")
    added = windrow(shelf, "vocabulary", "add", "topics", str(topics))
    assert added.returncode == 0, added.stderr
    with serving(folder) as served:
        yield served


def ask(served: Served, path: str, **headers: str) -> Got:
    return served.ask(path, headers={**BROWSER, **headers})


def root_of(got: Got) -> html.HtmlElement:
    return html.fromstring(got.body)


def test_from_the_list_down_to_a_record_and_back_to_its_concept(served: Served) -> None:
    path = "/vocabulary/"
    for words in ("topics", "Arbete", "Kommunikation"):
        root = root_of(ask(served, path))
        (address, *_) = root.xpath("//main//a[normalize-space(.)=$words]/@href", words=words)
        path = urljoin(path, str(address))
    root = root_of(ask(served, path))
    assert root.xpath("string(//h1)").strip() == "Kommunikation"
    assert len(root.xpath("//nav[contains(@class, 'path')]")) == 2
    record = root.xpath("//section[@aria-labelledby='records']//h3/a/@href")[0]
    shown = root_of(ask(served, str(record)))
    assert path in shown.xpath("//dl//a/@href")


def test_the_number_of_records_is_what_the_searches_find(served: Served) -> None:
    root = root_of(ask(served, "/vocabulary/topics/"))
    shown = {
        str(each.xpath("string(a)")): int(each.xpath("string(span[@class='count']/text())"))
        for each in root.xpath("//ul[@class='tree']/li")
    }
    methods = ("viestintä", "communication", "kommunikation")
    named = {"Arbete": (*methods, "laatu", "quality"), "Metoder": methods}
    for words, subjects in named.items():
        either = " OR ".join(f'{field}="{each}"' for each in subjects for field in ("subject", "keyword"))
        asked = urlencode({"q": either, "vocabulary": "off", "match": "all"})
        total = json.loads(served.ask(f"/api/v1/search?{asked}").body)["total"]
        assert shown[words] == total > 0


def test_what_a_program_takes_is_the_graph_that_was_put_in(served: Served) -> None:
    got = served.ask("/vocabulary/topics", headers={"Accept": "text/turtle"})
    assert got.status == 303
    made = rdflib.Graph().parse(data=served.ask(got.headers["location"]).body, format="turtle")
    assert set(made) == set(rdflib.Graph().parse(data=TOPICS, format="turtle"))


def test_every_link_of_the_pages_leads_somewhere(served: Served) -> None:
    waiting, seen, dead = ["/vocabulary/"], set[str](), []
    while waiting:
        path = waiting.pop()
        if path in seen or len(seen) > 200:
            continue
        seen.add(path)
        got = ask(served, path)
        if got.status != 200:
            dead.append((path, got.status))
        if path.startswith("/vocabulary/") and got.headers["content-type"].startswith("text/html"):
            found = (urljoin(path, str(each)) for each in root_of(got).xpath("//main//@href"))
            waiting += [each.partition("#")[0] for each in found if each.startswith("/")]
    assert not dead
    assert len(seen) > 30
