"""Time passing in the demo."""

from __future__ import annotations

import pytest
from lxml import etree

from tests.unit.demo.asking import OAI, ask, error, identifiers, texts
from windrow.demo.thesis_repository import Repository

BEFORE = Repository(2000)
AFTER = BEFORE.later()


def now(repository: Repository) -> str:
    return texts(ask(repository, verb="Identify"), "responseDate")[0]


def test_nothing_is_stamped_after_the_present() -> None:
    present = ask(BEFORE, verb="ListIdentifiers", metadataPrefix="oai_dc", from_=now(BEFORE))
    assert error(present) == "noRecordsMatch"


def test_a_day_brings_new_changed_and_withdrawn_records() -> None:
    touched = ask(AFTER, verb="ListRecords", metadataPrefix="oai_dc", from_=now(BEFORE))
    names = set(texts(touched, "identifier"))
    known = set(identifiers(BEFORE))
    gone = touched.findall(f".//{OAI}header[@status='deleted']")
    assert len(names - known) == 10
    assert len(names & known) in range(8, 13)
    assert 1 <= len(gone) <= 2


def test_what_a_day_did_not_touch_is_the_same_to_the_byte() -> None:
    until = now(BEFORE)
    names = identifiers(AFTER, until=until)
    assert names == [name for name in identifiers(BEFORE) if name in set(names)]
    for name in names[::100]:
        question = [("verb", "GetRecord"), ("metadataPrefix", "oai_dc"), ("identifier", name)]
        before, after = BEFORE.answer(question), AFTER.answer(question)
        assert before.partition(b"<GetRecord>")[2] == after.partition(b"<GetRecord>")[2]


def test_every_changed_record_reads_differently() -> None:
    touched = ask(AFTER, verb="ListRecords", metadataPrefix="oai_dc", from_=now(BEFORE))
    known = set(identifiers(BEFORE))
    for record in touched.iter(OAI + "record"):
        name = texts(record, "identifier")[0]
        if name in known:
            before = ask(BEFORE, verb="GetRecord", metadataPrefix="oai_dc", identifier=name)
            assert _payload(before) != _payload(record)


def _payload(answer: etree._Element) -> bytes | None:
    metadata = answer.find(f".//{OAI}metadata")
    return None if metadata is None else etree.tostring(metadata)


def test_harvesting_day_by_day_ends_where_a_whole_harvest_ends() -> None:
    kept = set(identifiers(BEFORE))
    repository = BEFORE
    for _ in range(5):
        since, repository = now(repository), repository.later()
        kept.update(identifiers(repository, from_=since))
    assert kept == set(identifiers(repository)) == set(identifiers(BEFORE.later(5)))


@pytest.mark.parametrize("records", [0, 1, 7])
def test_a_tiny_repository_lives_on(records: int) -> None:
    repository = Repository(records).later(3)
    assert len(identifiers(repository)) == records + 3


def test_an_empty_repository_says_so() -> None:
    empty = ask(Repository(0), verb="ListRecords", metadataPrefix="oai_dc")
    assert error(empty) == "noRecordsMatch"


def test_a_list_goes_on_rightly_when_a_day_passes_between_two_pages() -> None:
    first = ask(BEFORE, verb="ListIdentifiers", metadataPrefix="oai_dc")
    names = texts(first, "identifier")
    while token := "".join(texts(first, "resumptionToken")):
        first = ask(AFTER, verb="ListIdentifiers", resumptionToken=token)
        names += texts(first, "identifier")
    assert set(identifiers(AFTER)) == set(names)
