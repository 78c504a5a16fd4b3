"""Where each MARC field finds its place in a document. Part of the marcxml reader.

A rule takes the subfields it has a place for; the reader keeps the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from windrow.formats.authorities import authority_of, best_of
from windrow.formats.dates import year_of
from windrow.formats.elements import Draft
from windrow.formats.marcagents import heading_of
from windrow.formats.marcfields import Field, unbracket
from windrow.formats.stated_names import trim
from windrow.model.document import LinkKind
from windrow.model.languages import codes_of

_SCHEMES = {"0": "lcsh", "1": "lcshac", "2": "mesh", "3": "nal", "5": "csh", "6": "rvm"}
_ISBN = re.compile(r"[\d][\d -]{8,16}[\dXx]")
_THESIS = re.compile(r"\(([^()]{1,60})\)\s*(?:--|[-–—])\s*")  # Thesis (Ph. D.)--University, 1986.
_THESIS_YEAR = re.compile(
    r"[,.]?\s*(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?,?\s+)?\[?c?\d{4}",
    re.IGNORECASE,
)
_FULLTEXT = re.compile(
    r"full\s?-?text|volltext|plein\stexte|texte\sint|kokoteksti|fulltext|\bpdf\b", re.IGNORECASE
)
_ASIDE = re.compile(
    r"table of contents|inhalt|abstract|description|rezension|review|cover|leseprobe|sample|biograph|"
    r"sisällysluettelo|finding aid",
    re.IGNORECASE,
)
_LONGEST_LABEL = 500  # it stands beside every address of the field
_RESOLVED = re.compile(r"https?://(?:dx\.)?(?:doi\.org|hdl\.handle\.net)/", re.IGNORECASE)


def _add_isbn(draft: Draft, field: Field) -> None:
    found = _ISBN.search(field.peek("a")[:200])
    if found is None:
        return
    draft.add_identifier(f"ISBN {found[0]}")
    if found[0] == field.peek("a").strip(" :;"):
        field.used.add("a")


def _add_issn(draft: Draft, field: Field) -> None:
    for value in field.all("a"):
        draft.add_identifier(trim(value), scheme="issn")


def _add_standard_number(draft: Draft, field: Field) -> None:
    """Take field 024 (and 037, where Invenio keeps the arXiv number) by the scheme it names."""
    scheme = (field.peek("2") or (field.peek("9") if field.tag == "037" else "")).strip().lower()
    if field.tag == "037" and scheme != "arxiv":
        return
    for value in field.all("a"):
        number = f"arXiv:{value}" if scheme == "arxiv" and not value.lower().startswith("arxiv") else value
        if scheme in ("hdl", "handle") and "://" not in value and not value.startswith("hdl:"):
            number = f"hdl:{value}"
        draft.add_identifier(number, scheme=scheme[:32] or None)


def _add_languages(draft: Draft, field: Field) -> None:
    """Take the languages of field 041; old records write three codes into one subfield."""
    for value in field.all("ad"):
        code = value.strip()
        is_run = len(code) % 3 == 0 and len(code) <= 30 and code.isalpha() and not codes_of(code)
        for part in [code[at : at + 3] for at in range(0, len(code), 3)] if is_run else [code]:
            draft.add_language(part)


def _add_publication(draft: Draft, field: Field) -> None:
    kinds = {"0": "created", "4": "copyrighted"} if field.tag == "264" else {}
    is_published = field.tag == "260" or field.ind2 in " 1"
    for value in field.all("b") if is_published else []:
        publisher = unbracket(value)
        if publisher.lower() in ("s.n.", "s. n.", "s.n", "publisher not identified"):
            draft.add_extra(f"marc:{field.tag}$b", value)
        else:
            draft.add_publisher(publisher)
    if is_published or field.ind2 in kinds:
        for value in field.all("c"):
            draft.add_date(trim(value), kinds.get(field.ind2, "issued"))


def _add_preprint_date(draft: Draft, field: Field) -> None:
    for value in field.all("c"):
        draft.add_date(value, "created")


def _add_coded_dates(draft: Draft, field: Field) -> None:
    for code, kind in (("k", "created"), ("j", "modified")):
        for value in field.all(code):
            draft.add_date(value, kind)


def _add_extent(draft: Draft, field: Field) -> None:
    for value in field.all("a"):
        count = value.strip()
        # Publishers' feeds give the bare number of pages.
        draft.add_extent(f"{count} p." if count.isdecimal() and len(count) < 5 else value, "300$a")


def _add_series(draft: Draft, field: Field) -> None:
    name = ". ".join(trim(value) for value in field.all("atnp"))
    volume = "; ".join(trim(value) for value in field.all("v"))
    draft.add_source(f"{name} ; {volume}" if volume else name)


def _add_host(draft: Draft, field: Field) -> None:
    """Take field 773: library records describe the place in $g, Invenio in $v $n $c $y."""
    title = trim(" ".join(field.all("t") or field.all("p")))
    if not title:
        return
    place = field.all("g") or [value for code in "vnyc" for value in field.all(code)]
    draft.add_source(", ".join(dict.fromkeys([title, *(trim(part) for part in place)])))


def _add_related(draft: Draft, field: Field) -> None:
    label = field.peek("i").strip(" :")
    title = trim(" ".join(field.all("t")))
    if title:
        draft.add_relation(f"{label}: {title}" if label else title)


def _add_thesis(draft: Draft, field: Field) -> None:
    for value in field.all("c"):
        draft.add_institution(value)
    note = field.peek("a")[:1000]
    degree = _THESIS.search(note)
    if degree is not None and not field.peek("c"):
        draft.add_extra("marc:502$b", degree[1])
        draft.add_institution(trim(_THESIS_YEAR.split(note[degree.end() :], maxsplit=1)[0]))
    for value in field.all("d"):
        draft.add_date(value, "defended")
    if len(field.peek("a")) <= len("2006-09-13") and year_of(field.peek("a")):
        draft.add_date(field.one("a"), "defended")


def _add_abstract(draft: Draft, field: Field) -> None:
    codes = codes_of(field.peek("9")) if len(field.peek("9")) == 3 else ()
    is_abstract = field.ind1 in " 3"
    draft.add_description(" ".join(field.all("ab")), codes[0] if codes else None, is_abstract=is_abstract)


def _add_rights(draft: Draft, field: Field) -> None:
    for value in field.all("acf" if field.tag != "542" else "afn"):
        draft.add_rights(value)
    for value in field.all("u"):
        draft.add_rights(value)


def add_subject(draft: Draft, field: Field) -> None:
    """Take a subject heading: its subdivisions joined on, its vocabulary and its number in it."""
    parts = [heading_of(field), *(trim(value) for value in field.all("vxyz"))]
    words = " -- ".join(part for part in parts if part)
    if not words:
        return
    is_named = field.ind2 == "7" or field.tag == "689"  # 689 is how German libraries chain headings
    scheme, _, language = field.one("2").partition("/") if is_named else ("", "", "")
    scheme = scheme.strip()[:64] or ("" if field.tag == "689" else _SCHEMES.get(field.ind2, ""))
    uris = [uri for value in field.all("01") if (uri := authority_of(value))]
    best = best_of(uris)
    for uri in uris:
        if uri != best:
            draft.add_extra(f"marc:{field.tag}$0", uri)
    codes = codes_of(language) if language else ()
    draft.add_subject(
        words,
        scheme=scheme or None,
        uri=best,
        language=codes[0] if codes else None,
    )


def _add_keywords(draft: Draft, field: Field) -> None:
    for value in field.all("a"):
        draft.add_keyword(trim(value))


def _add_genre(draft: Draft, field: Field) -> None:
    for value in field.all("a"):
        draft.add_type(trim(value))


def _add_link(draft: Draft, field: Field) -> None:
    """Take field 856: the second indicator and the words beside the address say what it leads to."""
    words = field.peek("3yz")  # not used up: a link that is already known keeps no label
    media_type = field.one("q") or None
    label = words if len(words) <= _LONGEST_LABEL else None
    hint = None
    if field.ind2 == "2" or (_ASIDE.search(words[:500]) and not _FULLTEXT.search(words[:500])):
        hint = LinkKind.RELATED
    elif _FULLTEXT.search(words[:500]):
        hint = LinkKind.FULLTEXT
    for url in field.all("u"):
        kind = None if hint is LinkKind.FULLTEXT and _RESOLVED.match(url) else hint
        draft.add_link(
            url, media_type=media_type if media_type and "/" in media_type else None, hint=kind, label=label
        )
    if media_type and "/" not in media_type:
        draft.add_extra("marc:856$q", media_type)


def _add_representation(draft: Draft, field: Field) -> None:
    """Take the digital representations that Alma puts into a field of its own making."""
    for code, hint in (("d", LinkKind.THUMBNAIL), ("c", None)):
        for url in field.all(code):
            draft.add_link(url, hint=hint)


def _leave(draft: Draft, field: Field) -> None:
    """Leave the field to extra: numbers for machines, local codes."""


PLACES: dict[str, Callable[[Draft, Field], None]] = {
    "020": _add_isbn,
    "022": _add_issn,
    "024": _add_standard_number,
    "037": _add_standard_number,
    "041": _add_languages,
    "046": _add_coded_dates,
    "260": _add_publication,
    "264": _add_publication,
    "269": _add_preprint_date,
    "300": _add_extent,
    "440": _add_series,
    "490": _add_series,
    "502": _add_thesis,
    "506": _add_rights,
    "520": _add_abstract,
    "540": _add_rights,
    "542": _add_rights,
    "653": _add_keywords,
    "655": _add_genre,
    "773": _add_host,
    "776": _add_related,
    "780": _add_related,
    "785": _add_related,
    "787": _add_related,
    "800": _add_series,
    "810": _add_series,
    "811": _add_series,
    "830": _add_series,
    "856": _add_link,
    "AVD": _add_representation,
    # Local tags among the subjects: collections, experiments, holdings.
    **dict.fromkeys((f"69{digit}" for digit in range(10)), _leave),
}
