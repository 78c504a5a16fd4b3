"""Context sets and their indexes: what a name in CQL stands for among the fields of a query.

One table for explain, for the reference page and for reading queries. `windrow` has every field of the query
language under its own name, and that is also the set of a name without a prefix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from windrow.model.query import FIELDS, find_field
from windrow.protocols.sru.sru_diagnostics import SruError

ANYWHERE: tuple[str, ...] = ()  # no field in particular
ALL_RECORDS = "allRecords"
RESULT_SET = "resultSetId"
OWN = "windrow"


@dataclass(frozen=True, slots=True)
class ContextSet:
    """A set of indexes (by their names in small letters) and the URIs by which it is known."""

    name: str
    title: str
    uris: tuple[str, ...]
    indexes: Mapping[str, tuple[str, ...]]  # each with the fields of which one has what is looked for


@dataclass(frozen=True, slots=True)
class Index:
    """An index of a query, found in its context set."""

    set: str
    name: str
    fields: tuple[str, ...]  # none: anywhere

    @property
    def label(self) -> str:
        """What diagnostics call it."""
        return f"{self.set}.{self.name}"


def _same(*names: str) -> dict[str, tuple[str, ...]]:
    return {name: (name,) for name in names}


_NAMES = ("creator", "contributor")
_CQL = {
    "serverchoice": ANYWHERE,
    "anywhere": ANYWHERE,
    "anyindexes": ANYWHERE,
    "allindexes": ANYWHERE,
    "keywords": ANYWHERE,
    ALL_RECORDS.lower(): ANYWHERE,
    RESULT_SET.lower(): ANYWHERE,
}
_DC = _same(
    *("title", "creator", "contributor", "subject", "description", "publisher", "date", "type", "format"),
    *("identifier", "language", "relation", "rights"),
) | {
    "source": ("journal",),
    "author": ("creator",),
    "editor": ("contributor",),
    "resourcetype": ("type",),
    "resourceidentifier": ("identifier",),
}
_BATH = {
    "any": ANYWHERE,
    "name": _NAMES,
    "personalname": _NAMES,
    "corporatename": _NAMES,
    "conferencename": _NAMES,
    "meetingname": _NAMES,
    "uniformtitle": ("title",),
    "keytitle": ("title",),
    "topicalsubject": ("subject",),
    "geographicname": ("subject",),
    "genreform": ("type",),
    "standardidentifier": ("identifier",),
    "isbn": ("identifier",),
    "issn": ("identifier",),
    "lccn": ("identifier",),
    "possessinginstitution": ("institution",),
    "notes": ("notes",),
}
_REC = {
    "identifier": ("identifier",),
    "source": ("source",),
    "collectionname": ("source",),
    "format": ("format",),
    "language": ("language",),
}
_EVENT_LANGUAGE = "eventlanguage"  # the language of an occasion, where `language` is that of the record

CONTEXT_SETS = (
    ContextSet(
        "cql",
        "CQL",
        (
            "info:srw/cql-context-set/1/cql-v1.2",
            "info:srw/cql-context-set/1/cql-v1.1",
            "http://docs.oasis-open.org/ns/search-ws/cql-2.0",
        ),
        _CQL,
    ),
    ContextSet("dc", "Dublin Core", ("info:srw/cql-context-set/1/dc-v1.1",), _DC),
    ContextSet("bath", "Bath profile", ("http://zing.z3950.org/cql/bath/2.0/",), _BATH),
    ContextSet(
        "rec",
        "Record metadata",
        ("info:srw/cql-context-set/2/rec-1.1", "info:srw/cql-context-set/2/rec-1.0"),
        _REC,
    ),
    ContextSet("sort", "Sorting", ("info:srw/cql-context-set/1/sort-v1.0",), {}),
    ContextSet(
        OWN,
        "Fields of this library",
        ("urn:windrow:cql:1",),
        {name: (name,) for name in FIELDS} | {_EVENT_LANGUAGE: ("event_language",)},
    ),
)
# Sets whose indexes only databases of other records have (`Indexes.extra`).
OTHER_SETS = {"zthes": ("http://zthes.z3950.org/cql/1.0.1", "http://zthes.z3950.org/cql/1.0")}
_OTHER_BY_URI = {uri: name for name, uris in OTHER_SETS.items() for uri in uris}
_BY_NAME = {each.name: each for each in CONTEXT_SETS} | {"srw": CONTEXT_SETS[0], "xcql": CONTEXT_SETS[0]}
_BY_URI = {uri: each for each in CONTEXT_SETS for uri in each.uris}
# How explain writes names that have a capital within.
WRITTEN = {
    name.lower(): name
    for name in (
        *("serverChoice", "anyIndexes", "allIndexes", ALL_RECORDS, RESULT_SET, "resourceType"),
        *("resourceIdentifier", "personalName", "corporateName", "conferenceName", "meetingName", "keyTitle"),
        *("uniformTitle", "topicalSubject", "geographicName", "genreForm", "standardIdentifier"),
        *("possessingInstitution", "collectionName", "eventLanguage"),
    )
}


class Indexes:
    """Finds what the indexes of one query stand for, among these sets and the prefixes that it assigns.

    `extra` are names of a database of its own (`zthes.termName`), each with its field.
    """

    def __init__(self, extra: Mapping[str, str] | None = None) -> None:
        self._extra = {name.lower(): field for name, field in (extra or {}).items()}

    def find(self, name: str, prefixes: Mapping[str, str]) -> Index:
        """Return the index of a name; SruError where there is none. `prefixes` are URIs by prefix."""
        prefix, dot, inner = name.partition(".")
        if not dot:
            prefix, inner = "", name
        other = _OTHER_BY_URI.get(prefixes.get(prefix.lower(), ""))
        field = self._extra.get(f"{other}.{inner.lower()}" if other else name.lower())
        if field is not None and (other or prefix.lower() not in prefixes):
            return Index(other or prefix or OWN, inner, (field,))
        found = self._set(prefix, prefixes)
        if found is None:
            return self._unprefixed(inner)
        fields = found.indexes.get(inner.lower())
        if fields is None and found.name == OWN:
            alias = find_field(inner)
            fields = None if alias is None else (alias,)
        if fields is None:
            raise SruError(16, name)
        return Index(found.name, WRITTEN.get(inner.lower(), inner), fields)

    def _set(self, prefix: str, prefixes: Mapping[str, str]) -> ContextSet | None:
        """Return the set of a prefix; None for no prefix where none was assigned to that."""
        uri = prefixes.get(prefix.lower())
        if uri is not None:
            found = _BY_URI.get(uri)
            if found is None:
                raise SruError(15, uri)
            return found
        if not prefix:
            return None
        found = _BY_NAME.get(prefix.lower())
        if found is None:
            raise SruError(15, prefix)
        return found

    def _unprefixed(self, name: str) -> Index:
        """Return what a name without a prefix stands for: a field, else an index of CQL or Dublin Core."""
        field = find_field(name)
        if field is not None:
            return Index(OWN, field, (field,))
        for each in (_BY_NAME[OWN], _BY_NAME["cql"], _BY_NAME["dc"], _BY_NAME["bath"]):
            fields = each.indexes.get(name.lower())
            if fields is not None:
                return Index(each.name, WRITTEN.get(name.lower(), name), fields)
        raise SruError(16, name)


def listed_indexes() -> Iterator[tuple[ContextSet, str, tuple[str, ...]]]:
    """Yield every index of every set, as explain and the reference list them."""
    for each in CONTEXT_SETS:
        for name, fields in each.indexes.items():
            yield each, WRITTEN.get(name, name), fields
