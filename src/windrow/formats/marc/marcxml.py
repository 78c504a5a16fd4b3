"""Reader of MARCXML (MARC 21): library catalogues, and Invenio repositories with their own conventions.

Element names are compared without namespace, because repositories send the right one, another prefix, the
OAI namespace on the fields, or none at all. What has no place in the document stays in `extra` as
`marc:TAG$code`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from windrow.formats.mapping.agent_names import is_creator, is_grantor, parse_role, trim_isbd
from windrow.formats.mapping.date_values import extract_year
from windrow.formats.mapping.document_draft import MEETING
from windrow.formats.mapping.identifier_schemes import authority_address, best_identifier
from windrow.formats.mapping.xml_records import Draft, element_text, local_name, own_text
from windrow.model.document import Document, LinkKind
from windrow.model.text.language_codes import language_codes

# Fields and subfields.

# U+0098 and U+009C enclose an article that is ignored in sorting (German and Nordic catalogues).
_UNSORTED = dict.fromkeys((0x88, 0x89, 0x98, 0x9C))
_LONGEST_CODE = 8  # characters; tags and codes come from outside and become names in extra
STRAY = "?"  # the code of text in a field but outside of its subfields


@dataclass(slots=True)
class Field:
    """One data field. `used` collects the codes that found a place in the document."""

    tag: str
    ind1: str
    ind2: str
    subfields: list[tuple[str, str]]
    used: set[str] = field(default_factory=set)

    def all(self, codes: str) -> list[str]:
        """Return the values of these subfields in the record's order, and mark them as used."""
        self.used.update(codes)
        return [value for code, value in self.subfields if code in codes]

    def one(self, code: str) -> str:
        """Return the first value of this subfield, or "".

        A single value is marked as used; of several, all stay in the rest as well.
        """
        found = [value for own, value in self.subfields if own == code]
        if len(found) == 1:
            self.used.add(code)
        return found[0] if found else ""

    def peek(self, codes: str) -> str:
        """Return the values of these subfields in one line without marking them as used."""
        return " ".join(value for code, value in self.subfields if code in codes)

    def rest(self) -> Iterator[tuple[str, str]]:
        """Yield codes and values of the unused subfields."""
        return ((code, value) for code, value in self.subfields if code not in self.used)


def field_of(element: etree._Element) -> Field:
    pairs = []
    for child in element:
        name = local_name(child)
        if name:
            code = child.get("code") or STRAY if name == "subfield" else STRAY
            pairs.append((code[:_LONGEST_CODE], element_text(child).translate(_UNSORTED)))
    pairs.append((STRAY, own_text(element)))
    ind1, ind2 = (element.get("ind1") or " ")[:1], (element.get("ind2") or " ")[:1]
    tag = (element.get("tag") or STRAY)[:_LONGEST_CODE]
    return Field(tag, ind1, ind2, [(code, text) for code, text in pairs if text])


def unbracket(text: str) -> str:
    """Return the text without the square brackets that mark it as supplied by the cataloguer."""
    text = trim_isbd(text)
    if text.startswith("[") and text.endswith("]") and text.count("[") == 1:
        return text[1:-1].strip()
    return text


def join_title(field: Field) -> str:
    """Return $a $b $n $p as one title.

    ISBD punctuation is already there in most library records; in German and repository records it is
    missing and is added here.
    """
    pieces: list[str] = []
    for code, value in field.subfields:
        if code in "abnp":
            field.used.add(code)
            if pieces:
                pieces.append(_joint(pieces[-1][-1], code))
            pieces.append(value)
    return trim_isbd("".join(pieces))


def _joint(last: str, code: str) -> str:
    if last in ":;=/,.":
        return " "
    return " : " if code == "b" else ". "


# Agents in fields 1XX, 6XX and 7XX: names, roles, identifiers.

_CORPORATE = frozenset({"110", "410", "610", "710", "810"})
_MEETING = frozenset({"111", "411", "611", "711", "811"})
_PERSONAL = frozenset({"100", "400", "600", "700", "720", "800"})


def heading_of(field: Field) -> str:
    if field.tag in _PERSONAL:
        return _person_of(field, "abcdqt" if field.tag == "600" else "abcd")
    if field.tag in _CORPORATE:
        return ". ".join(trim_isbd(value) for value in field.all("abt"))
    if field.tag in _MEETING:
        return _meeting_of(field)
    # Authority records of subdivisions (18X) have only these subfields.
    return ". ".join(trim_isbd(value) for value in field.all("abnp") or field.all("vxyz"))


def _person_of(field: Field, codes: str) -> str:
    """Return the name as catalogues write it: `Lacroix, Jean`, with numeral and title of nobility."""
    parts = [trim_isbd(value) for value in field.all(codes)]
    return ", ".join(part for part in parts if part)


def _meeting_of(field: Field) -> str:
    name = " ".join(trim_isbd(value) for value in field.all("ae"))
    details = [trim_isbd(value).strip("() ") for value in field.all("ndc")]
    details = [detail for detail in details if detail]
    return f"{name} ({' : '.join(details)})" if details else name


def is_article_shaped(fields: list[Field]) -> bool:
    """Return whether names in 700 without a role are co-authors.

    They are in repositories and publishers' feeds, which contain affiliations ($u) or report numbers.
    Catalogues of books have neither, and there a 700 may be anyone.
    """
    return any(
        field.tag in ("037", "088", "269") or (field.tag in ("100", "700") and field.peek("u"))
        for field in fields
    )


def add_agent(draft: Draft, field: Field, *, are_authors: bool) -> None:
    name = _name_of(field)
    title = trim_isbd(" ".join(field.all("tnp"))) if field.tag[0] == "7" and field.peek("t") else ""
    if title:  # an entry for another work that this one contains or discusses
        draft.add_relation(f"{name}. {title}" if name else title)
        return
    if not name:
        return
    roles = _roles_of(field)
    identifiers = _identifiers_of(draft, field)
    if any(is_grantor(role) for role in roles):
        draft.add_institution(name)
    if field.tag in _MEETING:
        draft.add_contributor(
            name, role=roles[0] if roles else MEETING, identifier=best_identifier(identifiers)
        )
        return
    makes = _makes(field, roles, are_authors=are_authors)
    add = draft.add_creator if makes else draft.add_contributor
    add(
        name,
        role=roles[0] if roles else None,
        identifier=best_identifier(identifiers),
        affiliations=field.all("u") if field.tag in ("100", "700") else (),
    )


def _name_of(field: Field) -> str:
    if field.tag == "720":  # one Czech union catalogue puts advisors into $i
        return trim_isbd(" ".join(field.all("ai")))
    if field.tag in ("100", "700"):  # the years of a life do not belong to a name
        return _person_of(field, "abc")
    return heading_of(field)


def _roles_of(field: Field) -> list[str]:
    words = (
        [role for value in field.all("e") if (role := parse_role(value))] if field.tag not in _MEETING else []
    )
    codes = [
        role for value in field.all("4j" if field.tag in _MEETING else "4") if (role := parse_role(value))
    ]
    return list(dict.fromkeys(words + codes))


def _identifiers_of(draft: Draft, field: Field) -> list[str]:
    codes = "01j" if field.tag in ("100", "700") else "01"  # Hindawi has ORCID-0000-… in $j
    found = [value for text in field.all(codes) if (value := authority_address(text))]
    best = best_identifier(found)
    for value in found:
        if value != best:
            draft.add_extra(f"marc:{field.tag}$0", value)
    return found


def _makes(field: Field, roles: list[str], *, are_authors: bool) -> bool:
    if field.tag[0] == "1":
        return True
    if roles:
        return any(is_creator(role) for role in roles)
    return field.tag == "720" or (field.tag == "700" and are_authors)


# The mapping of fields. A rule takes the subfields it can use; the reader keeps the rest.

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
_LONGEST_LABEL = 500  # characters; the label is repeated beside every address of the field
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
        draft.add_identifier(trim_isbd(value), scheme="issn")


def _add_standard_number(draft: Draft, field: Field) -> None:
    """Add field 024 (and 037, where Invenio keeps the arXiv number) by the scheme stated in it."""
    scheme = (field.peek("2") or (field.peek("9") if field.tag == "037" else "")).strip().lower()
    if field.tag == "037" and scheme != "arxiv":
        return
    for value in field.all("a"):
        number = f"arXiv:{value}" if scheme == "arxiv" and not value.lower().startswith("arxiv") else value
        if scheme in ("hdl", "handle") and "://" not in value and not value.startswith("hdl:"):
            number = f"hdl:{value}"
        draft.add_identifier(number, scheme=scheme[:32] or None)


def _add_languages(draft: Draft, field: Field) -> None:
    """Add the languages of field 041; old records put three codes into one subfield."""
    for value in field.all("ad"):
        code = value.strip()
        is_run = len(code) % 3 == 0 and len(code) <= 30 and code.isalpha() and not language_codes(code)
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
            draft.add_date(trim_isbd(value), kinds.get(field.ind2, "issued"))


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
        # Publishers' feeds have the bare number of pages.
        draft.add_extent(f"{count} p." if count.isdecimal() and len(count) < 5 else value, "300$a")


def _add_series(draft: Draft, field: Field) -> None:
    name = ". ".join(trim_isbd(value) for value in field.all("atnp"))
    volume = "; ".join(trim_isbd(value) for value in field.all("v"))
    draft.add_source(f"{name} ; {volume}" if volume else name)


def _add_host(draft: Draft, field: Field) -> None:
    """Add field 773: library records describe the position in $g, Invenio in $v $n $c $y."""
    title = trim_isbd(" ".join(field.all("t") or field.all("p")))
    if not title:
        return
    place = field.all("g") or [value for code in "vnyc" for value in field.all(code)]
    draft.add_source(", ".join(dict.fromkeys([title, *(trim_isbd(part) for part in place)])))


def _add_related(draft: Draft, field: Field) -> None:
    label = field.peek("i").strip(" :")
    title = trim_isbd(" ".join(field.all("t")))
    if title:
        draft.add_relation(f"{label}: {title}" if label else title)


def _add_thesis(draft: Draft, field: Field) -> None:
    for value in field.all("c"):
        draft.add_institution(value)
    note = field.peek("a")[:1000]
    degree = _THESIS.search(note)
    if degree is not None and not field.peek("c"):
        draft.add_extra("marc:502$b", degree[1])
        draft.add_institution(trim_isbd(_THESIS_YEAR.split(note[degree.end() :], maxsplit=1)[0]))
    for value in field.all("d"):
        draft.add_date(value, "defended")
    if len(field.peek("a")) <= len("2006-09-13") and extract_year(field.peek("a")):
        draft.add_date(field.one("a"), "defended")


def _add_abstract(draft: Draft, field: Field) -> None:
    codes = language_codes(field.peek("9")) if len(field.peek("9")) == 3 else ()
    is_abstract = field.ind1 in " 3"
    draft.add_description(" ".join(field.all("ab")), codes[0] if codes else None, is_abstract=is_abstract)


def _add_rights(draft: Draft, field: Field) -> None:
    for value in field.all("acf" if field.tag != "542" else "afn"):
        draft.add_rights(value)
    for value in field.all("u"):
        draft.add_rights(value)


def add_subject(draft: Draft, field: Field) -> None:
    parts = [heading_of(field), *(trim_isbd(value) for value in field.all("vxyz"))]
    words = " -- ".join(part for part in parts if part)
    if not words:
        return
    is_named = field.ind2 == "7" or field.tag == "689"  # German libraries chain headings in 689
    scheme, _, language = field.one("2").partition("/") if is_named else ("", "", "")
    scheme = scheme.strip()[:64] or ("" if field.tag == "689" else _SCHEMES.get(field.ind2, ""))
    uris = [uri for value in field.all("01") if (uri := authority_address(value))]
    best = best_identifier(uris)
    for uri in uris:
        if uri != best:
            draft.add_extra(f"marc:{field.tag}$0", uri)
    codes = language_codes(language) if language else ()
    draft.add_subject(
        words,
        scheme=scheme or None,
        uri=best,
        language=codes[0] if codes else None,
    )


def _add_keywords(draft: Draft, field: Field) -> None:
    for value in field.all("a"):
        draft.add_keyword(trim_isbd(value))


def _add_genre(draft: Draft, field: Field) -> None:
    for value in field.all("a"):
        draft.add_type(trim_isbd(value))


def _add_link(draft: Draft, field: Field) -> None:
    """Add field 856; the second indicator and the text beside the address determine the kind of link."""
    words = field.peek("3yz")  # not marked as used: a link that is already known keeps no label
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
    # Alma puts digital representations into a field of its own.
    for code, hint in (("d", LinkKind.THUMBNAIL), ("c", None)):
        for url in field.all(code):
            draft.add_link(url, hint=hint)


def _leave(draft: Draft, field: Field) -> None:
    # Machine numbers and local codes stay in extra.
    pass


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

NAMESPACE = "http://www.loc.gov/MARC21/slim"

# Leader positions 6 and 7 as words.
_KINDS = {
    "c": "notated music",
    "d": "manuscript music",
    "e": "map",
    "f": "manuscript map",
    "g": "film or video",
    "i": "sound recording",
    "j": "music recording",
    "k": "image",
    "m": "computer file",
    "o": "kit",
    "p": "mixed material",
    "r": "object",
    "t": "manuscript",
    "z": "authority",
}
_LEVELS = {
    "a": "article",
    "b": "article",
    "c": "collection",
    "d": "collection",
    "i": "website",
    "m": "book",
    "s": "serial",
}
_INVENIO = "00000coc"  # Invenio writes the leader of a kit for every record


class MarcXml:
    """Reader of MARC 21 in XML, with or without its namespace, alone or inside a collection."""

    name = "marcxml"
    prefixes = frozenset(
        {"marc21", "marc", "oai_marc21", "marc21-slim", "MARC21-xml", "marcxchange", "marc_xml"}
    )
    roots = frozenset({f"{{{NAMESPACE}}}record", f"{{{NAMESPACE}}}collection"})

    def read(self, root: etree._Element) -> Document:
        # Of a collection, the first record counts.
        record = _Record(root)
        record.place()
        return record.draft.finish()


class _Record:
    """The state of reading one record."""

    def __init__(self, root: etree._Element) -> None:
        self.draft = Draft("marc")
        self.leader = ""
        self.control: dict[str, str] = {}
        self.fields: list[Field] = []
        self._gather(root)

    def _gather(self, root: etree._Element) -> None:
        record = next((child for child in root if local_name(child) == "record"), root)
        self.draft.add_extra(f"marc:{local_name(root)[:64]}", own_text(root))
        self.draft.add_extra("marc:record", own_text(record))
        for child in record:
            self._gather_child(child)
        for other in root if record is not root else ():
            if other is not record and local_name(
                other
            ):  # a payload is one record; the words of further ones are kept
                self.draft.add_extra(f"marc:{local_name(other)[:64]}", element_text(other))

    def _gather_child(self, element: etree._Element) -> None:
        name = local_name(element)
        if name == "datafield":
            self.fields.append(field_of(element))
        elif name == "leader":
            self.leader = self.leader or element.text or ""
            self.draft.add_extra("marc:leader", element_text(element))
        elif name == "controlfield":
            tag = (element.get("tag") or "?")[:8]
            self.control.setdefault(tag, element.text or "")
            self.draft.add_extra(f"marc:{tag}", element_text(element))
        elif name:
            self.draft.add_extra(f"marc:{name[:64]}", element_text(element))

    def place(self) -> None:
        """Add every field; unused subfields go to extra."""
        self._place_kind()
        if self.leader[6:7] == "z":
            self._place_heading()
        else:
            self._place_titles()
            self._place_fields()
            self._place_fixed()
        for entry in self.fields:
            for code, value in entry.rest():
                self.draft.add_extra(f"marc:{entry.tag}${code}", value)

    def _place_fields(self) -> None:
        are_authors = is_article_shaped(self.fields)
        for entry in self.fields:
            place = PLACES.get(entry.tag)
            if place is not None:
                place(self.draft, entry)
            elif entry.tag[:1] == "6":
                add_subject(self.draft, entry)
            elif entry.tag in ("100", "110", "111", "700", "710", "711", "720"):
                add_agent(self.draft, entry, are_authors=are_authors)

    def _place_titles(self) -> None:
        for tag in ("245", "242", "246", "130", "240"):
            for entry in self.fields:
                if entry.tag == tag or (entry.tag == "880" and entry.peek("6").startswith(tag)):
                    self.draft.add_title(join_title(entry))

    def _place_heading(self) -> None:
        # An authority record has no title of its own, so its heading becomes the title.
        for entry in self.fields:
            if entry.tag[:1] == "1":
                self.draft.add_title(heading_of(entry))

    def _place_kind(self) -> None:
        if any(field.tag == "502" for field in self.fields):
            self.draft.add_type("thesis")
        if self.leader.startswith(_INVENIO):
            return
        kind = _KINDS.get(self.leader[6:7])
        if kind is None and self.leader[6:7] == "a":
            kind = _LEVELS.get(self.leader[7:8])
        self.draft.add_type(kind or "")

    def _place_fixed(self) -> None:
        # Field 008 supplies language and year only if the variable fields have none.
        fixed = self.control.get("008", "")
        if len(fixed) < 11:
            return
        for code in language_codes(fixed[35:38].strip("|# ")) if len(fixed) >= 38 else ():
            self.draft.add_language(code)
        dated = ("260", "264", "046", "269", "773", "502")
        if not any(extract_year(field.peek("cdkyg")) for field in self.fields if field.tag in dated):
            year = fixed[7:11].replace("u", "-")  # an unknown digit
            self.draft.add_date(year if year[:2].isdecimal() else "", "issued")


READER = MarcXml()
