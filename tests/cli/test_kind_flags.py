"""The flags of `source add` and `source edit` that a kind of source brings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.cli.sourcing import Cli
from windrow.config import kinds, source_kinds
from windrow.config.fields import setting
from windrow.config.schema import SourceSettings
from windrow.config.source_kinds import KindDescription


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SiteSettings(SourceSettings):
    """A site."""

    start: tuple[str, ...] = setting(kinds.LINES, [], "Where to begin.")
    private: bool = setting(kinds.FLAG, False, "Whether private addresses are asked.")
    revisit: float = setting(kinds.duration("1s", "365d"), "30d", "How often to look again.")
    content: str = setting(kinds.choice("metadata", "pages"), "metadata", "What becomes a record.")


class _Site(KindDescription[SiteSettings]):
    __slots__ = ()

    def default_url(self, name: str, given: Mapping[str, object]) -> str:
        return f"urn:windrow:site:{name}"


SITE = _Site(
    name="site",
    label="a site",
    plural="sites",
    settings=SiteSettings,
    behaviour="nowhere:NOTHING",
    argument="",
    flags=("start", "private", "revisit", "content"),
)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_kinds, "plugged_in_kinds", lambda: {"site": SITE})


def table(cli: Cli) -> dict[str, object]:
    found: dict[str, object] = tomllib.loads(cli.toml)["sources"]["mine"]
    return found


def test_flags_of_a_kind_become_its_options(cli: Cli) -> None:
    words = ("--start", "https://a.example/", "--start", "https://b.example/?a=b,c", "--revisit", "7d")
    result = cli(
        "source", "add", "mine", "--kind", "site", *words, "--private", "--content", "pages", "--no-check"
    )
    assert result.code == 0, result.err
    assert table(cli) == {
        "kind": "site",
        "start": ["https://a.example/", "https://b.example/?a=b,c"],
        "private": True,
        "revisit": "7d",
        "content": "pages",
    }
    assert cli("source", "edit", "mine", "--no-private", "--content", "metadata").code == 0
    assert (table(cli)["private"], table(cli)["content"]) == (False, "metadata")


def test_a_flag_of_another_kind_is_refused(cli: Cli) -> None:
    result = cli("source", "add", "mine", "https://a.example.org/oai", "--private", "--no-check")
    assert 'and sites (kind = "site")' in result.words
    assert result.code != 0
    result = cli("source", "add", "mine", "--kind", "site", "--content", "documents", "--no-check")
    assert 'content must be one of "metadata", "pages"' in result.words


def test_a_kind_whose_code_is_not_there_says_so(cli: Cli) -> None:
    assert cli("source", "add", "mine", "--kind", "site", "--no-check").code == 0
    result = cli("harvest", "mine")
    assert "the kind of source at nowhere:NOTHING cannot be loaded" in result.words
