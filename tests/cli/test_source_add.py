"""`windrow source add`: asks first, adds only what answers."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.servers.fault import Fault
from tests.servers.faults.transport import Busy, Failing
from tests.servers.items import make_items
from tests.servers.oai import DAYS, OaiServer
from tests.servers.shapes import dspace
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return make_cli(tmp_path, monkeypatch, capsys)


def test_a_source_that_answers_is_added_with_a_word_about_it(cli: Cli) -> None:
    with DemoServer(Repository(10)) as server:
        result = cli("source", "add", "demo", server.url)
        assert result.code == 0
        assert result.out.startswith("Added demo: Windrow demo: invented theses (dates by the second; ")
        assert "deletions are reported; offers oai_dc, kk, marcxml, qdc" in result.out
        assert tomllib.loads(cli.toml)["sources"] == {"demo": {"url": server.url}}


def test_a_repository_is_introduced_by_what_it_says(cli: Cli) -> None:
    with OaiServer(make_items(3), granularity=DAYS, deleted="no", formats=("oai_dc", "mods")) as server:
        result = cli("source", "add", "other", server.url)
        assert "dates by the day; deletions are not reported; offers oai_dc, mods" in result.out


def test_the_flags_become_settings(cli: Cli) -> None:
    with OaiServer(make_items(3), formats=("oai_dc", "mods")) as server:
        result = cli(
            *("source", "add", "other", server.url, "--format", "mods", "--format", "oai_dc"),
            *("--set", "law", "--from", "2020-01-01", "--until", "2020-12-31", "--mode", "list"),
            *("--window", "year", "--granularity", "day", "--delay", "0.001", "--timeout", "5s"),
            *("--header", "Accept-Language: en", "--header", "X-Key: secret"),
            *("--set-option", "attempts=2", "--set-option", "reconcile=never"),
        )
        assert result.code == 0, result.err
        assert tomllib.loads(cli.toml)["sources"]["other"] == {
            "url": server.url,
            "formats": ["mods", "oai_dc"],
            "sets": ["law"],
            "from": "2020-01-01",
            "until": "2020-12-31",
            "mode": "list",
            "window": "year",
            "granularity": "day",
            "delay": "0.001s",
            "timeout": "5s",
            "attempts": 2,
            "reconcile": "never",
            "headers": {"Accept-Language": "en", "X-Key": "secret"},
        }


def test_the_first_question_is_asked_with_the_headers_and_the_password_of_the_source(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_PASSWORD", "open sesame")
    with OaiServer(make_items(1)) as server:
        result = cli(
            *("source", "add", "locked", server.url, "--username", "ali", "--password-env", "MY_PASSWORD"),
            *("--header", "X-Key: secret"),
        )
        assert result.code == 0
        assert {request.headers.get("x-key") for request in server.requests} == {"secret"}
        assert all(request.headers["authorization"].startswith("Basic ") for request in server.requests)
    assert "open sesame" not in cli.toml


def test_json_tells_what_was_added_without_secrets(cli: Cli) -> None:
    with OaiServer(make_items(1)) as server:
        result = cli("source", "add", "other", server.url, "--header", "X-Key: secret", "--json")
        assert result.json["source"] == "other"
        assert result.json["settings"] == {"url": server.url, "headers": "X-Key: ********"}
        assert result.json["repository"]["name"] == "Test"
        assert result.json["repository"]["formats"] == ["oai_dc"]


def test_an_address_that_does_not_answer_is_not_added(cli: Cli) -> None:
    with OaiServer([]) as server:
        url = server.url
    before = cli.toml
    result = cli("source", "add", "gone", url)
    assert result.code == 1
    assert "the connection was refused" in result.err
    assert "Nothing was added; --no-check adds it all the same." in result.words
    assert cli.toml == before


def test_no_check_asks_nothing(cli: Cli) -> None:
    with OaiServer(make_items(1)) as server:
        result = cli("source", "add", "later", server.url, "--no-check")
        assert result.code == 0
        assert result.out == "Added later.\n"
        assert server.requests == []
    assert "[sources.later]" in cli.toml


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("HTML page", 'an HTML page titled "Welcome" instead of OAI-PMH'),
        ("bot wall", "a page against robots (Cloudflare)"),
        ("redirect loop", "redirects lead in a circle"),
    ],
)
def test_what_is_not_oai_pmh_is_named_and_not_added(cli: Cli, fault: str, words: str) -> None:
    before = cli.toml
    with OaiServer(make_items(1), fault) as server:
        result = cli("source", "add", "wrong", server.url)
    assert result.code == 1
    assert words in result.words
    assert "--no-check" in result.words
    assert cli.toml == before


def test_a_repository_that_wants_to_rest_is_not_added_now(cli: Cli) -> None:
    with OaiServer(make_items(1), Busy(503, "86400", times=None, verbs=("Identify",))) as server:
        result = cli("source", "add", "busy", server.url)
    assert result.code == 75
    assert "asked to be left alone until" in result.err
    assert "Try again then; the server asked for that time. Nothing was added; --no-check" in result.words
    assert "[sources.busy]" not in cli.toml


def test_a_format_that_is_not_offered_is_refused_with_those_that_are(cli: Cli) -> None:
    with OaiServer(make_items(1), formats=("oai_dc", "mods")) as server:
        result = cli("source", "add", "other", server.url, "--format", "marcxml")
    assert result.code == 2
    assert "does not offer marcxml; it offers oai_dc, mods" in result.words
    assert "[sources.other]" not in cli.toml


def test_a_repository_without_the_usual_format_is_refused_until_one_is_named(cli: Cli) -> None:
    with OaiServer(make_items(1), formats=("mods",)) as server:
        refused = cli("source", "add", "other", server.url)
        assert refused.code == 2
        assert "it offers mods" in refused.words
        assert cli("source", "add", "other", server.url, "--format", "mods").code == 0


def test_a_name_that_is_taken_is_refused_before_anything_is_asked(cli: Cli) -> None:
    with OaiServer(make_items(1)) as server:
        assert cli("source", "add", "twice", server.url).code == 0
        asked = len(server.requests)
        result = cli("source", "add", "twice", server.url)
        assert len(server.requests) == asked
    assert result.code == 2
    assert "there is already a source twice" in result.err
    assert "windrow source edit twice" in result.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Bad Name", "https://repository.example/oai"), "cannot be the name of a source"),
        (("good", "ftp://repository.example/oai"), "must be an address that begins with http:// or https://"),
        (("good", "https://repository.example/oai", "--mode", "fast"), 'must be one of "auto", "list"'),
        (("good", "https://repository.example/oai", "--delay", "soon"), "must be a duration"),
        (
            ("good", "https://repository.example/oai", "--header", "nonsense"),
            "must be written as 'Name: value'",
        ),
        (("good", "https://repository.example/oai", "--set-option", "fomats=x"), 'Did you mean "formats"?'),
        (("good", "https://repository.example/oai", "--set-option", "formats"), "has no value"),
    ],
)
def test_what_makes_no_sense_is_refused_as_usage(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    before = cli.toml
    result = cli("source", "add", *arguments)
    assert result.code == 2
    assert words in result.words
    assert cli.toml == before


def test_an_address_copied_from_a_browser_loses_its_arguments(cli: Cli) -> None:
    with OaiServer(make_items(1)) as server:
        result = cli("source", "add", "pasted", f"{server.url}?key=1&verb=ListRecords&metadataPrefix=oai_dc")
        assert result.code == 0
        pasted = tomllib.loads(cli.toml)["sources"]["pasted"]
        assert (pasted["url"], pasted["secret_query"]) == (server.url, "key=1")


class _Coloured(Fault):
    """A repository whose name holds an order to the terminal."""

    def markup(self, xml: str) -> str:
        return xml.replace("<repositoryName>", "<repositoryName>\u009b31m")


def test_words_of_a_repository_cannot_give_orders_to_the_terminal(cli: Cli) -> None:
    with OaiServer(make_items(1), _Coloured()) as server:
        result = cli("source", "add", "odd", server.url)
    assert result.code == 0
    assert "31m" in result.out
    assert "\u009b" not in result.out


def test_sets_are_recognised_on_records_where_their_list_is_forbidden(cli: Cli) -> None:
    shape = dspace()
    forbidden = Failing(403, times=None, verbs=("ListSets",))
    with OaiServer(shape.items, forbidden, sets=shape.sets, page_size=200) as server:
        result = cli("source", "add", "shut", server.url)
    assert result.code == 0
    assert "Its sets (DSpace): 3 institutions (com_10024_1, " in result.err


@pytest.mark.parametrize("status", [503, 429, 202])
def test_a_repository_that_asks_for_time_again_and_again_gets_it(cli: Cli, status: int) -> None:
    busy = Busy(status, "0.3", times=4, verbs=("Identify", "ListMetadataFormats"))
    with OaiServer(make_items(1), busy) as server:
        result = cli("source", "add", "busy", server.url)
        assert result.code == 0, result.err
        assert len(server.requests) == 4 + 4  # with sets and identifiers
    assert "[sources.busy]" in cli.toml


def test_a_wait_is_shown_while_a_source_is_added(cli: Cli) -> None:
    with OaiServer(make_items(1), Busy(503, "1", verbs=("Identify",))) as server:
        result = cli("source", "add", "busy", server.url)
    assert result.code == 0
    assert "waiting 1 s: the server asked to come back later" in result.err


KNOWN = "https://hay.example/oai/request"


@pytest.mark.parametrize(
    "spelling",
    [
        KNOWN,
        "HTTPS://HAY.example:443/oai/request/",
        "https://ali:sesame@hay.example./oai/%72equest",
        f"{KNOWN}?verb=Identify",
    ],
)
def test_an_address_that_is_a_source_already_is_refused_with_its_name(cli: Cli, spelling: str) -> None:
    assert cli("source", "add", "hay", KNOWN, "--no-check").code == 0
    before = cli.toml
    result = cli("source", "add", "straw", spelling, "--no-check", "--set", "law")
    assert result.code == 2
    assert "is already the source hay" in result.err
    assert "windrow source edit hay --format PREFIX --set SPEC" in result.words
    assert "--again" in result.words
    assert "sesame" not in result.words
    assert cli.toml == before
    told = cli("source", "add", "straw", spelling, "--no-check", "--json")
    assert "is already the source hay" in told.json["message"]
    assert cli("source", "add", "straw", spelling, "--no-check", "--set", "law", "--again").code == 0
    assert "[sources.straw]" in cli.toml


def test_an_address_is_refused_before_anything_is_asked(cli: Cli) -> None:
    with OaiServer(make_items(1)) as server:
        assert cli("source", "add", "hay", server.url).code == 0
        server.requests.clear()
        assert cli("source", "add", "straw", server.url).code == 2
        assert server.requests == []


def test_an_address_that_differs_in_the_scheme_alone_is_added_with_a_hint(cli: Cli) -> None:
    assert cli("source", "add", "hay", KNOWN, "--no-check").code == 0
    plain = KNOWN.replace("https", "http")
    added = cli("source", "add", "straw", plain, "--no-check")
    assert added.code == 0
    assert "hay has the same address but for http and https" in added.err
    assert cli("source", "remove", "straw", "--yes").code == 0
    assert cli("source", "add", "straw", plain, "--no-check", "--json").json["same_address"] == ["hay"]


@pytest.mark.parametrize("other", ["/oai", "/oai/request?repository=2", "/OAI/request"])
def test_another_repository_of_the_same_server_is_added_without_a_word(cli: Cli, other: str) -> None:
    assert cli("source", "add", "hay", KNOWN, "--no-check").code == 0
    result = cli("source", "add", "straw", f"https://hay.example{other}", "--no-check")
    assert result.code == 0
    assert "hay" not in result.err.replace("hay.example", "")


def test_an_address_that_leads_to_a_known_one_is_refused(cli: Cli) -> None:
    with OaiServer(make_items(1), "moved permanently") as server:
        new = server.url.replace("/oai", "/oai/request")
        assert cli("source", "add", "hay", new).code == 0
        result = cli("source", "add", "straw", server.url)
    assert result.code == 2
    assert "is already the source hay" in result.err


def test_the_address_that_a_source_has_moved_to_is_refused(cli: Cli) -> None:
    with OaiServer(make_items(1), "moved permanently") as server:
        new = server.url.replace("/oai", "/oai/request")
        assert cli("source", "add", "hay", server.url).code == 0
        assert cli("harvest", "hay").code == 0
        result = cli("source", "add", "straw", new)
    assert result.code == 2
    assert "is where the source hay has moved to" in result.words
    assert f"windrow source edit hay --url {new}" in result.words


def test_a_folder_that_is_a_source_already_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    folder = str(tmp_path / "papers")
    assert cli("source", "add", "papers", folder, "--kind", "files", "--content", "documents").code == 0
    again = ("source", "add", "twice", f"{folder}/", "--kind", "files", "--content", "documents")
    assert "is already the source papers" in cli(*again).words
    assert cli(*again, "--again").code == 0
