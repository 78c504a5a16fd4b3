"""`windrow index`: up to date, anew, looked at, compared with the library."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.cli.looking import NAME, harvested, opened
from tests.cli.sourcing import Cli
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from tests.unit.index import harm
from windrow.index.generations import Generations, GenerationState

RECORDS = 12


@pytest.fixture
def stocked(cli: Cli) -> Cli:
    with OaiServer(make_items(RECORDS)) as server:
        harvested(cli, server)
    return cli


def test_it_is_made_brought_up_to_date_and_says_so(stocked: Cli) -> None:
    result = stocked("index")
    assert result.code == 0
    assert "there was none" in result.out
    assert f"{RECORDS} records can be found." in result.out
    assert "Nothing is new." in stocked("index").out


def test_programs_get_the_same_as_json(stocked: Cli) -> None:
    first = stocked("index", "--json").json
    assert (first["put"], first["built"], first["records"]) == (RECORDS, True, RECORDS)
    again = stocked("index", "--rebuild", "--json").json
    assert (again["put"], again["built"], again["reason"]) == (RECORDS, True, "it was asked for")


def test_status_tells_how_far_it_is(stocked: Cli) -> None:
    assert "There is no index yet." in stocked("index", "status").out
    assert stocked("index", "status", "--json").json["generation"] is None
    stocked("index")
    told = stocked("index", "status", "--json").json
    assert (told["generation"], told["records"], told["behind"]) == ("g-000001", RECORDS, 0)
    assert "Up to date   yes" in stocked("index", "status").out


def test_a_harvest_brings_an_index_up_to_date_and_does_not_make_one(cli: Cli) -> None:
    items = make_items(RECORDS)
    with OaiServer(items[:5]) as server:
        harvested(cli, server)
    assert cli("index", "status", "--json").json["generation"] is None
    cli("index")
    with OaiServer(items) as server:
        assert cli("source", "edit", NAME, "--url", server.url).code == 0
        assert cli("harvest", "--full", "--no-index").code == 0
        assert cli("index", "status", "--json").json["behind"] == RECORDS - 5
        assert "behind by 7 changes" in cli("index", "status").out
        cli("harvest", "--full")
    assert cli("index", "status", "--json").json["behind"] == 0
    assert cli("index", "check").code == 0


def test_check_ends_with_1_where_something_differs_and_fix_puts_it_right(stocked: Cli) -> None:
    stocked("index")
    assert stocked("index", "check").code == 0
    with opened(stocked) as store, store.writing() as connection:
        connection.execute("DELETE FROM payload WHERE record_id = 3", ())
        connection.execute("DELETE FROM record WHERE id = 3", ())
    result = stocked("index", "check")
    assert result.code == 1
    assert "unknown to the library" in result.out
    told = stocked("index", "check", "--json")
    assert (told.code, told.json["in_library"], told.json["in_index"]) == (1, RECORDS - 1, RECORDS)
    assert told.json["differences"][0]["number"] == 3
    assert stocked("index", "check", "--fix").code == 0
    assert stocked("index", "check").code == 0


@pytest.mark.parametrize("mending", [("index",), ("index", "check", "--fix")])
def test_a_state_that_tells_of_other_fields_is_put_right(stocked: Cli, mending: tuple[str, ...]) -> None:
    stocked("index")
    generations = Generations(stocked.folder / "index")
    found = generations.current_state()
    assert found is not None
    generations.note(found[0], replace(found[1], shape="another"))
    assert stocked("index", "status", "--json").json["made_otherwise"] is True
    assert "windrow index" in stocked("search", "").err
    assert stocked(*mending).code == 0
    told = stocked("index", "status", "--json").json
    assert (told["made_otherwise"], told["records"]) == (False, RECORDS)


def test_there_is_nothing_to_check_where_there_is_no_index(stocked: Cli) -> None:
    result = stocked("index", "check")
    assert result.code == 2
    assert "windrow index" in result.err


def test_removing_a_source_takes_it_out_of_the_index(stocked: Cli) -> None:
    stocked("index")
    stocked("source", "remove", NAME, "--yes")
    assert stocked("index", "status", "--json").json["records"] == 0
    assert stocked("index", "check").code == 0


def test_mapping_again_builds_the_index_anew(stocked: Cli) -> None:
    stocked("rebuild")
    assert Generations(stocked.folder / "index").current() is None
    stocked("index")
    stocked("rebuild")
    assert Generations(stocked.folder / "index").current() == "g-000002"


def test_trace_tells_whether_a_search_can_find_the_record(stocked: Cli) -> None:
    (hit,) = stocked("search", "*", "--limit", "1", "--json").json.get("hits", [{}]) or [{}]
    assert hit == {}
    stocked("index")
    (hit,) = stocked("search", "*", "--limit", "1", "--json").json["hits"]
    traced = stocked("trace", hit["identifier"], "--offline", "--json").json[0]
    assert traced["in_index"] == "there"
    assert "a search can find it" in stocked("trace", hit["identifier"], "--offline").out


def test_the_doctor_looks_at_the_index(stocked: Cli) -> None:
    def told() -> tuple[str, str]:
        (found,) = [each for each in stocked("doctor", "--json").json if each["what"] == "index"]
        return found["level"], found["detail"]

    assert told()[0] == "ok"
    stocked("index")
    assert told() == ("ok", told()[1])
    assert "up to date" in told()[1]
    (stocked.folder / "index" / "g-000001" / "meta.json").write_bytes(b"{")
    assert told() == ("problem", "it cannot be read: meta.json cannot be read")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("index", "check"), 1),
        (("index", "status"), 0),
        (("search", "x"), 1),
        (("stats",), 1),
        (("doctor",), 1),
    ],
)
def test_a_damaged_index_is_told_in_words_with_the_next_step(
    stocked: Cli, arguments: tuple[str, ...], code: int
) -> None:
    stocked("index")
    harm.replace(stocked.folder / "index" / "g-000001")
    result = stocked(*arguments)
    assert result.code == code
    assert "is not as it was written" in result.words
    assert "windrow index --rebuild" in result.words
    assert "Traceback" not in result.words


@pytest.mark.parametrize("arguments", [("index",), ("index", "--rebuild")])
def test_a_damaged_index_is_put_right_by_building_it(stocked: Cli, arguments: tuple[str, ...]) -> None:
    stocked("index")
    harm.replace(stocked.folder / "index" / "g-000001")
    assert stocked("index", "status", "--json").json["damaged"].endswith("is not as it was written")
    result = stocked(*arguments)
    assert result.code == 0
    assert "Built a new index" in result.out
    assert f"{RECORDS} records can be found." in result.out
    assert stocked("index", "check").code == 0
    assert stocked("index", "status", "--json").json["damaged"] is None


def test_a_harvest_puts_a_damaged_index_right(stocked: Cli) -> None:
    stocked("index")
    harm.replace(stocked.folder / "index" / "g-000001")
    with OaiServer(make_items(RECORDS + 1)) as server:
        assert stocked("source", "edit", NAME, "--url", server.url).code == 0
        stocked("harvest", "--full")
    assert stocked("index", "check").code == 0


def test_a_search_says_that_another_version_made_the_index(stocked: Cli) -> None:
    stocked("index")
    generations = Generations(stocked.folder / "index")
    generations.note("g-000001", GenerationState("another", "another", cursor=RECORDS, is_whole=True))
    result = stocked("search", "*")
    assert result.code == 2
    assert "another version" in result.words
    stocked("index")
    assert stocked("search", "*").code == 0
