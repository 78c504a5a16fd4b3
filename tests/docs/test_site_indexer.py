"""The how-to on site indexers, followed to the letter: wget meets every record of a repository once."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

from tests.docs.commands import lines
from tests.docs.markdown import page
from tests.fixtures import Place, missing, own, own_and_shared
from tests.flows.commanding import WAIT_SECONDS, environment
from tests.flows.crawled import path_of
from tests.flows.harvesting import SOURCE, Shelf, make_shelf
from tests.flows.serving import NAME, serving, stocked
from tests.flows.test_fixtures import Depot, files
from tests.flows.test_resume import until
from windrow.search.record_addresses import record_path

EVERY = 60  # of the files with real answers, one in so many
DOCUMENTED = "http://127.0.0.1:8000"


def commands() -> str:
    """What the page tells people to type that is not Windrow's."""
    blocks = page("docs/howto/index-with-any-site-indexer.md").blocks
    (found,) = [block for block in blocks if block.language == "sh" and "wget" in block.text]
    return "\n".join(lines(found))


def crawl(shelf: Shelf, folder: Path) -> tuple[int, Counter[str]]:
    """Do what the page says; give the number it prints, and how often each record's page was met."""
    if shutil.which("wget") is None:
        missing("there is no wget on this machine")
    with serving(shelf.folder) as server:
        until(lambda: server.ask("/sitemap.xml").status == 200)
        done = subprocess.run(
            ["sh", "-e", "-c", commands().replace(DOCUMENTED, server.url)],
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
            check=True,
        )
    met = (f"/{path_of(url)}" for url in re.findall(r"URL:(\S+) ", (folder / "crawl.log").read_text()))
    return int(done.stdout), Counter(path for path in met if path.startswith("/record/"))


def wanted(shelf: Shelf, name: str) -> Counter[str]:
    return Counter(unquote(record_path(name, identifier)) for identifier in shelf.live(name=name))


def test_the_crawl_of_the_how_to_finds_every_record_once(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "library", records=300)
    number, met = crawl(shelf, tmp_path)
    assert met == wanted(shelf, NAME)
    assert number == len(met)


@own_and_shared
def test_the_crawl_of_the_how_to_finds_records_of_all_kinds_once(tmp_path: Path, place: Place) -> None:
    (tmp_path / "library").mkdir()
    shelf = make_shelf(tmp_path / "library")
    Depot(shelf).put_all(files(place("oai"))[:: 1 if place is own else EVERY])
    number, met = crawl(shelf, tmp_path)
    assert len(met) > (40 if place is own else 100)
    assert met == wanted(shelf, SOURCE)
    assert number == len(met)
