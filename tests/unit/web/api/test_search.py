from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.search.papers import file_away
from tests.unit.web.api.office import SITE, Office, opened


def test_cursors_lead_through_everything_once(office: Office) -> None:
    page = office.get("/search", ("per_page", "7"), ("sort", "title"))
    seen = [item["identifier"] for item in page["items"]]
    while page["next"]:
        page = office.follow(page["next"])
        seen += [item["identifier"] for item in page["items"]]
    assert len(seen) == len(set(seen)) == page["total"] == 60


def test_the_way_on_is_in_the_link_header_too(office: Office) -> None:
    got = office.ask("/search", ("per_page", "7"))
    page = office.get("/search", ("per_page", "7"))
    assert got.headers["link"] == f'<{page["next"]}>; rel="next"'
    assert "link" not in office.ask("/search", ("q", "nothing at all")).headers


def test_a_result_leads_to_its_record_and_its_page(office: Office) -> None:
    item = office.get("/search", ("q", "meadows"))["items"][0]
    assert item["page"] == f"{SITE}/record/{item['source']}/{item['identifier']}"
    assert office.follow(item["record"])["identifier"] == item["identifier"]


def test_what_was_looked_for_is_marked_and_markup_stays_text(office: Office) -> None:
    item = office.get("/search", ("q", "meadows"), ("per_page", "1"))["items"][0]
    assert {"text": "Meadows", "marked": True} in item["highlights"]["title"]
    assert any(piece["marked"] for piece in item["highlights"]["description"])


def test_mistakes_and_corrections_are_told(office: Office) -> None:
    found = office.get("/search", ("q", '"medows'), ("match", "all"))
    assert (len(found["mistakes"]), found["match"], found["total"]) == (1, "all", 0)
    assert "meadows" in found["did_you_mean"]


def test_a_misspelt_word_is_searched_as_corrected_and_the_answer_says_so(office: Office) -> None:
    found = office.get("/search", ("q", "medows"))
    assert (found["match"], found["searched"]) == ("corrected", "meadows")
    assert found["corrections"] == [{"written": "medows", "searched": "meadows"}]
    assert found["items"] == office.get("/search", ("q", "meadows"))["items"]
    assert found["did_you_mean"] is None


def test_most_of_the_words_are_searched_where_no_record_has_all(office: Office) -> None:
    title = office.get("/search", ("q", "meadows"))["items"][0]["title"]
    found = office.get("/search", ("q", f"{title} xyzzyxyzzy"), ("per_page", "2"), ("facet", "type"))
    assert (found["match"], found["dropped"]) == ("most", ["xyzzyxyzzy"])
    assert (found["items"][0]["title"], found["items"][0]["missing"]) == (title, [])
    exactly = office.get("/search", ("q", found["searched"]), ("match", "all"), ("facet", "type"))
    assert (exactly["match"], exactly["total"], exactly["facets"]) == ("all", found["total"], found["facets"])
    for path in ("/facets", "/browse/types"):  # counts never widen
        answer = office.get(path, ("q", f"{title} xyzzyxyzzy"), *([("field", "type")] * (path == "/facets")))
        assert answer.get("total", 0) == 0
        assert not answer.get("items")


def test_partial_matches_can_be_walked_through(office: Office) -> None:
    asked = [("q", "meadows nurses xyzzyxyzzy"), ("per_page", "1")]
    first = office.get("/search", *asked)
    assert first["match"] in ("most", "some")
    seen = [item["identifier"] for item in first["items"]]
    cursor = re.findall("cursor=([^&]+)", first["next"] or "")
    while cursor and len(seen) < first["total"]:
        page = office.get("/search", *asked, ("cursor", unquote(cursor[0].replace("+", " "))))
        seen += [item["identifier"] for item in page["items"]]
        cursor = re.findall("cursor=([^&]+)", page["next"] or "")
    assert len(seen) == first["total"] > 1
    assert len(set(seen)) == len(seen)


def test_signs_that_found_nothing_come_with_the_plain_words(office: Office) -> None:
    found = office.get("/search", ("q", "meadows -meadows"))
    total = office.get("/search", ("q", "meadows"))["total"]
    assert (found["total"], found["as_words"]) == (0, {"q": "meadows meadows", "total": total})
    assert office.get("/search", ("q", "meadows"))["as_words"] is None


def test_facets_come_with_the_results_and_alone(office: Office) -> None:
    found = office.get("/search", ("facet", "type"), ("facet", "year"), ("type", "Article"))
    alone = office.get("/facets", ("field", "type"), ("field", "year"), ("type", "Article"))
    assert found["facets"] == alone["facets"]
    assert [facet["field"] for facet in alone["facets"]] == ["type", "year"]
    types = {value["value"]: value for value in alone["facets"][0]["values"]}
    assert types["Article"]["selected"]
    assert sum(value["count"] for value in types.values()) == 60
    assert alone["total"] == 20


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (("per_page", "101"), "from 1 to 100"),
        (("per_page", "x"), "from 1 to 100"),
        (("sort", "colour"), "relevance"),
        (("year", "soon"), "2010..2014"),
        (("lanugage", "fi"), 'did you mean language?", "errors"'),
        (("page", "2"), "is no parameter here"),
        (("collection", "east"), '"There is no collection east."'),
        (("size", "10 MB"), '"10 MB is neither a size in bytes nor sizes as in 10000..99999."'),
        (("cursor", "nonsense"), ""),
    ],
)
def test_nonsense_is_refused_with_a_sentence(office: Office, pair: tuple[str, str], words: str) -> None:
    got = office.ask("/search", pair)
    assert got.status == 400
    assert got.headers["content-type"] == "application/problem+json"
    assert words in got.text


def test_every_fault_is_told_by_its_parameter(office: Office) -> None:
    problem = json.loads(office.ask("/search", ("per_page", "0"), ("sort", "x"), ("q", "a"), ("q", "b")).body)
    assert [fault["parameter"] for fault in problem["errors"]] == ["per_page", "sort", "q"]
    assert (problem["status"], problem["title"], problem["type"]) == (400, "Bad Request", "about:blank")


def test_an_empty_parameter_counts_as_not_given(office: Office) -> None:
    assert office.get("/search", ("q", ""), ("language", ""))["total"] == 60


def test_letters_are_walked_through_with_a_cursor(office: Office) -> None:
    page = office.get("/browse/creators", ("per_page", "1"))
    names = [item["value"] for item in page["items"]]
    while page["next"]:
        page = office.follow(page["next"])
        names += [item["value"] for item in page["items"]]
    assert names == ["Äng, Örjan", "Mower, Ann", "Niitty, Kaisa", "Rake, Bo"]
    assert [letter["value"] for letter in page["letters"]] == ["A", "M", "N", "R"]


def test_statistics_are_made_by_whoever_registered_them(office: Office) -> None:
    found = office.get("/statistics/totals", ("language", "sv"))
    assert found["name"] == "totals"
    assert found["table"]["rows"] == [{"total": 20, "filter": [["language", "sv"]]}]
    assert office.ask("/statistics/weather").status == 404


def test_collections_and_sources_are_counted_without_secrets(office: Office) -> None:
    (north,) = office.get("/collections")["items"]
    assert (north["name"], north["title"], north["records"]) == ("north", "The north", 40)
    assert office.follow(north["search"])["total"] == 40
    sources = {each["name"]: each for each in office.get("/sources")["items"]}
    assert (sources["hay"]["records"], sources["hay"]["deleted"], sources["oats"]["records"]) == (40, 1, 20)
    assert "secret" not in office.ask("/sources").text
    assert office.get("/sources/oats") == sources["oats"]
    assert office.ask("/sources/straw").status == 404


def test_a_hit_in_the_text_of_a_file_says_where_and_leads_to_it(tmp_path: Path) -> None:
    def stocking(catalogue: Catalogue) -> None:
        file_away(catalogue, "a.pdf", "Nothing.", "The stubble was wet.", size=99)

    with opened(tmp_path, stocking=stocking) as office:
        (item,) = office.get("/search", ("q", "stubble"))["items"]
        assert item["passage"]["page"] == 2
        assert item["passage"]["text"] == "The stubble was wet."
        assert {"text": "stubble", "marked": True} in item["passage"]["pieces"]
        end = "/hay/https:%2F%2Fhay.example%2Fa.pdf"
        assert item["file"] == {
            "media_type": "application/pdf",
            "size": 99,
            "original": f"{SITE}/document/original{end}",
            "picture": f"{SITE}/document/picture{end}",
            "text": f"{SITE}/document/text{end}",
        }
        found = office.follow(item["record"])["document"]
        assert found["file"]["path"] == "a.pdf"
        assert "stubble" not in str(found)
