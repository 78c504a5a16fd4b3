"""Context sets and their indexes: the mapping of CQL index names to fields of a query.

The same table is used for explain, the reference page and parsing. `windrow` contains every field of the
query language under its own name, and is also the set of names without a prefix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from windrow.model.query import FIELDS, find_field
from windrow.protocols.sru.sru_diagnostics import SruError

ANYWHERE: tuple[str, ...] = ()  # any field
ALL_RECORDS = "allRecords"
RESULT_SET = "resultSetId"
OWN = "windrow"


@dataclass(frozen=True, slots=True)
class ContextSet:
    """A set of indexes, by their names in lower case, and the URIs that identify it."""

    name: str
    title: str
    uris: tuple[str, ...]
    indexes: Mapping[str, tuple[str, ...]]  # index to fields, one of which must match


@dataclass(frozen=True, slots=True)
class Index:
    """An index of a query, with its context set."""

    set: str
    name: str
    fields: tuple[str, ...]  # none: any field

    @property
    def label(self) -> str:
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
_EVENT_LANGUAGE = "eventlanguage"  # the language of an event; `language` is that of the record

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
# Sets whose indexes exist only in databases of other records (`Indexes.extra`).
OTHER_SETS = {"zthes": ("http://zthes.z3950.org/cql/1.0.1", "http://zthes.z3950.org/cql/1.0")}
_OTHER_BY_URI = {uri: name for name, uris in OTHER_SETS.items() for uri in uris}
_BY_NAME = {each.name: each for each in CONTEXT_SETS} | {"srw": CONTEXT_SETS[0], "xcql": CONTEXT_SETS[0]}
_BY_URI = {uri: each for each in CONTEXT_SETS for uri in each.uris}
# Names with capitals, as explain writes them.
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
    """Looks up the indexes of one query in these sets and in the prefixes that it assigns.

    `extra` contains the indexes of a particular database (`zthes.termName`), each with its field.
    """

    def __init__(self, extra: Mapping[str, str] | None = None) -> None:
        self._extra = {name.lower(): field for name, field in (extra or {}).items()}

    def find(self, name: str, prefixes: Mapping[str, str]) -> Index:
        """Return the index of a name; raise SruError if there is none. `prefixes` are URIs by prefix."""
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
        """Return the set of a prefix; None for an empty prefix that was not assigned."""
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
        """Return the index of a name without a prefix: a field, else an index of CQL or Dublin Core."""
        field = find_field(name)
        if field is not None:
            return Index(OWN, field, (field,))
        for each in (_BY_NAME[OWN], _BY_NAME["cql"], _BY_NAME["dc"], _BY_NAME["bath"]):
            fields = each.indexes.get(name.lower())
            if fields is not None:
                return Index(each.name, WRITTEN.get(name.lower(), name), fields)
        raise SruError(16, name)


def listed_indexes() -> Iterator[tuple[ContextSet, str, tuple[str, ...]]]:
    """Yield every index of every set, for explain and the reference page."""
    for each in CONTEXT_SETS:
        for name, fields in each.indexes.items():
            yield each, WRITTEN.get(name, name), fields
