"""Real records without a title are counted, source by source: each class of them was looked at."""

from __future__ import annotations

from bench.shares import measure

from tests.fixtures import OWN, shared

EVERY = 15  # of the files of whole repositories

# How many records of a source may be without a title, and why.
UNTITLED = {
    # The record says nothing but "Item is not available".
    "oai/CenterForOpenScience__scrapi dc": 132,
    # Photographs that nobody has given a title; there is a description.
    "oai-bulk/cmh2166__ShareFest15MetadataQA dc": 56,
    "oai/delving__sip-creator dc": 6,
    # A record of one specimen in ABCD, without any Dublin Core in it.
    "oai/naturalis__nl.naturalis.oaipmh dc": 2,
    # Made by the origin project to have no title, or nothing at all.
    "oai/tulibraries__aggregator_mdx dc": 7,
    "oai/tulibraries__aggregator_mdx qualifieddc": 1,
    "oai/NatLibFi__oai-pmh-client-js record": 6,
    "oai/cessda__cessda.cdc.osmh-indexer.cmm unsupported": 2,
    "oai/vufind-org__vufindharvest foo": 2,
    "oai/KBNLdataservices__oai-pmh-bulk-downloader mets": 1,
    "oai/libris__swepub-redux mods": 1,
    "oai/seecr__meresco-harvester data": 1,
    "records/harvard-lts__spotlight-oaipmh-resources mods": 1,
    # Formats that no reader is written for: MAB, an answer of SRU, a list of centres, an experiment.
    "oai/dswarm__dswarm record": 5,
    "records/metafacture__metafacture-core searchRetrieveResponse": 5,
    "oai/clarin-eric__oai-harvest-manager CMD": 1,
    "oai/usnistgov__core_oaipmh_harvester_app experiment": 1,
    # Measurements in folders, named by their identifier alone.
    "oai/kata-csc__ckanext-oaipmh dc": 2,
}


def test_records_without_a_title_are_counted_by_source() -> None:
    shares = measure(OWN, every=1)
    assert sum(share.records for share in shares.values()) > 200
    untitled = {label: share.records - share.having["title"] for label, share in shares.items()}
    assert {label: count for label, count in untitled.items() if count} == {}


def test_no_source_has_more_records_without_a_title_than_were_looked_at() -> None:
    shares = measure(shared(), every=EVERY)
    assert sum(share.records for share in shares.values()) > 10_000
    missing = {label: share.records - share.having["title"] for label, share in shares.items()}
    too_many = {
        label: (count, shares[label].untitled)
        for label, count in missing.items()
        if count > UNTITLED.get(label, 0)
    }
    assert too_many == {}
