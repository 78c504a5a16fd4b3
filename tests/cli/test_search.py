"""`windrow search`: looked up from a terminal."""

from __future__ import annotations

import pytest

from tests.cli.looking import harvested
from tests.cli.sourcing import Cli
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer


@pytest.fixture
def stocked(cli: Cli) -> Cli:
    with DemoServer(Repository(60)) as server:
        harvested(cli, server, "kk")
    assert cli("index").code == 0
    return cli


def test_what_was_found_is_a_table(stocked: Cli) -> None:
    result = stocked("search", "*", "--limit", "3")
    assert result.code == 0
    assert result.out.splitlines()[1].split() == ["year", "title", "by", "source", "identifier"]
    assert len(result.out.splitlines()) == 5


def test_programs_get_cards_and_counts(stocked: Cli) -> None:
    found = stocked("search", "*", "--limit", "2", "--facet", "language", "--facet", "year", "--json").json
    assert len(found["hits"]) == 2
    assert found["more"] == found["total"] - 2
    assert found["total"] == sum(each["count"] for each in found["facets"]["language"]["values"])
    assert {"title", "creators", "identifier", "score"} <= found["hits"][0].keys()
    assert found["facets"]["year"]["values"]


def test_results_come_in_the_order_that_was_asked_for(stocked: Cli) -> None:
    hits = stocked("search", "*", "--sort", "newest", "--limit", "100", "--json").json["hits"]
    years = [hit["year"] for hit in hits]
    assert years == sorted(years, reverse=True)
    assert stocked("search", "*", "--sort", "colour").code == 2


def test_a_mistake_is_explained_and_the_rest_searched(stocked: Cli) -> None:
    result = stocked("search", "language:(fi")
    assert result.code == 0
    assert "never closed" in result.err


@pytest.mark.parametrize(
    "query", ["year:abc", "year:..", "institution:", "date:2020-13-45", "-year:abc", '""']
)
def test_what_cannot_be_understood_finds_nothing_and_is_explained(stocked: Cli, query: str) -> None:
    result = stocked("search", "--", query)
    assert result.code == 1
    assert "At character" in result.err
    assert f"Nothing was found for {query}." in result.out
    assert stocked("search", "--json", "--", query).json["total"] == 0


@pytest.mark.parametrize("query", ["* OR year:abc", "language:fi OR -year:abc", "year:2000..2030"])
def test_what_was_found_is_headed_by_the_query_as_it_was_written(stocked: Cli, query: str) -> None:
    result = stocked("search", "--", query)
    assert result.code == 0
    assert result.out.splitlines()[0].endswith(f" records for {query}")


def test_whoever_has_the_library_may_ask_for_more_than_strangers(stocked: Cli) -> None:
    query = " OR ".join(f"*{first}{second}*" for first in "aeio" for second in "nrst")
    assert stocked("search", query).code == 0


def test_what_is_not_there_ends_with_1_and_another_spelling(stocked: Cli) -> None:
    title = stocked("search", "language:en", "--limit", "1", "--json").json["hits"][0]["title"]
    word = max(title.replace(":", " ").split(), key=len)
    assert word.isascii()
    wrong = f"{word[:3]}q{word[3:]}".lower()
    result = stocked("search", wrong, "--exact")
    assert result.code == 1
    assert word.lower() in result.err
    result = stocked("search", wrong)
    assert result.code == 0
    assert "--exact switches this off" in result.err
    found = stocked("search", wrong, "--json").json
    assert (found["match"], found["searched"]) == ("corrected", word.lower())
    assert f"“{word.lower()}” was searched instead of “{wrong}”." in result.err
    assert found["corrections"] == [{"written": wrong, "searched": word.lower()}]
    assert found["total"] == stocked("search", word, "--json").json["total"]


def test_words_of_which_no_record_has_all_find_those_with_most(stocked: Cli) -> None:
    title = stocked("search", "language:en", "--limit", "1", "--json").json["hits"][0]["title"]
    found = stocked("search", title.replace(":", " "), "xyzzyxyzzy", "--json").json
    assert found["match"] == "most"
    assert title in [hit["title"] for hit in found["hits"]]
    assert stocked("search", found["searched"], "--exact", "--json").json["total"] == found["total"]
    assert found["dropped"] == ["xyzzyxyzzy"]
    shown = stocked("search", title.replace(":", " "), "xyzzyxyzzy").err
    assert "these have most of them" in shown
    assert "In none of these: xyzzyxyzzy. A plus requires a word: +xyzzyxyzzy" in shown
    assert stocked("search", title.replace(":", " "), "xyzzyxyzzy", "--exact").code == 1


def test_each_hit_of_a_partial_match_shows_what_it_lacks(stocked: Cli) -> None:
    titles = [hit["title"] for hit in stocked("search", "language:en", "--limit", "2", "--json").json["hits"]]
    words = [max(title.replace(":", " ").split(), key=len) for title in titles]
    query = [*titles[0].replace(":", " ").split(), words[1]]
    found = stocked("search", *query, "--json").json
    assert found["match"] in ("most", "some")
    lacking = next(hit["missing"] for hit in found["hits"] if hit["title"] == titles[0])
    assert lacking == [words[1]]
    assert stocked("search", *query).out.splitlines()[1].split()[-1] == "without"


def test_signs_that_found_nothing_are_followed_by_the_plain_words(stocked: Cli) -> None:
    title = stocked("search", "language:en", "--limit", "1", "--json").json["hits"][0]["title"]
    word = max(title.replace(":", " ").split(), key=len)
    result = stocked("search", f"{word} -{word}")
    assert (result.code, "As plain words" in result.err) == (1, True)
    assert stocked("search", f"{word} -{word}", "--json").json["as_words"] == f"{word} {word}"
    assert stocked("search", word, "--json").json["as_words"] is None


def test_a_facet_that_cannot_be_counted_is_refused(stocked: Cli) -> None:
    result = stocked("search", "*", "--facet", "flavour")
    assert result.code == 2
    assert "institution" in result.err


def test_a_library_without_an_index_says_how_to_make_one(cli: Cli) -> None:
    result = cli("search", "hay")
    assert result.code == 2
    assert "windrow index" in result.err


def test_a_query_in_cql_says_what_it_is_understood_as(stocked: Cli) -> None:
    told = stocked(
        "search", "--cql", "dc.title = opinn* or cql.allRecords = 1 sortBy dc.date", "--limit", "3"
    )
    assert told.code == 0
    assert "Understood as: " in told.err
    found = stocked(
        "search", "--cql", "year >= 2000 sortBy year/descending", "--facet", "year", "--json"
    ).json
    years = [hit["year"] for hit in found["hits"]]
    assert years == sorted(years, reverse=True)
    assert found["query"] == "year:2000.."
    assert sum(each["count"] for each in found["facets"]["year"]["values"]) == found["total"]


def test_a_query_in_cql_that_finds_nothing_or_is_none_ends_so(stocked: Cli) -> None:
    assert stocked("search", "--cql", "dc.title = nothingatall").code == 1
    wrong = stocked("search", "--cql", "dc.nosuch = x")
    assert wrong.code == 2
    assert "Unsupported index: dc.nosuch" in wrong.err
    assert "diagnostic 16" in wrong.err
    assert stocked("search", "words", "--cql", "words").code == 2
    assert stocked("search").code == 2


def test_a_query_in_pqf_says_what_it_is_understood_as(stocked: Cli) -> None:
    told = stocked("search", "--pqf", "@or @attr 1=4 @attr 5=1 opinn @attr 1=31 @attr 2=4 2000")
    assert told.code == 0
    assert "Understood as: title:opinn* OR year:2000.." in told.err
    found = stocked("search", "--pqf", "@attr 1=31 @attr 2=4 2000", "--facet", "year", "--json").json
    assert (found["pqf"], found["query"]) == ("@attr 1=31 @attr 2=4 2000", "year:2000..")
    assert sum(each["count"] for each in found["facets"]["year"]["values"]) == found["total"]


def test_a_query_over_an_event_is_said_with_its_slots(stocked: Cli) -> None:
    settings = stocked.folder / "windrow.toml"
    settings.write_text(settings.read_text() + '\n[z3950]\nprofile = "studera"\n')
    told = stocked("search", "--pqf", '@attr gils 1=2017 @attr 5=102 ".*;2002p1;.*;2280;sv;.*"')
    assert told.code == 1
    assert 'event:(period:"2002p1" place:"2280" language:sv)' in told.err


def test_a_query_in_pqf_that_finds_nothing_or_is_none_ends_so(stocked: Cli) -> None:
    assert stocked("search", "--pqf", "nothingatall").code == 1
    wrong = stocked("search", "--pqf", "@attr 1=9999 x")
    assert (wrong.code, "use attribute is not possible: 9999" in wrong.err) == (2, True)
    assert "diagnostic 114" in wrong.err
    assert "PQF looks like this" in stocked("search", "--pqf", "@and x").err
    assert stocked("search", "--cql", "x", "--pqf", "x").code == 2
