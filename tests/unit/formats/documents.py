"""Documents at random, and what oai_dc must look like, for the tests of what is written."""

from __future__ import annotations

from hypothesis import strategies as st

from windrow.model.document import (
    Agent,
    Document,
    DocumentDate,
    Event,
    Identifier,
    Link,
    LinkKind,
    Subject,
    Text,
)

# Any code point, forbidden ones and halves of pairs among them, with what means something to XML more often.
TEXTS = st.text(
    st.sampled_from("<>&;'\" \r\n\t\x00\x0b\x1f\ufffe\ud800") | st.characters(exclude_categories=[]),
    max_size=12,
)
_MAYBE = st.none() | TEXTS
_LANGUAGES = st.sampled_from(["fi", "en", "sv-FI", "no such", '"><', "toolonglanguage", ""]) | _MAYBE


def _some(values: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(values, max_size=3).map(tuple)


def documents() -> st.SearchStrategy[Document]:
    """Give documents that no reader would make, too: empty and repeated values, odd languages and years."""
    agents = _some(st.builds(Agent, TEXTS, _MAYBE, _MAYBE, _some(TEXTS)))
    texts = _some(st.builds(Text, TEXTS, _LANGUAGES))
    schemes = st.sampled_from(["doi", "isbn", "issn", "urn", "hdl", "arxiv", "local", "x"])
    names = ["dc:coverage", "dc:format", "dc:type", "mods:note", "xoai:dc.rights.uri", "junk"]
    dates = TEXTS | st.sampled_from(
        ["2014", "2014-05", "20140503", "2014-05-03T10:00:00Z", "ca. 1999", "n.d."]
    )
    return st.builds(
        Document,
        titles=texts,
        creators=agents,
        contributors=agents,
        subjects=_some(st.builds(Subject, TEXTS, _MAYBE, _MAYBE, _LANGUAGES)),
        keywords=_some(TEXTS),
        descriptions=texts,
        publishers=_some(TEXTS),
        dates=_some(
            st.builds(DocumentDate, dates, st.sampled_from(["date", "issued", "created", "embargo"]))
        ),
        year=st.none() | st.integers(0, 9999),
        types=_some(TEXTS),
        languages=_some(TEXTS),
        pages=st.none() | st.integers(1, 9999),
        links=_some(st.builds(Link, TEXTS, st.sampled_from(LinkKind), _MAYBE, _MAYBE)),
        names=_some(st.builds(Identifier, schemes, TEXTS)),
        rights=_some(TEXTS),
        sources=_some(TEXTS),
        relations=_some(TEXTS),
        institution=_MAYBE,
        department=_MAYBE,
        extra=st.dictionaries(st.sampled_from(names), _some(TEXTS), max_size=3),
        events=_some(st.builds(Event, *[_MAYBE] * len(Event._fields))),
    )
