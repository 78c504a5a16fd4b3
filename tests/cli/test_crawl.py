"""`windrow crawl` and the other commands on web sites, against sites on loopback."""

from __future__ import annotations

import io
import tomllib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.cli.sourcing import Cli, Result
from tests.servers.website import Reply, Website, page
from windrow.wiring import web_source

CONTACT = ("--contact", "robot@example.edu")
FAST = ("--private", "--interval", "0s")


@pytest.fixture
def website() -> Iterator[Website]:
    with Website() as made:
        made.routes |= {
            "/": page("Start", "/a", "/b", "/gone", "/broken", "/skip/x"),
            "/a": page("A", meta="id-a1"),
            "/b": page("B"),
            "/broken": Reply(b"", 500),
        }
        yield made


@pytest.fixture
def site(cli: Cli, website: Website) -> Website:
    """A web site that is a source."""
    assert add(cli, website).code == 0
    return website


Pipe = Callable[..., Result]


@pytest.fixture
def pipe(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Pipe:
    """Run a command with lines on its standard input."""

    def run(lines: str, *arguments: str) -> Result:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        return cli(*arguments)

    return run


def add(cli: Cli, website: Website, *more: str) -> Result:
    return cli("source", "add", "site", "--kind", "web", "--start", f"{website.url}/", *CONTACT, *FAST, *more)


def paths(website: Website, text: str) -> list[str]:
    return [line.removeprefix(website.url) for line in text.splitlines()]


# Adding and editing


def test_a_web_site_is_added_with_the_jobs_that_keep_it_current_suggested(cli: Cli, website: Website) -> None:
    result = add(cli, website, "--exclude", "/skip/")
    assert result.code == 0, result.err
    assert "1 start page, 0 allow and 1 exclude rules" in result.out
    assert "windrow schedule add-template site robot" in result.words
    assert tomllib.loads(cli.toml)["sources"]["site"] == {
        "kind": "web",
        "start": [f"{website.url}/"],
        "exclude": ["/skip/"],
        "contact": "robot@example.edu",
        "interval": "0s",
        "private": True,
    }
    assert [each.path for each in website.requests] == ["/robots.txt"]


def test_a_web_site_is_introduced_to_programs_as_well(cli: Cli, website: Website) -> None:
    found = add(cli, website, "--json").json
    assert found["web site"] == {
        "start": 1,
        "allow": 0,
        "exclude": 0,
        "interval_seconds": 0,
        "revisit_seconds": 30 * 86_400,
        "content": "metadata",
    }


def test_with_no_check_nothing_is_asked_for(cli: Cli, website: Website) -> None:
    assert add(cli, website, "--no-check").code == 0
    assert not website.requests


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--start", "{url}/", *FAST), "the robot needs a contact address"),
        ((*CONTACT, *FAST), "start must name at least one page, or start_file a file of them"),
        (("--start", "ftp://a.example/", *CONTACT), "must be addresses that begin with http:// or https://"),
        (("--start", "http://me@a.example/", *CONTACT), "use username and password_env"),
        (("--start", "{url}/", *CONTACT), "Is it a site of your own? Add it with --private."),
        (
            ("--start", "{url}/", *CONTACT, *FAST, "--allow-file", "allow.txt"),
            "allow.txt, line 3: '(a' is not a regular expression",
        ),
        (
            ("--start", "{url}/", *CONTACT, *FAST, "--exclude", "(a+)+x"),
            "may take for ever on some addresses",
        ),
        (("--start-file", "none.txt", *CONTACT, *FAST), "none.txt cannot be read: No such file"),
        (("--start", "{url}/", *CONTACT, "--interval", "soon"), "interval"),
    ],
)
def test_what_makes_no_web_site_is_refused_with_what_to_do(
    cli: Cli, website: Website, arguments: tuple[str, ...], words: str
) -> None:
    (cli.folder / "allow.txt").write_text("# rules\n/courses/\n(a\n")
    given = [argument.replace("{url}", website.url) for argument in arguments]
    result = cli("source", "add", "site", "--kind", "web", *given)
    assert result.code == 2
    assert words in result.words
    assert "site" not in tomllib.loads(cli.toml).get("sources", {})


def test_a_start_page_that_robots_txt_forbids_is_refused_with_the_line(cli: Cli, website: Website) -> None:
    website.routes["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /\n")
    result = add(cli, website)
    assert result.code == 2
    assert "keeps robots from the start page (Disallow: /" in result.words


def test_without_the_extra_packages_the_install_command_is_shown(
    cli: Cli, site: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_aiohttp(name: str, package: str | None = None) -> Any:
        return None if name == "aiohttp" else find_spec(name, package)

    monkeypatch.setattr(web_source, "find_spec", without_aiohttp)
    for command in (("harvest", "site"), ("crawl", "check", "site", site.url), ("source", "check", "site")):
        result = cli(*command)
        assert result.code == 2, command
        assert "packages that are not installed: aiohttp" in result.words
        assert "pip install '.[robot]'" in result.words
    assert "the robot needs packages that are not installed: aiohttp" in cli("doctor").words


def test_options_are_edited(cli: Cli, site: Website) -> None:
    result = cli("source", "edit", "site", "--revisit", "7d", "--require", "DC.Title")
    assert result.code == 0, result.err
    table = tomllib.loads(cli.toml)["sources"]["site"]
    assert (table["revisit"], table["require"]) == ("7d", ["DC.Title"])


def test_a_web_site_is_checked_by_its_rules_and_its_robots_txt(cli: Cli, site: Website) -> None:
    result = cli("source", "check", "site")
    assert result.code == 0
    assert "has no robots.txt; its start page is allowed" in result.words
    site.routes["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /\n")
    result = cli("source", "check", "site")
    assert "its start page is not: Disallow: /" in result.words
    (host,) = cli("source", "check", "site", "--json").json["hosts"]
    assert host == {"host": site.url.removeprefix("http://"), "robots": "rules", "is_allowed": False}


def test_a_dry_run_shows_what_would_be_asked_for_and_asks_for_nothing(cli: Cli, site: Website) -> None:
    before = len(site.requests)
    assert f"1 address is due: {site.url}/ Nothing was stored." in cli("harvest", "site", "--dry-run").words
    assert cli("harvest", "site").code == 3
    assert "No address is due now." in cli("harvest", "site", "--dry-run").words
    full = cli("harvest", "site", "--dry-run", "--full", "--limit", "2").out
    assert full.startswith(f"6 addresses are due; the first of them:\n  {site.url}/\n  {site.url}/a\n")
    assert len(site.paths()) == 6
    assert before == 1


# Showing


def test_a_source_that_is_a_web_site_is_shown_with_its_crawl_and_no_dates(cli: Cli, site: Website) -> None:
    fresh = cli("source", "show", "site").words
    assert "never harvested" in fresh
    cli("harvest", "site")
    shown = cli("source", "show", "site")
    assert "The next harvest" not in shown.out + fresh
    assert "crawl open addresses 6 known, 0 waiting unavailable 1, to be tried again" in shown.words
    facts = cli("source", "show", "site", "--json").json["facts"]
    assert facts == {
        "crawl": "open",
        "addresses": "6 known, 0 waiting",
        "unavailable": "1, to be tried again",
    }
    cli("crawl", "pause", "site")
    assert "windrow crawl open site" in cli("source", "show", "site").out


def test_the_status_of_a_crawl_is_shown_before_and_after_it(cli: Cli, site: Website) -> None:
    assert "site has not been crawled yet. Next: windrow harvest site" in cli("crawl", "status", "site").words
    assert cli("crawl", "status", "site", "--json").json["known"] == 0
    assert cli("crawl", "status", "site", "--json").json["workers"] == 0
    cli("harvest", "site")
    result = cli("crawl", "status", "site")
    host = site.url.removeprefix("http://")
    assert "The crawl of site is open; breadth first. 6 addresses known, 0 waiting." in result.words
    assert f"{host} 0 5 1 0 0 – none" in result.words
    found = cli("crawl", "status", "site", "--json").json
    assert found["states"] == {"done": 5, "retry": 1}
    assert (found["hosts"][0]["host"], found["hosts"][0]["done"]) == (host, 5)


def test_the_time_left_follows_from_the_slowest_host(cli: Cli, site: Website, pipe: Pipe) -> None:
    addresses = "".join(f"{site.url}/{number}\n" for number in range(180))
    pipe(addresses, "crawl", "load", "site")
    cli("source", "edit", "site", "--interval", "60s")
    host = site.url.removeprefix("http://")
    assert f"At least 3 hours to go, because of {host}." in cli("crawl", "status", "site").words
    assert f"time left at least 3 hours, because of {host}" in cli("source", "show", "site").words


def test_doctor_reports_a_crawl_that_is_paused(cli: Cli, site: Website) -> None:
    cli("harvest", "site")
    assert "the crawl of site is" not in cli("doctor").words
    cli("crawl", "pause", "site")
    assert "the crawl of site is paused" in cli("doctor").words


# Deciding


def test_check_names_what_decides(cli: Cli, site: Website) -> None:
    cli("source", "edit", "site", "--exclude", "/skip/")
    result = cli("crawl", "check", "site", f"{site.url}/a")
    assert result.code == 0
    assert (
        f"{site.url}/a would be fetched: on the host of a start page. robots not fetched yet" in result.words
    )
    result = cli("crawl", "check", "site", f"{site.url}/skip/x")
    assert result.code == 1
    assert "would not be fetched: excluded by /skip/. rule /skip/ (exclude, entry 1)" in result.words
    result = cli("crawl", "check", "site", "http://elsewhere.example/", "--json")
    assert (result.code, result.json["is_fetched"], result.json["decided_by"]) == (1, False, "outside")
    assert cli("crawl", "check", "site", "mailto:a@b.example").code == 1


def test_check_knows_the_line_of_robots_txt_and_what_became_of_a_page(cli: Cli, site: Website) -> None:
    site.routes["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /b\n")
    cli("harvest", "site")
    found = cli("crawl", "check", "site", f"{site.url}/b", "--json").json
    assert (found["is_fetched"], found["decided_by"], found["robots"]) == (
        False,
        "robots.txt",
        "Disallow: /b",
    )
    shown = cli("crawl", "check", "site", f"{site.url}/a").words
    assert "known done, record (status 200); record id-a1; fetched 20" in shown


def test_check_names_the_limit_that_decides(cli: Cli, site: Website) -> None:
    cli("harvest", "site")
    new = f"{site.url}/new/page"
    assert cli("crawl", "check", "site", new).code == 0
    cli("source", "edit", "site", "--set-option", "max_host_pages=6")
    found = cli("crawl", "check", "site", new, "--json").json
    assert (found["is_fetched"], found["decided_by"]) == (False, "limit")
    assert found["reason"] == "its host has too many addresses"
    cli("source", "edit", "site", "--allow", ".", "--set-option", "max_hosts=1")
    found = cli("crawl", "check", "site", "http://elsewhere.example/", "--json").json
    assert (found["decided_by"], found["reason"]) == ("limit", "the crawl has as many hosts as it may")


# Lists of addresses


def test_lists_of_addresses_are_told_apart(cli: Cli, site: Website, pipe: Pipe) -> None:
    cli("harvest", "site")
    pipe(f"{site.url}/later\n", "crawl", "load", "site")

    def listed(*arguments: str) -> list[str]:
        return paths(site, cli("crawl", "urls", "site", *arguments).out)

    everything = ["/", "/a", "/b", "/gone", "/broken", "/skip/x", "/later"]
    assert listed() == listed("--all") == everything
    assert listed("--new") == listed("--pending") == ["/later"]
    assert listed("--failed") == listed("--unavailable") == ["/broken"]
    assert listed("--dropped") == []
    assert listed("--missing") == [path for path in everything if path != "/a"]
    assert listed("--start") == ["/"]
    assert listed("--host", site.url.removeprefix("http://")) == everything
    assert listed("--host", "elsewhere.example") == []
    assert listed("--since", "1d") == everything
    assert listed("--since", f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}") == []
    (failed,) = cli("crawl", "urls", "site", "--failed", "--json").json
    assert (failed["state"], failed["outcome"], failed["failures"]) == ("retry", "status-500", 1)


def test_the_pipeline_of_combine_selects_and_loads(cli: Cli, site: Website, pipe: Pipe) -> None:
    cli("source", "edit", "site", "--exclude", "/skip/")
    wanted = f"# a list\n\n{site.url}/new\n{site.url}/new#again\n{site.url}/skip/1\nhttp://other.example/\n"
    selected = pipe(wanted, "crawl", "select", "site")
    assert paths(site, selected.out) == ["/new"]
    loaded = pipe(wanted, "crawl", "load", "site")
    assert loaded.out == "1 new address, 0 known (0 queued), 2 outside the rules.\n"
    again = pipe(selected.out, "crawl", "load", "site", "--json")
    assert again.json == {"source": "site", "new": 0, "known": 1, "queued": 0, "refused": 0}


def test_what_is_known_is_queued_when_it_is_due_or_by_force(cli: Cli, site: Website) -> None:
    cli("harvest", "site")
    assert "6 known (0 queued)" in cli("crawl", "load", "site", "--all").out
    assert "1 known (1 queued)" in cli("crawl", "load", "site", "--start", "--force").out
    assert "5 known (5 queued)" in cli("crawl", "load", "site", "--missing", "--since", "1d", "--force").out
    before = len(site.paths())
    result = cli("crawl", "load", "site", "--start", "--force", "--harvest")
    assert result.code == 3
    assert "/" in site.paths()[before:]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("load", "site", "--since", "3d"), "--since goes with --all or --missing"),
        (("urls", "site", "--since", "yesterday"), "'yesterday' is neither a date nor a duration"),
        (("order", "site", "sideways"), "there is no order 'sideways'"),
        (("status", "nothing"), "nothing"),
    ],
)
def test_what_cannot_be_meant_is_explained(
    cli: Cli, site: Website, arguments: tuple[str, ...], words: str
) -> None:
    result = cli("crawl", *arguments)
    assert result.code in (1, 2)
    assert words in result.words
    assert not site.paths()


def test_another_kind_of_source_is_no_web_site(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder: Path = tmp_path_factory.mktemp("www")
    assert (
        cli("source", "add", "www", str(folder), "--kind", "files", "--url", "https://a.example/").code == 0
    )
    result = cli("crawl", "status", "www")
    assert result.code == 2
    assert "www is not a web site" in result.words


# Control


def test_a_paused_crawl_asks_for_nothing_and_takes_addresses(cli: Cli, site: Website, pipe: Pipe) -> None:
    assert cli("crawl", "pause", "site").out == "The crawl of site is paused.\n"
    refused = cli("harvest", "site")
    assert refused.code == 75
    assert "the crawl of site is paused windrow crawl open site" in refused.words
    assert not site.paths()
    assert pipe(f"{site.url}/new\n", "crawl", "load", "site").code == 0
    assert "Next: windrow harvest site" in cli("crawl", "open", "site").words
    assert cli("harvest", "site").code == 3
    assert "/new" in site.paths()


def test_a_closed_crawl_takes_no_addresses_either(cli: Cli, site: Website, pipe: Pipe) -> None:
    assert cli("crawl", "close", "site", "--json").json == {
        "source": "site",
        "state": "closed",
        "workers": 0,
    }
    result = pipe(f"{site.url}/new\n", "crawl", "load", "site")
    assert result.code == 2
    assert "the crawl of site is closed" in result.words
    assert "windrow crawl open site" in result.words
    assert cli("harvest", "site").code == 75
    assert "closed" in cli("crawl", "status", "site").out


def test_the_order_decides_what_is_asked_for_first(cli: Cli, site: Website, pipe: Pipe) -> None:
    pipe("".join(f"{site.url}/{number}\n" for number in range(5)), "crawl", "load", "site")
    assert cli("crawl", "order", "site", "newest").out == "site is crawled newest first from now on.\n"
    cli("harvest", "site", "--limit", "2")
    assert cli("crawl", "order", "site", "oldest", "--json").json == {"source": "site", "order": "oldest"}
    assert cli("crawl", "status", "site", "--json").json["order"] == "oldest"
    assert site.paths()[0] == "/"
    assert "/0" not in site.paths()[1:2]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("?key=abc&page=1", "key"),
        ("?APIKey=abc", "APIKey"),
        ("?view=1;access_token=abc", "access_token"),
        ("?PHPSESSID=abc", "PHPSESSID"),
        ("?sig=abc", "sig"),
        ("?keyword=hay&author=x&design=y&passage=1", ""),
        ("", ""),
    ],
)
def test_a_parameter_that_looks_like_a_key_in_the_address_of_a_start_page_is_pointed_out(
    cli: Cli, website: Website, query: str, named: str
) -> None:
    added = cli(
        "source",
        "add",
        "site",
        "--kind",
        "web",
        "--start",
        f"{website.url}/{query}",
        *CONTACT,
        *FAST,
        "--no-check",
    )
    assert added.code == 0
    assert (f"If {named} in the address" in added.err) == bool(named)
    assert ("shown to everybody" in added.err) == bool(named)
