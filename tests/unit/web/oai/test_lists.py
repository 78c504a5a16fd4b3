"""Lists: what is in them between two times, how they are cut into pages, and how tokens lead through them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.unit.web.oai.holdings import DAY, NOON, Holdings, dublin_core, gone, live, other
from windrow.protocols.oai.provider_request import format_request_date
from windrow.store import sources

MIDNIGHT = NOON - DAY // 2
PAGED = "[oai]\nrecords_per_page = 3\nidentifiers_per_page = 4\nsets_per_page = 2\n"
VERBS = pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers"])


def numbered(count: int) -> list[str]:
    return [f"oai:x:{number}" for number in range(count)]


class TestDates:
    @pytest.fixture
    def dated(self, library: Holdings) -> Holdings:
        """One record each: at the last second of 31 May, at the first and the last of 1 June, on 2 June."""
        for number, at in enumerate((MIDNIGHT - 1, MIDNIGHT, MIDNIGHT + DAY - 1, MIDNIGHT + DAY)):
            library.write(live(f"oai:x:{number}"), at=at)
        library.now = MIDNIGHT + 2 * DAY
        return library

    @VERBS
    @pytest.mark.parametrize(
        ("window", "expected"),
        [
            ({}, "0123"),
            ({"from_": "2024-06-01"}, "123"),
            ({"until": "2024-06-01"}, "012"),
            ({"from_": "2024-06-01", "until": "2024-06-01"}, "12"),
            ({"from_": "2024-06-01T00:00:00Z", "until": "2024-06-01T00:00:00Z"}, "1"),
            ({"from_": "2024-06-01T00:00:01Z"}, "23"),
            ({"until": "2024-06-01T23:59:58Z"}, "01"),
            ({"from_": "1990-01-01"}, "0123"),
            ({"from_": "2024-06-03"}, ""),
            ({"from_": "2199-12-31T23:59:59Z"}, ""),
            ({"until": "2199-12-31"}, "0123"),
            ({"until": "2024-05-30"}, ""),
            ({"from_": "0001-01-01", "until": "9999-12-31"}, "0123"),
        ],
    )
    def test_both_ends_are_included_and_a_day_is_whole(
        self, dated: Holdings, verb: str, window: dict[str, str], expected: str
    ) -> None:
        assert dated.listed(verb, **window) == [f"oai:x:{number}" for number in expected]
        asked = dated.ask(verb, metadataPrefix="oai_dc", **window)
        assert asked.errors == ([] if expected else ["noRecordsMatch"])

    @VERBS
    def test_a_record_is_in_the_list_of_its_own_datestamp(self, dated: Holdings, verb: str) -> None:
        for header in dated.ask("ListIdentifiers", metadataPrefix="oai_dc").headers:
            found = dated.ask(verb, metadataPrefix="oai_dc", from_=header.stamp, until=header.stamp)
            assert found.identifiers == [header.identifier]

    def test_the_datestamp_is_when_the_change_came_here_not_when_it_was_made(self, library: Holdings) -> None:
        library.write(live("oai:x:1", stamp="1999-01-01"))
        assert [header.stamp for header in library.ask("GetRecord", **ONE).headers] == [
            format_request_date(NOON)
        ]

    def test_what_comes_again_unchanged_keeps_its_datestamp(self, library: Holdings) -> None:
        library.write(live("oai:x:1", sets=("a",)))
        library.write(live("oai:x:1", sets=("a",), stamp="2024-01-01"), at=NOON + 60)
        assert library.ask("GetRecord", **ONE).headers[0].stamp == format_request_date(NOON)

    @pytest.mark.parametrize(
        "change",
        [live("oai:x:1", dublin_core("new")), live("oai:x:1", sets=("b",)), gone("oai:x:1")],
        ids=["payload", "sets", "deletion"],
    )
    def test_a_change_moves_the_datestamp_into_every_list_since_then(
        self, library: Holdings, change: object
    ) -> None:
        library.write(live("oai:x:1"), live("oai:x:2"))
        library.write(change, at=NOON + 60)  # type: ignore[arg-type]
        assert library.listed(from_=NOON + 1) == ["oai:x:1"]
        assert library.listed(until=NOON) == ["oai:x:2"]
        assert library.ask("GetRecord", **ONE).headers[0].stamp == format_request_date(NOON + 60)


ONE = {"identifier": "oai:x:1", "metadataPrefix": "oai_dc"}


class TestPages:
    @pytest.fixture
    def paged(self, library: Holdings) -> Holdings:
        library.configure(PAGED)
        library.write(*map(live, numbered(10)))
        return library

    @pytest.mark.parametrize(("verb", "limit"), [("ListRecords", 3), ("ListIdentifiers", 4)])
    @pytest.mark.parametrize("count", [1, 3, 4, 6, 8, 10, 12])
    def test_pages_tell_how_far_they_are_and_the_last_has_an_empty_token(
        self, library: Holdings, verb: str, limit: int, count: int
    ) -> None:
        library.configure(PAGED)
        library.write(*map(live, numbered(count)))
        pages = list(library.pages(verb))
        assert [each for page in pages for each in page.identifiers] == numbered(count)
        assert len(pages) == -(-count // limit)
        if len(pages) == 1:
            assert pages[0].token is None
        else:
            assert pages[-1].token == ""
            assert [page.place for page in pages] == [(n * limit, count) for n in range(len(pages))]

    def test_a_page_repeats_its_token_and_nothing_of_the_first_request(self, paged: Holdings) -> None:
        first, second, *_ = paged.pages(from_="2020-01-01", set="hay")
        assert first.echo == {
            "verb": "ListRecords",
            "metadataPrefix": "oai_dc",
            "from": "2020-01-01",
            "set": "hay",
        }
        assert second.echo == {"verb": "ListRecords", "resumptionToken": first.token}

    def test_a_page_ends_when_it_is_large_enough(self, library: Holdings) -> None:
        library.configure('[oai]\npage_bytes = "10 kB"\n')
        library.write(*(live(name, dublin_core("x" * 3000)) for name in numbered(7)))
        pages = list(library.pages())
        assert [len(page.identifiers) for page in pages] == [2, 2, 2, 1]
        assert [page.place[0] for page in pages] == [0, 2, 4, 6]
        assert len(library.ask("ListIdentifiers", metadataPrefix="oai_dc").identifiers) == 7

    def test_a_record_larger_than_a_page_has_one_to_itself(self, library: Holdings) -> None:
        library.configure('[oai]\npage_bytes = "10 kB"\n')
        large = dublin_core("x" * 30_000)
        library.write(live("oai:x:0"), live("oai:x:1", large), live("oai:x:2", large), live("oai:x:3"))
        pages = list(library.pages())
        assert [page.identifiers for page in pages] == [["oai:x:0"], ["oai:x:1"], ["oai:x:2"], ["oai:x:3"]]

    def test_the_window_and_the_set_hold_on_every_page(self, library: Holdings) -> None:
        library.configure(PAGED)
        for number in range(20):
            library.write(live(f"oai:x:{number}", sets=("odd" if number % 2 else "even",)), at=NOON + number)
        found = library.listed("ListRecords", set="hay:odd", from_=NOON + 3, until=NOON + 18)
        assert found == [f"oai:x:{number}" for number in range(3, 18, 2)]

    @VERBS
    def test_what_changes_between_two_pages_is_neither_lost_nor_doubled(
        self, paged: Holdings, verb: str
    ) -> None:
        found: list[str] = []
        for number, page in enumerate(paged.pages(verb)):
            found += page.identifiers
            paged.write(
                live("oai:x:0", dublin_core(f"{number}")),
                gone(f"oai:x:{5 + number}"),
                live(f"oai:x:{9 - number}", sets=(f"set{number}",)),
                live(f"oai:new:{number}"),
                at=NOON + number,
            )
        assert found == numbered(10)

    @VERBS
    def test_the_size_that_was_told_first_is_told_to_the_end(self, paged: Holdings, verb: str) -> None:
        for page in paged.pages(verb):
            assert page.place[1] == 10
            paged.write(*(live(f"oai:new:{page.place[0]}:{number}") for number in range(5)))

    @VERBS
    def test_where_nothing_of_the_rest_is_left_the_list_ends_with_a_valid_page(
        self, paged: Holdings, verb: str
    ) -> None:
        """Moved out of the window asked for, that is. The schema has no list without an entry."""
        answer = paged.ask(verb, metadataPrefix="oai_dc", until=NOON)
        given = answer.identifiers
        paged.write(*(gone(name) for name in numbered(10) if name not in given), at=NOON + 9)
        answer = paged.ask(verb, resumptionToken=answer.token or "")
        assert (answer.errors, answer.token) == ([], "")
        assert set(answer.identifiers) <= set(given)

    def test_where_nothing_at_all_is_left_no_record_matches(self, paged: Holdings) -> None:
        answer = paged.ask("ListRecords", metadataPrefix="oai_dc", until=NOON)
        paged.write(*map(gone, numbered(10)), at=NOON + 9)
        answer = paged.ask("ListRecords", resumptionToken=answer.token or "")
        assert answer.errors == ["noRecordsMatch"]


class TestTokens:
    @pytest.fixture
    def paged(self, library: Holdings) -> Holdings:
        library.configure(PAGED)
        library.write(*(live(name, sets=("a", "b", "c")) for name in numbered(10)))
        library.write(live("oai:y:1"), source="oats")
        return library

    def token(self, library: Holdings, verb: str = "ListRecords", at: str = "") -> str:
        found = next(library.pages(verb, at=at)).token
        assert found
        return found

    def test_a_token_is_good_after_a_restart_and_when_the_list_has_grown(self, paged: Holdings) -> None:
        token = self.token(paged)
        paged.write(*(live(f"oai:new:{number}") for number in range(20)))
        paged.restart()
        answer = paged.ask("ListRecords", resumptionToken=token)
        assert answer.identifiers == ["oai:x:3", "oai:x:4", "oai:x:5"]
        assert answer.place == (3, 11)

    def test_a_token_may_be_used_again(self, paged: Holdings) -> None:
        token = self.token(paged)
        once, twice = (paged.ask("ListRecords", resumptionToken=token) for _ in range(2))
        assert once.body == twice.body

    def test_every_token_of_a_list_leads_on_by_itself(self, paged: Holdings) -> None:
        pages = list(paged.pages())
        for page, following in pairwise(pages):
            again = paged.ask("ListRecords", resumptionToken=page.token or "")
            assert again.identifiers == following.identifiers

    @pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers", "ListSets"])
    def test_a_token_is_good_for_its_verb_only(self, paged: Holdings, verb: str) -> None:
        token = self.token(paged, verb)
        for other_verb in {"ListRecords", "ListIdentifiers", "ListSets"} - {verb}:
            assert paged.ask(other_verb, resumptionToken=token).errors == ["badResumptionToken"]
        assert paged.ask(verb, resumptionToken=token).errors == []

    def test_a_token_is_good_for_its_repository_only(self, paged: Holdings) -> None:
        token = self.token(paged)
        assert paged.ask("ListRecords", at="hay", resumptionToken=token).errors == ["badResumptionToken"]

    def test_a_token_of_another_library_is_refused(
        self, paged: Holdings, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        token = self.token(paged)
        other_library = Holdings(tmp_path_factory.mktemp("other"))
        other_library.write(*map(live, numbered(10)))
        assert other_library.ask("ListRecords", resumptionToken=token).errors == ["badResumptionToken"]
        other_library.close()

    @pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers", "ListSets"])
    def test_a_token_that_was_touched_is_refused(self, paged: Holdings, verb: str) -> None:
        token = self.token(paged, verb)
        touched = [
            token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
            for place in range(len(token))
        ]
        cut = [token[:length] for length in range(len(token))]
        for wrong in (*touched, *filter(None, cut), token + "A", token + "=", token[::-1]):
            assert paged.ask(verb, resumptionToken=wrong).errors == ["badResumptionToken"]

    def test_a_token_carries_the_longest_set_and_prefix_that_may_be_asked_for(
        self, library: Holdings
    ) -> None:
        library.configure(PAGED)
        spec, prefix = "s" * 1000, "p" * 1000
        for number in range(5):
            library.write(live(f"oai:x:{number}", other(), sets=(spec,)), prefix=prefix)
        found = library.listed("ListRecords", at="hay", metadataPrefix=prefix, set=spec, from_="2020-01-01")
        assert found == numbered(5)


class TestTombstones:
    def test_a_tombstone_stays_with_its_sets_in_every_list_and_by_its_name(self, library: Holdings) -> None:
        library.write(live("oai:x:1", sets=("a:b", "c")), live("oai:x:2", sets=("c",)))
        both = (live("oai:x:1", other(), sets=("a:b", "c")), live("oai:x:2", other(), sets=("c",)))
        library.write(*both, prefix="kk")
        library.write(gone("oai:x:1"), at=NOON + 5)
        tombstones = [
            *library.ask("ListIdentifiers", metadataPrefix="oai_dc", set="hay:a").headers,
            *library.ask("ListIdentifiers", metadataPrefix="kk", set="hay:a:b").headers,
            *library.ask("ListRecords", metadataPrefix="oai_dc", from_=NOON + 1).headers,
            *library.ask("GetRecord", **ONE).headers,
            *library.ask("GetRecord", identifier="oai:x:1", metadataPrefix="kk").headers,
        ]
        assert len(tombstones) == 5
        for header in tombstones:
            assert (header.identifier, header.stamp) == ("oai:x:1", format_request_date(NOON + 5))
            assert header.is_deleted
            assert set(header.sets) == {"hay", "hay:a:b", "hay:c"}
        assert [each.payload for each in library.ask("GetRecord", **ONE).records] == [None]

    def test_what_comes_back_is_a_record_again(self, library: Holdings) -> None:
        library.write(live("oai:x:1"))
        library.write(gone("oai:x:1"), at=NOON + 5)
        library.write(live("oai:x:1"), at=NOON + 9)
        (header,) = library.ask("ListRecords", metadataPrefix="oai_dc", from_=NOON + 9).headers
        assert not header.is_deleted


class TestSetLists:
    def test_sets_come_in_pages(self, library: Holdings) -> None:
        library.configure(PAGED)
        library.write(live("oai:x:1", sets=("a", "b", "c", "d", "e")))
        pages = list(library.pages("ListSets", at="hay"))
        assert [page.texts("setSpec") for page in pages] == [["a", "b"], ["c", "d"], ["e"]]
        assert [page.place for page in pages] == [(0, 5), (2, 5), (4, 5)]
        assert pages[-1].token == ""

    def test_sets_that_come_and_go_between_two_pages_neither_hide_nor_double_another(
        self, library: Holdings
    ) -> None:
        library.configure(PAGED)
        library.write(live("oai:x:1", sets=("b", "d", "f", "h")))
        found = []
        for number, page in enumerate(library.pages("ListSets", at="hay")):
            found += page.texts("setSpec")
            library.write(live("oai:x:2", sets=("a", f"c{number}", f"z{number}")))
        assert found == list(dict.fromkeys(found))
        assert {"b", "d", "f", "h"} <= set(found)

    def test_where_no_set_is_left_for_a_token_the_list_ends_with_a_valid_page(
        self, library: Holdings
    ) -> None:
        library.configure(PAGED)
        library.write(live("oai:x:1", sets=("a",)))
        library.write(live("oai:y:1", sets=("a",)), source="oats")
        first = library.ask("ListSets")
        assert first.texts("setSpec") == ["hay", "hay:a"]
        with library.store.writing() as connection:
            sources.forget(connection, library.shelves["oats"].source_id)
        last = library.ask("ListSets", resumptionToken=first.token or "")
        assert (last.errors, last.token) == ([], "")
