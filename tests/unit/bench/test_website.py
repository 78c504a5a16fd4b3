"""The bench's web site: as many files, bytes and links as promised, the same on every machine."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest
from bench import website

FILES = 300
LINK = re.compile(rb'href="([^"]*)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> website.Website:
    return website.write(tmp_path_factory.mktemp("www"), files=FILES)


def links(folder: Path, path: str) -> set[str]:
    if not path.endswith(".html"):
        return set()
    return {unquote(urljoin(path, link.decode())) for link in LINK.findall((folder / path).read_bytes())}


def test_the_usual_plan_has_the_files_bytes_and_reachable_pages_of_the_published_experiment() -> None:
    entries, reachable = website.plan(website.FILES)
    assert len({entry.path for entry in entries}) == 5_268
    assert sum(entry.size for entry in entries) == 292_000_000
    assert len(reachable) == 709


def test_following_links_from_the_home_page_reaches_exactly_what_is_called_reachable(
    site: website.Website,
) -> None:
    found: set[str] = set()
    waiting = {website.HOME}
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= links(site.folder, path) - found
    assert found == site.reachable
    assert len(found) == round(FILES * website.REACHABLE / website.FILES)


def test_no_link_of_any_page_leads_nowhere(site: website.Website) -> None:
    everything = {entry.path for entry in site.entries}
    assert set().union(*(links(site.folder, path) for path in everything)) <= everything


def test_the_list_of_all_files_links_to_each_of_them_once(site: website.Website) -> None:
    page = website.seed_page(entry.path for entry in site.entries)
    assert sorted(unquote(link.decode()) for link in LINK.findall(page)) == sorted(site.hashes())


def test_the_same_site_is_written_byte_for_byte_again(site: website.Website, tmp_path: Path) -> None:
    again = website.write(tmp_path, files=FILES)
    assert again.hashes() == {entry.path: website.sha256(website.content(entry, 0)) for entry in site.entries}
    assert {path.stat().st_mtime for path in tmp_path.rglob("*.*")} == {
        website.FIRST_MODIFIED + entry.number * 997 for entry in site.entries
    }


def test_touching_rewrites_a_quarter_and_leaves_the_rest_alone(tmp_path: Path) -> None:
    site = website.write(tmp_path, files=80)
    before = site.hashes()
    modified = {path: (tmp_path / path).stat().st_mtime for path in before}
    touched = site.touch()
    after = site.hashes()
    assert len(touched) == 20
    assert {path for path in before if after[path] != before[path]} == touched
    assert {path for path in before if (tmp_path / path).stat().st_mtime != modified[path]} == touched


def test_another_quarter_is_touched_the_next_time(tmp_path: Path) -> None:
    site = website.write(tmp_path, files=80)
    assert site.touch() != site.touch()
