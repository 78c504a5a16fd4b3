"""Requests answered: every verb, every error, what is repeated of the request, and who may ask at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.unit.web.oai.holdings import DAY, NOON, SITE, Answer, Holdings, dublin_core, gone, live
from windrow.errors import NotFound, StoreError
from windrow.protocols.oai.provider_request import format_request_date
from windrow.web.oai.oai_provider import GRACE_SECONDS


@pytest.fixture
def filled(library: Holdings) -> Holdings:
    """Three records by hay, one of them deleted."""
    library.write(live("oai:x:1", sets=("a",)), live("oai:x:2", sets=("a:b",)), gone("oai:x:3", sets=("a",)))
    return library


ASKED = {
    "Identify": {},
    "ListMetadataFormats": {},
    "ListSets": {},
    "ListIdentifiers": {"metadataPrefix": "oai_dc"},
    "ListRecords": {"metadataPrefix": "oai_dc"},
    "GetRecord": {"metadataPrefix": "oai_dc", "identifier": "oai:x:1"},
}


class TestVerbs:
    @pytest.mark.parametrize("at", ["", "hay"])
    @pytest.mark.parametrize("verb", ASKED)
    def test_every_verb_is_answered_and_its_request_repeated(
        self, filled: Holdings, verb: str, at: str
    ) -> None:
        answer = filled.ask(verb, at=at, **ASKED[verb])
        assert answer.errors == []
        assert answer.echo == {"verb": verb, **ASKED[verb]}
        assert answer.texts("request") == [f"{SITE}/oai/{at}".rstrip("/")]
        assert answer.root[2].tag.endswith(f"}}{verb}")

    def test_an_answer_is_dated_a_little_earlier_than_it_is(self, filled: Holdings) -> None:
        assert filled.ask("Identify").texts("responseDate") == [format_request_date(NOON - GRACE_SECONDS)]

    def test_a_name_that_nobody_has_is_not_found(self, filled: Holdings) -> None:
        with pytest.raises(NotFound):
            filled.repository.answer("barley", [("verb", "Identify")])

    @pytest.mark.parametrize("verb", ASKED)
    def test_a_library_that_cannot_be_read_is_no_empty_answer(self, filled: Holdings, verb: str) -> None:
        filled.ask(verb, **ASKED[verb])
        for table in ("record", "source"):
            with filled.store.writing() as connection:
                connection.execute(f"ALTER TABLE {table} RENAME TO {table}_away")
        with pytest.raises(StoreError):
            filled.repository.answer("", [("verb", verb), *ASKED[verb].items()])

    @pytest.mark.parametrize("prefix", ["oai_dc", "barn"])
    def test_payloads_that_cannot_be_looked_up_are_no_fault_of_the_records(
        self, library: Holdings, prefix: str
    ) -> None:
        """Neither of those that are stored as they are asked for, nor of those that are mapped."""
        library.write(live("oai:x:1"), prefix=prefix)
        library.ask("ListRecords", metadataPrefix="oai_dc")
        with library.store.writing() as connection:
            connection.execute("ALTER TABLE block RENAME TO block_away")
        with pytest.raises(StoreError):
            library.repository.answer("", [("verb", "ListRecords"), ("metadataPrefix", "oai_dc")])


class TestMeant:
    def test_a_token_stands_for_the_arguments_it_goes_on_with(self, library: Holdings) -> None:
        library.configure("[oai]\nrecords_per_page = 1\n")
        library.write(live("oai:x:1", sets=("a",)), live("oai:x:2", sets=("a",)))
        asked = {"metadataPrefix": "oai_dc", "from": "2000-01-01", "until": "2099-01-01", "set": "a"}
        token = library.ask("ListRecords", at="hay", **asked).token
        sent = [("verb", "ListRecords"), ("resumptionToken", token or "")]
        assert dict(library.repository.meant("hay", sent)) == {"verb": "ListRecords", **asked}
        assert library.repository.meant("oats", sent) == sent

    def test_other_arguments_mean_what_they_say(self, library: Holdings) -> None:
        assert library.repository.meant("", [("verb", "Identify")]) == [("verb", "Identify")]


class TestErrors:
    @pytest.mark.parametrize(
        ("code", "query"),
        [
            ("badVerb", ""),
            ("badVerb", "verb=junk"),
            ("badVerb", "verb=Identify verb=Identify"),
            ("badArgument", "verb=Identify from=2020-01-01"),
            ("badArgument", "verb=GetRecord metadataPrefix=oai_dc"),
            ("badArgument", "verb=GetRecord identifier=oai:x:1"),
            ("badArgument", "verb=ListRecords"),
            ("badArgument", "verb=ListRecords metadataPrefix=oai_dc metadataPrefix=oai_dc"),
            ("badArgument", "verb=ListRecords metadataPrefix=oai_dc from=junk"),
            ("badArgument", "verb=ListIdentifiers metadataPrefix=oai_dc until=2020-02-30"),
            ("badArgument", "verb=ListRecords metadataPrefix=oai_dc from=2024-01-02 until=2024-01-01"),
            (
                "badArgument",
                "verb=ListRecords metadataPrefix=oai_dc from=2020-01-01 until=2024-01-01T00:00:00Z",
            ),
            ("badArgument", "verb=ListRecords metadataPrefix=oai_dc resumptionToken=x"),
            ("badArgument", "verb=ListRecords metadataPrefix=oai_dc set=a::b"),
            ("badResumptionToken", "verb=ListRecords resumptionToken=junk"),
            ("badResumptionToken", "verb=ListSets resumptionToken=junk"),
            ("cannotDisseminateFormat", "verb=ListRecords metadataPrefix=klingon"),
            ("cannotDisseminateFormat", "verb=GetRecord identifier=oai:x:1 metadataPrefix=klingon"),
            ("idDoesNotExist", "verb=GetRecord identifier=oai:x:9 metadataPrefix=oai_dc"),
            ("idDoesNotExist", "verb=ListMetadataFormats identifier=oai:x:9"),
            ("noMetadataFormats", "verb=ListMetadataFormats identifier=oai:x:3"),
            ("noRecordsMatch", "verb=ListRecords metadataPrefix=oai_dc set=no:such"),
            ("noRecordsMatch", "verb=ListRecords metadataPrefix=oai_dc until=2001-01-01"),
            ("noRecordsMatch", "verb=ListIdentifiers metadataPrefix=oai_dc from=2199-01-01"),
        ],
    )
    def test_every_error_has_its_code_and_repeats_the_request_where_it_may(
        self, filled: Holdings, code: str, query: str
    ) -> None:
        pairs = [(part.partition("=")[0], part.partition("=")[2]) for part in query.split()]
        answer = filled.ask_pairs(pairs)
        assert answer.errors == [code]
        assert answer.echo == ({} if code in ("badVerb", "badArgument") else dict(pairs))

    def test_a_repository_without_sets_says_so(self, library: Holdings) -> None:
        library.write(live("oai:x:1"))
        assert library.ask("ListSets", at="hay").errors == ["noSetHierarchy"]
        asked = library.ask("ListRecords", at="hay", metadataPrefix="oai_dc", set="a")
        assert asked.errors == ["noSetHierarchy"]

    @pytest.mark.parametrize("at", ["", "hay"])
    @pytest.mark.parametrize("from_", [NOON - DAY, NOON + DAY])
    def test_a_library_that_was_never_harvested_has_nothing_yet(
        self, library: Holdings, at: str, from_: int
    ) -> None:
        assert library.ask("Identify", at=at).texts("earliestDatestamp") == ["1970-01-01T00:00:00Z"]
        assert library.ask("ListMetadataFormats", at=at).texts("metadataPrefix") == ["oai_dc"]
        assert library.ask("ListSets", at=at).errors == ["noSetHierarchy"]
        asked = {"metadataPrefix": "oai_dc", "from_": from_}
        assert library.ask("ListRecords", at=at, **asked).errors == ["noRecordsMatch"]
        found = library.ask("GetRecord", at=at, metadataPrefix="oai_dc", identifier="oai:x:1")
        assert found.errors == ["idDoesNotExist"]

    @pytest.mark.parametrize("from_", [NOON - DAY, NOON, NOON + 1])
    def test_a_source_that_was_never_harvested_is_empty_beside_a_full_one(
        self, filled: Holdings, from_: int
    ) -> None:
        filled.write(live("oai:x:1", b"<changed/>"), at=NOON + 1)
        asked = filled.ask("ListRecords", at="oats", metadataPrefix="oai_dc", from_=from_)
        assert asked.errors == ["noRecordsMatch"]
        assert filled.ask("ListSets", at="oats").errors == ["noSetHierarchy"]


class TestThreads:
    def test_many_may_ask_while_another_writes(self, library: Holdings) -> None:
        library.configure("[oai]\nrecords_per_page = 7\nidentifiers_per_page = 5\n")
        kept = [f"oai:kept:{number}" for number in range(40)]
        library.write(*(live(name, sets=("a",)) for name in kept))
        is_done = threading.Event()

        def change() -> None:
            try:
                for turn in range(60):
                    library.write(
                        *(live(name, dublin_core(f"{turn}"), sets=("a",)) for name in kept[turn % 3 :: 3]),
                        live(f"oai:new:{turn}", sets=(f"b{turn}",)),
                        gone(f"oai:new:{max(turn - 1, 0)}"),
                    )
            finally:
                is_done.set()

        def harvest(verb: str) -> int:
            walks = 0
            while not is_done.is_set() or not walks:
                found = library.listed(verb, metadataPrefix="oai_dc")
                assert found == list(dict.fromkeys(found))
                assert set(kept) <= set(found)
                assert set(library.listed(verb, metadataPrefix="oai_dc", set="hay:a")) == set(kept)
                walks += 1
            return walks

        with ThreadPoolExecutor(4) as pool:
            harvests = [pool.submit(harvest, verb) for verb in ("ListRecords", "ListIdentifiers")]
            pool.submit(change).result()
            assert all(each.result() for each in harvests)
        assert len(library.listed(metadataPrefix="oai_dc")) == 100

    def test_what_one_thread_was_told_another_can_go_on_with(self, library: Holdings) -> None:
        library.configure("[oai]\nrecords_per_page = 2\n")
        library.write(*(live(f"oai:x:{number}") for number in range(5)))
        found: list[str] = []
        answer: Answer | None = None
        while answer is None or answer.token:
            asked = {"resumptionToken": answer.token or ""} if answer else {"metadataPrefix": "oai_dc"}
            with ThreadPoolExecutor(1) as pool:  # a new thread each time
                answer = pool.submit(library.ask, "ListRecords", **asked).result()
            found += answer.identifiers
        assert found == [f"oai:x:{number}" for number in range(5)]
