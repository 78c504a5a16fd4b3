from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.config.library import make_library
from windrow.config.loader import load
from windrow.config.serve_settings import CrawlerSettings
from windrow.config.settings_reference import rows
from windrow.errors import ConfigError

WHOLE = """\
[crawlers]
delay = "2s"
requests_per_second = 3
network_burst = 50
keep_days = 30

[crawlers.good.google]
agent = "Googlebot"
networks = ["192.0.2.0/24", "2001:db8::/32"]
burst = 0

[crawlers.good.our-own]
agent = "ourbot"
"""


def test_the_budget_and_the_good_crawlers_are_read_into_types(tmp_path: Path) -> None:
    config = load(make_library(tmp_path, WHOLE), environ={})
    crawlers = config.crawlers
    assert (crawlers.delay, crawlers.requests_per_second, crawlers.network_burst) == (2.0, 3, 50)
    assert crawlers.keep_days == 30
    google, own = config.good_crawlers["google"], config.good_crawlers["our-own"]
    assert (google.name, google.agent, google.burst) == ("google", "Googlebot", 0)
    assert google.networks == ("192.0.2.0/24", "2001:db8::/32")
    assert (own.networks, own.requests_per_second) == ((), 50)


def test_a_library_that_says_nothing_of_crawlers_has_a_generous_budget_and_no_good_ones(
    tmp_path: Path,
) -> None:
    config = load(make_library(tmp_path), environ={})
    assert config.crawlers == CrawlerSettings()
    assert config.good_crawlers == {}
    assert config.crawlers.delay == 0
    assert config.crawlers.network_requests_per_second > config.crawlers.requests_per_second > 0


def test_good_crawlers_are_among_the_rows_with_who_set_them(tmp_path: Path) -> None:
    shown = {
        row.key: (row.value, row.origin) for row in rows(load(make_library(tmp_path, WHOLE), environ={}))
    }
    assert shown["crawlers.good.google.agent"] == ("Googlebot", "windrow.toml")
    assert shown["crawlers.good.our-own.networks"] == ("", "default")
    assert shown["crawlers.delay"] == ("2s", "windrow.toml")


def test_the_budget_can_come_from_the_environment(tmp_path: Path) -> None:
    config = load(make_library(tmp_path, WHOLE), environ={"WINDROW_CRAWLERS_BURST": "7"})
    assert config.crawlers.burst == 7
    assert config.origins["crawlers.burst"] == "WINDROW_CRAWLERS_BURST"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("delay = 3", "crawlers.delay must be a duration"),
        ('delay = "-1s"', "crawlers.delay must be a duration"),
        ("burst = 0", "crawlers.burst must be a whole number from 1"),
        ("requests_per_second = 0.5", "crawlers.requests_per_second must be a whole number"),
        ("keep_days = 0", "crawlers.keep_days must be a whole number"),
        ("request_per_second = 1", 'Did you mean "requests_per_second"'),
        ("good = 3", r"crawlers.good must be tables, each written as \[crawlers.good.NAME\]"),
        ("good.google = 3", "crawlers.good.google must be a table"),
        ("good.google = {}", r"\[crawlers.good.google\] has no agent. A word of the User-Agent"),
        ('good.google = { agent = "" }', "crawlers.good.google.agent must have 3 characters at least"),
        ('good.google = { agent = "a  " }', "crawlers.good.google.agent must have 3 characters at least"),
        ('good.google = { agent = "Göögle" }', "crawlers.good.google.agent must be plain ASCII"),
        ('good.google = { agent = "bot", network = [] }', 'Did you mean "networks"'),
        ('good.google = { agent = "bot", networks = ["example.org"] }', "must be a list of IP addresses"),
        ('good."Big One" = { agent = "bot" }', "'Big One' cannot be the name of a crawler"),
    ],
)
def test_a_budget_that_cannot_be_is_refused(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(make_library(tmp_path, f"[crawlers]\n{line}\n"), environ={})
    assert "line 2: " in str(caught.value)
    assert re.search(said, str(caught.value)), str(caught.value)
