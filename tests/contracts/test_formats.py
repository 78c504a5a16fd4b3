"""What every reader of a metadata format keeps to, whoever wrote it; and real records of all kinds."""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.fixtures import Place, own, own_and_shared
from tests.thorough import tries
from windrow.formats.generic import READER as GENERIC
from windrow.formats.registry import Reader, read, registry
from windrow.model.document import Document, HeldFile

LONGEST_VALUE = 126_709  # characters, the longest single value seen in the wild
MOST_ELEMENTS = 1_110  # in one record, the most seen in the wild
DEEPEST = 1_900

READERS = (*registry().readers, GENERIC)
by_reader = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)

# Names that mean something to one reader or another, and some that mean nothing to any.
_NAMES = """
title creator contributor subject description publisher date type format identifier source language
relation coverage rights abstract issued extent spatial isPartOf file field element metadata degree
grantor institution department advisor isReferencedBy authors author keyname forenames version
keywords keyword journalTitle startPage endPage doi issn creators creatorName nameIdentifier titles
descriptions subjects dates resourceType relatedIdentifiers rightsList sizes size payload resource
datafield controlfield subfield leader titleInfo name namePart originInfo dateIssued recordInfo
relatedItem dmdSec mdWrap xmlData Item Component Statement Resource entry link RDF Description about
lidoWrap lido event junk x
MD_DataIdentification citation CI_Citation CI_Date pointOfContact individualName MD_Keywords general lifeCycle
contribute entity stdyDscr titlStmt titl AuthEnty StudyUnit identity nameEntry part front article-meta
title-group article-title contrib-group contrib surname given-names fileDesc titleStmt persName Authors Author
Person PersonName
"""
NAMES = _NAMES.split()
NAMESPACES = (
    "",
    "{http://purl.org/dc/elements/1.1/}",
    "{http://purl.org/dc/terms/}",
    "{urn:junk}",
    "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}",
)
_ATTRIBUTES = """
name type tag code ind1 ind2 schema mdschema element qualifier language lang value href role
dateType resourceTypeGeneral subjectScheme bundle contributorType xmllang ref
"""
ATTRIBUTES = _ATTRIBUTES.split()
_WORDS = """
dc title value none en x author url ORIGINAL 245 a b 1 2 10.1234/x http://example.org/ 2014 12p.
abstract
"""
WORDS = _WORDS.split()

# Name, namespace, attributes, text, children.
Branch = tuple[str, str, dict[str, str], str, list[Any]]


def branches() -> st.SearchStrategy[Branch]:
    """Give trees of elements."""
    texts = st.sampled_from(WORDS) | st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=20
    )

    def grown(children: st.SearchStrategy[list[Any]]) -> st.SearchStrategy[Branch]:
        return st.tuples(
            st.sampled_from(NAMES),
            st.sampled_from(NAMESPACES),
            st.dictionaries(st.sampled_from(ATTRIBUTES), st.sampled_from(WORDS), max_size=3),
            texts,
            children,
        )

    leaves = grown(st.just([]))
    return st.recursive(leaves, lambda inner: grown(st.lists(inner, max_size=3)), max_leaves=12)


def root_of(reader: Reader) -> str:
    return min(reader.roots, default=reader.name)


def planted(reader: Reader, trees: list[Branch], *, with_words: bool) -> tuple[etree._Element, list[str]]:
    """Give a record of that format and, if asked for, the word of its own that each element then has."""
    root = etree.Element(root_of(reader))
    home = root_of(reader).rpartition("}")[0]
    words: list[str] = []
    waiting = [(root, tree) for tree in trees]
    while waiting:
        parent, (name, namespace, attributes, text, children) = waiting.pop(0)
        prefix = namespace or (home + "}" if home else "")
        child = etree.SubElement(parent, prefix + name, attributes)
        words.append(f"word{len(words)}q")
        child.text = words[-1] if with_words else text
        waiting.extend((child, tree) for tree in children)
    return root, words


def values(document: Document) -> Iterator[tuple[Any, ...]]:
    """Give every list of values in a document."""
    for value in asdict(document).values():
        if isinstance(value, tuple) and not isinstance(value, HeldFile):
            yield value
    yield from document.extra.values()


def words_in(document: Document) -> set[str]:
    return set(re.findall(r"word\d+q", repr(asdict(document))))


@by_reader
def test_an_empty_record_is_an_empty_document(reader: Reader) -> None:
    for root in reader.roots:
        assert reader.read(etree.Element(root)) == Document()


@by_reader
def test_a_reader_says_what_it_reads(reader: Reader) -> None:
    assert reader.name
    assert all(prefix == prefix.strip() != "" for prefix in reader.prefixes)
    assert all(re.fullmatch(r"(\{[^{}]+\})?[\w.-]+", root) for root in reader.roots)


@by_reader
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=tries(40))
@given(trees=st.lists(branches(), max_size=6))
def test_no_record_however_odd_makes_a_reader_fail_or_repeat_itself(
    reader: Reader, trees: list[Branch]
) -> None:
    root, _ = planted(reader, trees, with_words=False)
    document = reader.read(root)
    for held in values(document):
        assert all(held), f"an empty value in {held}"
        assert len({repr(value) for value in held}) == len(held), f"a repeated value in {held}"


@by_reader
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=tries(40))
@given(trees=st.lists(branches(), max_size=6))
def test_every_word_of_a_record_is_somewhere_in_its_document(reader: Reader, trees: list[Branch]) -> None:
    root, words = planted(reader, trees, with_words=True)
    assert set(words) - words_in(reader.read(root)) == set()


def steps(work: Callable[[], object]) -> int:
    """Give how many calls a piece of work makes: a measure that does not depend on the machine."""
    count = 0

    def tick(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(tick)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def repeated(reader: Reader, name: str, count: int) -> etree._Element:
    root = etree.Element(root_of(reader))
    home = root_of(reader).rpartition("}")[0]
    for number in range(count):
        child = etree.SubElement(root, f"{home}}}{name}" if home else name)
        child.text = f"value {number}"
    return root


@by_reader
@pytest.mark.parametrize("name", ["title", "subject", "identifier", "field", "junk"])
def test_twice_as_many_elements_take_at_most_about_twice_the_work(reader: Reader, name: str) -> None:
    reader.read(repeated(reader, name, 10))
    half = steps(lambda: reader.read(repeated(reader, name, MOST_ELEMENTS)))
    whole = steps(lambda: reader.read(repeated(reader, name, 2 * MOST_ELEMENTS)))
    assert whole < 2.5 * half


@by_reader
@pytest.mark.parametrize(
    "piece", ["word ", "<p ", "&amp;", ",", ";", "1,", "10.1234/", "http://a/", "fi=x|", "\n"]
)
def test_a_very_long_value_comes_through(reader: Reader, piece: str) -> None:
    # Were it worse than linear, this would not come back.
    text = (piece * LONGEST_VALUE)[:LONGEST_VALUE]
    for name in (
        "title",
        "subject",
        "description",
        "identifier",
        "date",
        "language",
        "format",
        "relation",
        "type",
    ):
        root = repeated(reader, name, 1)
        root[0].text = text
        assert isinstance(reader.read(root), Document)


@by_reader
def test_a_very_deep_record_comes_through(reader: Reader) -> None:
    root = etree.Element(root_of(reader))
    home = root_of(reader).rpartition("}")[0]
    parent = root
    for _ in range(DEEPEST):
        parent = etree.SubElement(parent, f"{home}}}element" if home else "element", {"name": "a"})
    parent.text = "word0q"
    assert words_in(reader.read(root)) == {"word0q"}


PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
SAMPLE_EVERY = 15  # of the bulk responses: 19 MB of them are much alike


def responses(folder: str, place: Place) -> Iterator[Path]:
    paths = sorted(path for path in place(folder).rglob("*") if path.is_file())
    return iter(paths[:: SAMPLE_EVERY if folder == "oai-bulk" and place is not own else 1])


def records_in(path: Path) -> Iterator[etree._Element]:
    """Give the metadata of every record in a file, or its root where it is a single record."""
    content = path.read_bytes()
    try:
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        tree = etree.fromstring(content, PARSER)
    except (etree.XMLSyntaxError, ValueError, OSError):
        return
    found = [
        child for metadata in tree.iter("{*}metadata") for child in metadata if isinstance(child.tag, str)
    ]
    yield from found or [tree]


@own_and_shared
@pytest.mark.parametrize("folder", ["oai", "oai-bulk", "records"])
def test_every_record_of_every_file_is_read(folder: str, place: Place) -> None:
    count = 0
    for path in responses(folder, place):
        for record in records_in(path):
            document = read(etree.tostring(record, with_tail=False, encoding="utf-8"), b"", path.parent.name)
            assert isinstance(document, Document)
            assert all(all(held) for held in values(document)), path
            count += 1
    assert count > (20 if place is own else 100)
