"""The URL space: rules as Perl matched them, which decides, and which are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixtures import Place, own_and_shared, studera
from windrow.errors import ConfigError
from windrow.sources.web.space import Rule, UrlSpace, Verdict, check_rule, read_rules, read_starts

START = ("http://www.example.edu/courses/",)


def space(allow: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> UrlSpace:
    return UrlSpace(
        START,
        read_rules(None, allow, what="allow"),
        read_rules(None, exclude, what="exclude"),
    )


def test_without_rules_the_hosts_of_the_start_pages_are_allowed() -> None:
    assert space().decide("http://www.example.edu/other").is_allowed
    assert space().decide("http://elsewhere.example/").verdict is Verdict.OUTSIDE


def test_a_rule_matches_anywhere_but_in_the_scheme() -> None:
    found = space(allow=(r"example\.org/a",))
    assert found.decide("https://www.example.org/abc").is_allowed
    assert not space(allow=("^https?:",)).decide("http://www.example.org/").is_allowed


def test_a_start_page_needs_no_rule() -> None:
    assert space(allow=("nothing",)).decide(START[0]).is_allowed


def test_exclude_wins_and_is_named() -> None:
    decision = space(allow=("example",), exclude=("OpenView",)).decide("http://www.example.edu/a?OpenView")
    assert decision.verdict is Verdict.EXCLUDED
    assert decision.rule == Rule("OpenView", "exclude, entry 1")


def test_lists_have_comments_and_name_the_line_of_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "allow.txt"
    file.write_text("# ours\nwww\\.example\\.edu  # the university\n\n[broken\n")
    with pytest.raises(ConfigError, match=r"allow\.txt, line 4: .*is not a regular expression"):
        read_rules(file, (), what="allow")
    file.write_text("# ours\nwww\\.example\\.edu  # the university\n")
    assert [rule.pattern for rule in read_rules(file, (), what="allow")] == [r"www\.example\.edu"]


def test_a_number_sign_inside_a_rule_is_no_comment(tmp_path: Path) -> None:
    file = tmp_path / "allow.txt"
    file.write_text("a#b\n")
    assert [rule.pattern for rule in read_rules(file, (), what="allow")] == ["a#b"]


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "(a|a)*b",
        "(a*)*",
        "(.*)*x",
        "(x+x+)+y",
        r"(\w+\d+)+-",
        "(.*a){12}x",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(?:a?){50}a{50}$",
        "((?:ab)+c?)+d",
    ],
)
def test_a_rule_that_backtracks_without_bound_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match=r"allow\.txt, line 7: .*may take for ever"):
        check_rule(Rule(pattern, "allow.txt, line 7"))


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:/[^/]+)+\.html$",
        "([^&]*&)*x=",
        r"www.*se/.*kurs.*kod",
        r"www2.du.se[^&]*&language=",
        "[Hh]yper[Tt]ext",
        r"^(?!www\.)[a-z.]+/utb",
    ],
)
def test_a_sound_rule_is_taken(pattern: str) -> None:
    check_rule(Rule(pattern, "allow, entry 1"))


def test_a_rule_that_loses_its_way_on_one_address_excludes_it() -> None:
    rule = Rule("(a+)+$", "exclude, entry 1")  # as if the check had missed it
    found = UrlSpace(START, (), (rule,))
    decision = found.decide("http://www.example.edu/" + "a" * 1000 + "!")
    assert not decision.is_allowed
    assert found.slow_rules == {rule}


def test_start_pages_are_named_by_their_line(tmp_path: Path) -> None:
    file = tmp_path / "start.txt"
    file.write_text("http://www.example.edu/\nnot an address\n")
    with pytest.raises(ConfigError, match=r"start\.txt, line 2"):
        read_starts(file, ())


@own_and_shared
def test_the_lists_of_studera_nu_are_read_whole(place: Place) -> None:
    folder, expected = place("studera"), studera(place)
    starts = read_starts(folder / "start.txt", ())
    allow = read_rules(folder / "allow.txt", (), what="allow")
    exclude = read_rules(folder / "exclude.txt", (), what="exclude")
    counts = (len(starts), len(allow), len(exclude))
    assert counts == (expected["starts"], expected["allow"], expected["exclude"])
    found = UrlSpace(starts, allow, exclude)
    course = found.decide(expected["url"].replace("http:", "https:"))
    assert course.rule is not None
    assert course.is_allowed
    assert course.rule.place.startswith("allow.txt, line ")
    assert found.decide(expected["excluded"]).verdict is Verdict.EXCLUDED
    assert all(found.decide(start).is_allowed for start in starts)
