"""Generated pages: any mix of the shapes that servers give to records, prefixes, payloads and tokens."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st

from tests.unit.protocols.oai.pages import OAI

# A pool rather than `st.text`: every page draws dozens, and what matters is which kinds meet.
_TEXTS = [
    "",
    "a",
    " b ",
    "oai:x:7",
    "två ord",
    "日本",
    "\u00a0",
    "𐐷",
    "<",
    "&",
    ">",
    '"',
    "'",
    "x\ny",
    "</record>",
]
_TEXT = st.sampled_from(_TEXTS)
_DATA = st.sampled_from(
    [escape(text) for text in _TEXTS]
    + ["&amp;", "&gt;", "&#233;", "&#x0000E9;", "&quot;", "&#x1F33E;", "a\r\nb"]
)
_BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n", "\t"])
_ODD = ["<!-- </metadata><record> -->", "<?pi </record>?>", "<![CDATA[</metadata> & ]]>"]


@dataclass(frozen=True)
class Shape:
    """How one server writes. A wild one does what hardly any server does."""

    is_wild: bool
    gap: str
    verb: str
    extra: str
    prefix: str = ""
    quote: str = '"'
    declaration: str = '<?xml version="1.0" encoding="UTF-8"?>'

    def tag(self, name: str, inside: str, attributes: str = "") -> str:
        return f"<{self.prefix}{name}{attributes}>{inside}</{self.prefix}{name}>"


@st.composite
def _shapes(draw: st.DrawFn) -> Shape:
    gap, is_wild = draw(_BLANKS), draw(st.booleans())
    verb = draw(st.sampled_from(["ListRecords", "ListRecords", "GetRecord", "ListIdentifiers"]))
    extras = [
        "",
        ' xmlns:dc="urn:dc"',
        " xmlns:q='urn:q' note='\"'",
        ' note="1 &gt; 0" xmlns:e="urn:a&amp;b"',
    ]
    shape = Shape(is_wild, gap, verb, draw(st.sampled_from(extras)))
    if not is_wild:
        return shape
    prefix = draw(st.sampled_from(["", "oai:", "o-1:"]))
    quote = draw(st.sampled_from(['"', "'"]))
    declaration = draw(
        st.sampled_from(["", "<?xml version='1.0'?>", '<?xml version="1.0"?><?xml-stylesheet href="x"?>'])
    )
    return Shape(is_wild, gap, verb, shape.extra, prefix, quote, declaration)


@st.composite
def _values(draw: st.DrawFn, shape: Shape) -> str:
    """Character data, with references and, where it is wild, CDATA in it now and then."""
    parts = draw(st.lists(_DATA, max_size=3))
    if shape.is_wild and draw(st.integers(0, 5)) == 0:
        parts.append("<![CDATA[" + draw(_TEXT) + "]]>")
    return "".join(parts)


@st.composite
def _elements(draw: st.DrawFn, shape: Shape, depth: int = 0) -> str:
    """One element of a payload, with whatever inside."""
    names = ["title", "x-y", "réf", "header", "identifier", "setSpec", "resumptionToken"]
    if shape.is_wild or draw(st.integers(0, 9)) == 0:
        names = ["record", "metadata", "about"]
    name = draw(st.sampled_from(names))
    prefix, declared = draw(
        st.sampled_from(
            [("", ""), ("", ' xmlns="urn:d"'), ("p:", ' xmlns:p="urn:p"'), ("dc:", ' xmlns:dc="urn:dc"')]
        )
    )
    attribute = f" a={quoteattr(draw(_TEXT))}" if draw(st.booleans()) else ""
    inside = draw(_values(shape))
    if depth < 2:
        inside += "".join(draw(st.lists(_elements(shape, depth + 1), max_size=2)))
    if not inside and draw(st.booleans()):
        return f"<{prefix}{name}{declared}{attribute}/>"
    odd = draw(st.sampled_from(_ODD)) if shape.is_wild and draw(st.integers(0, 9)) == 0 else ""
    return f"<{prefix}{name}{declared}{attribute}>{inside}{odd}</{prefix}{name}>"


@st.composite
def _headers(draw: st.DrawFn, shape: Shape) -> str:
    identifier = shape.tag("identifier", "oai:x:" + draw(_values(shape)) if draw(st.integers(0, 9)) else "")
    stamp = shape.tag("datestamp", draw(st.sampled_from(["2024-01-01", " 2024-01-01T00:00:00Z\n", ""])))
    sets = [shape.tag("setSpec", draw(_values(shape))) for _ in range(draw(st.integers(0, 3)))]
    parts = [identifier, stamp, *sets]
    if shape.is_wild:
        parts = draw(st.permutations(parts))
    statuses = ["", "", "", f" status={shape.quote}deleted{shape.quote}", ' status="new"']
    return shape.tag("header", shape.gap.join(["", *parts, ""]), draw(st.sampled_from(statuses)))


@st.composite
def _records(draw: st.DrawFn, shape: Shape) -> str:
    parts = [draw(_headers(shape))]
    if draw(st.integers(0, 9)):
        declared = draw(st.sampled_from(["", ' xmlns:p="urn:other"'])) if shape.is_wild else ""
        elements = draw(st.lists(_elements(shape), min_size=0 if shape.is_wild else 1, max_size=2))
        metadata = shape.tag("metadata", shape.gap + "".join(elements) + shape.gap, declared)
        parts.append(metadata if draw(st.integers(0, 7)) else metadata.removesuffix(">") + " >")
    parts += [
        shape.tag("about", draw(_elements(shape))) for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2])))
    ]
    return shape.tag("record", shape.gap.join(["", *parts, ""]))


_TOKEN_ATTRIBUTES = st.lists(
    st.sampled_from([' cursor="0"', " completeListSize='12'", ' cursor=" x"', ' expirationDate=" 2024\n"']),
    max_size=3,
    unique_by=lambda text: text.partition("=")[0],
)


@st.composite
def _tokens(draw: st.DrawFn, shape: Shape) -> str:
    if draw(st.booleans()):
        return ""
    attributes = "".join(draw(_TOKEN_ATTRIBUTES))
    value = draw(_values(shape))
    if not value and draw(st.booleans()):
        return f"<{shape.prefix}resumptionToken{attributes}/>"
    return shape.tag("resumptionToken", value, attributes)


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    """A well-formed page of records or headers in UTF-8."""
    shape = draw(_shapes())
    entry = _headers(shape) if shape.verb == "ListIdentifiers" else _records(shape)
    entries = draw(st.lists(entry, max_size=4))
    name = f"xmlns:{shape.prefix[:-1]}" if shape.prefix else "xmlns"
    root = f" {name}={shape.quote}{OAI}{shape.quote}{shape.extra}"
    head = shape.tag("responseDate", "2024-01-01T00:00:00Z") + shape.gap
    head += shape.tag("request", "https://repository.example/oai", ' verb="ListRecords"') + shape.gap
    listed = shape.tag(shape.verb, shape.gap.join(["", *entries, draw(_tokens(shape)), ""]))
    document = shape.tag("OAI-PMH", shape.gap + head + listed + shape.gap, root)
    return (shape.declaration + shape.gap + document if shape.declaration else document).encode()
