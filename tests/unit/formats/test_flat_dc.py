"""The quick way through oai_dc gives the parser's document or none: never another one, never one too many."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.fixtures import Place, own, own_and_shared
from tests.thorough import tries
from windrow.errors import WindrowError
from windrow.formats.dublin_core.oai_dc import READER
from windrow.formats.dublin_core.oai_dc_fast import MOST_KEPT, MOST_SHAPES, MOST_SPELLINGS, FlatReader
from windrow.formats.registry import parse_payload, read, reader_for
from windrow.model.document import Document, LinkKind, Subject, Text
from windrow.model.record import Record
from windrow.protocols.oai.page_parser import parse_page

OAI_DC = 'xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
XSI = b' xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
START, END = f"<oai_dc:dc {OAI_DC} {DC}>", "</oai_dc:dc>"


PLUG_IN = """
from windrow.model.document import Document, Text

class Cards:
    name, prefixes = "cards", frozenset()
    roots = frozenset({"{http://www.openarchives.org/OAI/2.0/oai_dc/}dc"})

    @staticmethod
    def read(root):
        return Document(titles=(Text("cards"),))
"""


def flat(payload: str | bytes, declarations: bytes = XSI) -> Document | None:
    spelled = payload if isinstance(payload, bytes) else payload.encode()
    return FlatReader(READER.roots).read(spelled, declarations)


def parsed(payload: str | bytes, declarations: bytes = XSI) -> Document:
    spelled = payload if isinstance(payload, bytes) else payload.encode()
    return READER.read(parse_payload(spelled, declarations)[0])


def record(*elements: str) -> str:
    return START + "".join(elements) + END


PLAIN = [
    "<dc:title>Moss</dc:title>",
    "<dc:title> Moss  and\n\tlichen </dc:title>",
    "<dc:title/>",
    "<dc:title></dc:title>",
    "<dc:title>R&amp;D &lt;b&gt;now&lt;/b&gt; &#233; &#xE9; &quot;</dc:title>",
    "<dc:title>a > b; c | d</dc:title>",
    "<dc:title>Ångström 日本 \U0001f33f</dc:title>",
    "<dc:title xml:lang='fi'>Sammal</dc:title>",
    '<dc:title xml:lang="tlh-unheard">Qapla</dc:title>',
    '<dc:date xsi:type="dcterms:W3CDTF">2001-02-03</dc:date>',
    "<dc:creator>Lind, A.</dc:creator><dc:creator>Lind, A.</dc:creator><dc:creator>B; C &amp; D</dc:creator>",
    "<dc:contributor>Lind, A.; Berg, B.</dc:contributor>",
    "<dc:subject>one, two, three</dc:subject>",
    "<dc:subject>one, two, three</dc:subject><dc:subject>four</dc:subject>",
    "<dc:subject>one; two | three</dc:subject>",
    "<dc:subject>fi=yksi|en=one|</dc:subject>",
    '<dc:subject xml:lang="en">moss</dc:subject><dc:subject>moss</dc:subject>',
    "<dc:description>First.\n\nSecond.</dc:description><dc:description>First.</dc:description>",
    "<dc:description>Twice.</dc:description><dc:description>Twice.</dc:description>",
    "<dc:description>In both ways.</dc:description><dc:description>In &#98;oth ways.</dc:description>",
    '<dc:description xml:lang="en">Moss.</dc:description><dc:description>Moss.</dc:description>',
    "<dc:description>http://example.org/thumb.jpg</dc:description>",
    f"<dc:description>{'A long one; ' * 40}</dc:description>",
    "<dc:description>" + "A long\ttabbed one. " * 40 + "</dc:description>",
    "<dc:date>info:eu-repo/date/embargoEnd/2031-01-01</dc:date><dc:date>1999</dc:date>",
    "<dc:type>info:eu-repo/semantics/article</dc:type><dc:type>fi=Kirja|en=Book|</dc:type>",
    "<dc:format>234 p.</dc:format><dc:format>application/pdf</dc:format>",
    "<dc:identifier>http://example.org/handle/1/23</dc:identifier>",
    "<dc:relation>http://example.org/1</dc:relation><dc:identifier>http://example.org/1</dc:identifier>",
    "<dc:identifier>doi:10.1234/x</dc:identifier><dc:identifier>URN:NBN:fi:x-1</dc:identifier>",
    "<dc:identifier>A citation of more words than six, see there</dc:identifier>",
    "<dc:source>Journal of Moss 3(4)</dc:source><dc:coverage>Here</dc:coverage>",
    "<dc:language>en</dc:language><dc:language>Klingonish</dc:language>",
    "<dc:publisher>Moss Press</dc:publisher>\r\n  <dc:rights>http://creativecommons.org/licenses/by/4.0/</dc:rights>",
]


@pytest.mark.parametrize("elements", PLAIN)
def test_a_plain_record_is_read_as_the_parser_reads_it(elements: str) -> None:
    assert flat(record(elements)) == parsed(record(elements))


def test_all_plain_elements_together_are_read_as_the_parser_reads_them() -> None:
    for separator in ("", "\n  ", "\r\n"):
        payload = record(separator, separator.join(PLAIN), separator) + separator
        assert flat(payload) == parsed(payload)


ODD = [
    record("<dc:title>Mo<!-- z -->ss</dc:title>"),
    record("<!-- <dc:title>no</dc:title> --><dc:title>Moss</dc:title>"),
    record("<dc:title><![CDATA[a < b]]></dc:title>"),
    record("<dc:title>a <b>bold</b> one</dc:title>"),
    record("<dc:title>Moss</dc:title>words between<dc:title>Lichen</dc:title>"),
    record("<dc:title>Moss</dc:title ><dc:nothing>x</dc:nothing>"),
    record("<dc:Title>Moss</dc:Title>"),
    record('<dc:title xmlns:dc="urn:else">Moss</dc:title>'),
    record("<oai_dc:title>Moss</oai_dc:title>"),
    record("<?moss?><dc:title>Moss</dc:title>"),
    record(""),
    f"{START}words{END}",
    f'<oai_dc:dc {OAI_DC} xmlns:dc="urn:else"><dc:title>Moss</dc:title>{END}',
    f"<oai_dc:dc {OAI_DC}><dc:title {DC}>Moss</dc:title>{END}",
    '<dc xmlns="http://purl.org/dc/elements/1.1/"><title>Moss</title></dc>',
]


@pytest.mark.parametrize("payload", ODD)
def test_what_is_not_plain_is_left_to_the_parser(payload: str) -> None:
    assert flat(payload) is None
    assert read(payload.encode(), XSI, "oai_dc") == parsed(payload)


BROKEN = [
    record("<dc:title>a & b</dc:title>"),
    record("<dc:title>&nbsp;</dc:title>"),
    record("<dc:title>&#0;</dc:title>"),
    record("<dc:title>&#xFFFE;</dc:title>"),
    record("<dc:title>&#xD800;</dc:title>"),
    record("<dc:title>&#9999999;</dc:title>"),
    record("<dc:title>a]]>b</dc:title>"),
    record("<dc:title>a\x01b</dc:title>"),
    record(f"<dc:description>{'long ' * 99}\x1b</dc:description>"),
    record(f"<dc:description>{'long ' * 99}\uffff</dc:description>"),
    record("<dc:title>Moss</dc:creator>"),
    record("<dc:title>Moss<dc:title>Moss</dc:title></dc:title><dc:title>"),
    record('<dc:title id="a<b">Moss</dc:title>'),
    record('<dc:title unheard:of="x">Moss</dc:title>'),
    record("<dc:title>Moss</dc:title>\x0b<dc:title>Lichen</dc:title>"),
    record("<dc:title>Moss</dc:title>&moss;"),
    f"<oai_dc:dc {OAI_DC} {DC} unheard:of='x'><dc:title>Moss</dc:title>{END}",
    f"{START}<dc:title>Moss</dc:title></oai_dc:other>",
    record("<dc:title>Moss</dc:title>") + "</x>",
]


@pytest.mark.parametrize("payload", BROKEN)
def test_what_is_not_well_formed_gets_no_document(payload: str) -> None:
    assert flat(payload) is None
    with pytest.raises(WindrowError):
        read(payload.encode(), XSI, "oai_dc")


def test_bytes_that_are_no_text_get_no_document() -> None:
    assert flat(record("<dc:title>\xff</dc:title>").encode("latin-1")) is None


def test_prefixes_are_the_records_own() -> None:
    payload = (
        '<x:dc xmlns:x="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:y="http://purl.org/dc/elements/1.1/">'
        "<y:title>Moss</y:title></x:dc>"
    )
    assert flat(payload) == parsed(payload) == Document(titles=(Text("Moss"),))


def test_declarations_around_the_payload_count() -> None:
    payload = "<oai_dc:dc><dc:title>Moss</dc:title></oai_dc:dc>"
    around = f" {OAI_DC} {DC}".encode()
    assert flat(payload, around) == parsed(payload, around) == Document(titles=(Text("Moss"),))
    assert flat(payload, around.replace(b"purl.org", b"else.org")) is None


def test_the_same_root_tag_under_other_declarations_is_another() -> None:
    reader = FlatReader(READER.roots)
    payload = b"<oai_dc:dc><dc:title>Moss</dc:title></oai_dc:dc>"
    around = f" {OAI_DC} {DC}".encode()
    assert reader.read(payload, around) is not None
    assert reader.read(payload, b"") is None
    assert reader.read(payload, around.replace(b"elements/1.1", b"terms")) is None


def test_records_of_several_sources_in_turn_are_each_read_by_their_own_root_tag() -> None:
    reader = FlatReader(READER.roots)
    renamed = START.replace("oai_dc:dc", "oai_x:dc").replace("xmlns:oai_dc", "xmlns:oai_x")
    moss, fern = "<dc:title>Moss</dc:title>", "<dc:title>Fern</dc:title>"
    for _ in range(2):
        assert reader.read(record(moss).encode(), XSI) == Document(titles=(Text("Moss"),))
        assert reader.read(f"<oai_dc:dc>{moss}{END}".encode(), XSI) is None
        assert reader.read(f"{renamed}{fern}</oai_x:dc>".encode(), XSI) == Document(titles=(Text("Fern"),))


def test_a_root_that_somebody_else_reads_is_left_to_them() -> None:
    assert FlatReader(frozenset()).read(record(PLAIN[0]).encode(), XSI) is None


def test_no_other_format_claims_a_root_of_oai_dc() -> None:
    assert {reader_for(root, "") for root in READER.roots} == {READER}


def test_a_plug_in_that_claims_the_root_reads_plain_records_too(tmp_path: Path) -> None:
    (tmp_path / "cards.py").write_text(PLUG_IN)
    (tmp_path / "cards-1.dist-info").mkdir()
    (tmp_path / "cards-1.dist-info" / "METADATA").write_text("Name: cards\nVersion: 1\n")
    (tmp_path / "cards-1.dist-info" / "entry_points.txt").write_text(
        "[windrow.formats]\ncards = cards:Cards\n"
    )
    code = f"""
from windrow.formats.registry import read
for with_plugins in (False, True):
    print(read({record(PLAIN[0]).encode()!r}, {XSI!r}, "oai_dc", with_plugins=with_plugins).title)
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.split() == ["Moss", "cards"]


def test_the_first_thing_said_about_an_address_holds_unless_it_is_only_a_relation() -> None:
    address = "http://example.org/1"
    relation, identifier = (
        f"<dc:relation>{address}</dc:relation>",
        f"<dc:identifier>{address}</dc:identifier>",
    )
    for elements in ((relation, identifier), (identifier, relation)):
        document = flat(record(*elements))
        assert document is not None
        assert [link.kind for link in document.links] == [LinkKind.LANDING]


def test_commas_part_the_only_subject_and_no_other() -> None:
    alone = flat(record("<dc:subject>moss, fern, lichen</dc:subject>"))
    beside = flat(record("<dc:subject>moss, fern, lichen</dc:subject><dc:subject>peat</dc:subject>"))
    assert alone is not None
    assert beside is not None
    assert alone.subjects == (Subject("moss"), Subject("fern"), Subject("lichen"))
    assert beside.subjects == (Subject("moss, fern, lichen"), Subject("peat"))


def test_a_subject_list_that_leaves_one_with_commas_is_for_the_parser() -> None:
    payload = record("<dc:subject>moss, fern, lichen;</dc:subject>")
    assert flat(payload) is None
    assert read(payload.encode(), XSI, "oai_dc").subjects == (Subject("moss, fern, lichen"),)


def test_a_source_with_ever_new_tags_and_values_is_read_on() -> None:
    reader = FlatReader(READER.roots)
    for number in range(max(MOST_SHAPES, MOST_KEPT, MOST_SPELLINGS) + 10):
        plain = f'<dc:title id="{number}">Moss</dc:title><dc:type>kind {number}</dc:type>'
        start = START.replace(">", f' id="{number}">') if number % 20 == 0 else START
        found = reader.read((start + plain + END).encode(), XSI)
        assert found is None or found == Document(titles=(Text("Moss"),), types=(f"kind {number}",))
    assert reader.read(record(PLAIN[0]).encode(), XSI) == Document(titles=(Text("Moss"),))


_NAMES = """
title creator subject description publisher contributor date type format identifier source language relation
coverage rights
"""
NAMES = _NAMES.split()
_WORDS = """
a moss Lind, A. and; | , fi=yksi|en=one| . &amp; &lt; &gt; &lt;i&gt; &amp;amp; &amp;lt;br/&amp;gt; &#233;
&#xe9; &#13; &#10; é 日本 \u200b \ufeff \U0001f33f en fin English http://example.org/handle/1/23
http://example.org/1 https://doi.org/10.1234/ 10.1234/x doi:10.1234/x https://hdl.handle.net/1/2 hdl:1/2
http://arxiv.org/abs/hep-th/0101001 https://arxiv.org/pdf/ URN:NBN:fi:x-1 urn:doi:10.1234/5 ISSN 1234-5679
oai:x:1 http://a/x.mp3 http://a/b/thumb/7 http://a/?sequence=1 https://pubmed.ncbi.nlm.nih.gov/12 1999
2001-02-03 2001-02-03T04:05:06Z info:eu-repo/date/embargoEnd/2031-01-01 info:eu-repo/semantics/article
application/pdf 234 p. http://creativecommons.org/licenses/by/4.0/ see
"""
WORDS = [*_WORDS.split(), " ", "  ", "\n", "\n\n", "\t", "\r\n", "\r", "\u00a0", "\u2028", "\u0085", ""]
ODD_WORDS = [
    "<b>x</b>",
    "<![CDATA[x]]>",
    "<!--x-->",
    "&nbsp;",
    "&",
    "]]>",
    "\x01",
    "\x7f",
    "\ufffe",
    "<",
    ">",
    "<dc:x/>",
]
SPACES = ["", "", "", "\n  ", "\r\n", " "]
ATTRIBUTES = ["", "", "", "", ' xml:lang="en"', " xml:lang='fi-FI'", ' xml:lang=""', ' lang="sv"', "\n", " "]
ODD_ATTRIBUTES = [
    ' xsi:type="dcterms:URI"',
    ' x:y="z"',
    ' xml:lang="&amp;"',
    ' a=">"',
    f" {DC}",
    " a",
    '/ xml:lang="en"',
]


@st.composite
def elements(draw: st.DrawFn, *, is_odd: bool) -> str:
    name = draw(st.sampled_from([*NAMES, "unheard", "Title"] if is_odd else NAMES))
    attributes = draw(st.sampled_from(ATTRIBUTES + ODD_ATTRIBUTES if is_odd else ATTRIBUTES))
    pieces = draw(st.lists(st.sampled_from(WORDS + ODD_WORDS if is_odd else WORDS), max_size=5))
    words = draw(st.sampled_from(["", " "])).join(pieces) * draw(st.sampled_from([1, 1, 1, 30]))
    after = draw(st.sampled_from([*SPACES, "x", "<!--x-->", "<?x?>", "\x0b"] if is_odd else SPACES))
    prefix = draw(st.sampled_from(["dc:", "dc:", "oai_dc:", ""])) if is_odd else "dc:"
    if not words and draw(st.booleans()):
        return f"<{prefix}{name}{attributes}/>{after}"
    return f"<{prefix}{name}{attributes}>{words}</{prefix}{name}>{after}"


@settings(deadline=None, max_examples=tries(400))
@given(st.lists(elements(is_odd=False), min_size=1, max_size=8), st.sampled_from(SPACES))
def test_every_plain_record_is_read_as_the_parser_reads_it(pieces: list[str], before: str) -> None:
    payload = record(before, *pieces)
    found = flat(payload)
    if found is None:  # subjects may be such that only the whole record explains them
        assert "<dc:subject" in payload
    else:
        assert found == parsed(payload)


@settings(deadline=None, max_examples=tries(600))
@given(
    st.lists(elements(is_odd=True), max_size=5), st.sampled_from([START, START.replace("purl", "x"), "<dc>"])
)
@example(["<dc:title/>", "<dc:subject>a<x/></dc:subject>"], START)
def test_an_odd_record_is_read_as_the_parser_reads_it_or_not_at_all(pieces: list[str], start: str) -> None:
    payload = start + "".join(pieces) + END
    found = flat(payload)
    if found is not None:
        assert found == parsed(payload)


@settings(deadline=None, max_examples=tries(300))
@given(st.text(max_size=40), st.sampled_from(NAMES))
def test_any_words_are_read_as_the_parser_reads_them_or_not_at_all(words: str, name: str) -> None:
    payload = record(f"<dc:{name}>{words}</dc:{name}>").encode(errors="surrogatepass")
    found = flat(payload)
    if found is not None:
        assert found == parsed(payload)


def records_in(folder: Path, every: int) -> Iterator[Record]:
    """Return the records on every so manieth page that can be read."""
    for path in sorted(folder.rglob("*.xml*"))[::every]:
        body = path.read_bytes()
        with suppress(WindrowError):
            yield from parse_page(gzip.decompress(body) if path.suffix == ".gz" else body).records


@own_and_shared
@pytest.mark.parametrize(("folder", "every"), [("oai", 1), ("oai-bulk", 15)])
def test_every_record_is_read_as_the_parser_reads_it(folder: str, every: int, place: Place) -> None:
    reader, answered = FlatReader(READER.roots), 0
    for item in records_in(place(folder), every):
        found = reader.read(item.payload, item.declarations) if item.payload is not None else None
        if item.payload is not None and found is not None:
            answered += 1
            assert found == parsed(item.payload, item.declarations)
    assert answered > (50 if place is own else 500)
