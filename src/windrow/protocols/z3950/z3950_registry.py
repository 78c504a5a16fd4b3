"""The registry of Z39.50 identifiers, access points and diagnostics that the target supports.

Access points (Use attributes) of Bib-1, GILS and Zthes are mapped to our fields. A profile adds mappings, or
replaces some. `studera` is the mapping of the Swedish course service Studera.NU (2001): GILS has no places
for courses, so degrees, occupations, prerequisites and events were put in others.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import NamedTuple

# Object identifiers: attribute sets, record syntaxes, schemas, diagnostics.

_Z3950 = "1.2.840.10003"

BIB_1 = f"{_Z3950}.3.1"
EXP_1 = f"{_Z3950}.3.2"
GILS_ATTRIBUTES = f"{_Z3950}.3.5"
UTIL = f"{_Z3950}.3.11"
XD_1 = f"{_Z3950}.3.12"
ZTHES_ATTRIBUTES = f"{_Z3950}.3.13"

DIAGNOSTICS = f"{_Z3950}.4.1"

USMARC = f"{_Z3950}.5.10"
SUTRS = f"{_Z3950}.5.101"
GRS_1 = f"{_Z3950}.5.105"
XML = f"{_Z3950}.5.109.10"

GILS_SCHEMA = f"{_Z3950}.13.2"
ZTHES_SCHEMA = f"{_Z3950}.13.8"

USER_INFORMATION = f"{_Z3950}.10.3"  # userInformationField-1
NEGOTIATION = f"{_Z3950}.15.3"  # character set and language, version 3
UTF_8 = "1.0.10646.1.0.8"

# Their names in PQF and in common use.
ATTRIBUTE_SETS = {
    "bib-1": BIB_1,
    "bib1": BIB_1,
    "gils": GILS_ATTRIBUTES,
    "util": UTIL,
    "xd-1": XD_1,
    "zthes": ZTHES_ATTRIBUTES,
    "exp-1": EXP_1,
    "exp1": EXP_1,
}
ATTRIBUTE_SET_NAMES = {
    BIB_1: "Bib-1",
    GILS_ATTRIBUTES: "GILS",
    ZTHES_ATTRIBUTES: "Zthes",
    XD_1: "XD-1",
    UTIL: "Util",
    EXP_1: "Exp-1",
}


class Profile(StrEnum):
    """How a target interprets attributes and writes GILS records."""

    GILS = "gils"
    STUDERA = "studera"


class AccessPoint(NamedTuple):
    """A Use attribute: its number, its name in the standard, and the fields it searches; none for all."""

    number: int
    name: str
    fields: tuple[str, ...] = ()


EVENT = "event"  # instead of a field: the whole event as one string
_TITLE, _SUBJECT, _NUMBER = ("title",), ("subject",), ("identifier",)
_PEOPLE = ("creator", "contributor")
DATED = ("year", "date")  # a year is compared with the year, a more precise value with the date

_BIB_1 = (
    AccessPoint(1, "Personal-name", _PEOPLE),
    AccessPoint(2, "Corporate-name", _PEOPLE),
    AccessPoint(3, "Conference-name", _PEOPLE),
    AccessPoint(4, "Title", _TITLE),
    AccessPoint(5, "Title-series", ("journal",)),
    AccessPoint(6, "Title-uniform", _TITLE),
    AccessPoint(7, "ISBN", _NUMBER),
    AccessPoint(8, "ISSN", _NUMBER),
    AccessPoint(12, "Local-number", _NUMBER),
    AccessPoint(13, "Dewey-classification", _SUBJECT),
    AccessPoint(14, "UDC-classification", _SUBJECT),
    AccessPoint(16, "LC-call-number", _SUBJECT),
    AccessPoint(20, "Local-classification", _SUBJECT),
    AccessPoint(21, "Subject-heading", _SUBJECT),
    AccessPoint(25, "MESH-subject", _SUBJECT),
    AccessPoint(27, "LC-subject-heading", _SUBJECT),
    AccessPoint(29, "Local-subject-index", _SUBJECT),
    AccessPoint(30, "Date", DATED),
    AccessPoint(31, "Date-of-publication", DATED),
    AccessPoint(33, "Title-key", _TITLE),
    AccessPoint(34, "Title-collective", _TITLE),
    AccessPoint(35, "Title-parallel", _TITLE),
    AccessPoint(36, "Title-cover", _TITLE),
    AccessPoint(41, "Title-other-variant", _TITLE),
    AccessPoint(43, "Title-abbreviated", _TITLE),
    AccessPoint(47, "Subject-subdivision", _SUBJECT),
    AccessPoint(48, "Number-natl-biblio", _NUMBER),
    AccessPoint(54, "Code-language", ("language",)),
    AccessPoint(56, "Code-institution", ("institution",)),
    AccessPoint(57, "Name-and-title", ("title", *_PEOPLE)),
    AccessPoint(62, "Abstract", ("description",)),
    AccessPoint(63, "Note", ("notes",)),
    AccessPoint(1000, "Author-title", ("title", *_PEOPLE)),
    AccessPoint(1001, "Record-type", ("type",)),
    AccessPoint(1002, "Name", _PEOPLE),
    AccessPoint(1003, "Author", ("creator",)),
    AccessPoint(1004, "Author-name-personal", ("creator",)),
    AccessPoint(1005, "Author-name-corporate", ("creator",)),
    AccessPoint(1006, "Author-name-conference", ("creator",)),
    AccessPoint(1007, "Identifier-standard", _NUMBER),
    AccessPoint(1009, "Subject-name-personal", _SUBJECT),
    AccessPoint(1010, "Body-of-text", ("text",)),
    AccessPoint(1016, "Any"),
    AccessPoint(1017, "Server-choice"),
    AccessPoint(1018, "Publisher", ("publisher",)),
    AccessPoint(1019, "Record-source", ("source",)),
    AccessPoint(1020, "Editor", ("contributor",)),
    AccessPoint(1027, "Report-number", _NUMBER),
    AccessPoint(1031, "Material-type", ("type",)),
    AccessPoint(1032, "Doc-id", _NUMBER),
    AccessPoint(1033, "Host-item", ("journal",)),
    AccessPoint(1034, "Content-type", ("media",)),
    AccessPoint(1035, "Anywhere"),
    AccessPoint(1036, "Author-Title-Subject", ("title", *_PEOPLE, "subject")),
)
_GILS = (
    AccessPoint(2000, "Distributor", ("publisher",)),
    AccessPoint(2001, "Distributor-Name", ("publisher",)),
    AccessPoint(2002, "Index-Terms", _SUBJECT),
    AccessPoint(2004, "General-Access-Constraints", ("access",)),
    AccessPoint(2005, "Use-Constraints", ("rights",)),
    AccessPoint(2006, "Distributor-Organization", ("publisher",)),
    AccessPoint(2021, "Linkage", _NUMBER),
    AccessPoint(2042, "Place-Keyword", ("place",)),
    AccessPoint(2045, "Time-Period-Textual", ("period",)),
    AccessPoint(2049, "Original-Control-Identifier", _NUMBER),
    AccessPoint(2050, "Supplemental-Information", ("notes",)),
    AccessPoint(2057, "Controlled-Subject-Index", _SUBJECT),
    AccessPoint(2058, "Uncontrolled-Term", ("keyword",)),
    AccessPoint(2061, "Place", ("place",)),
    AccessPoint(2062, "Time-Period", ("period",)),
    AccessPoint(2066, "Access-Constraints", ("access",)),
    AccessPoint(2069, "Available-Linkage", _NUMBER),
    AccessPoint(2074, "Controlled-Term", _SUBJECT),
)
# The terms of a vocabulary. Numbers from 1001 are those of Zebra's example, for clients without Utility and
# XD-1.
_ZTHES = (
    AccessPoint(1, "termQualifier", _TITLE),
    AccessPoint(2, "termType", ("type",)),
    AccessPoint(3, "administrative", ("missing",)),  # start: the starting points for browsing
    AccessPoint(4, "relatedTermId", ("relation",)),
    AccessPoint(1001, "termId", _NUMBER),
    AccessPoint(1002, "termName", _TITLE),
    AccessPoint(1003, "termLanguage", ("language",)),
    AccessPoint(1004, "termNote", ("notes",)),
)
_XD_1 = (
    AccessPoint(1, "Title", _TITLE),
    AccessPoint(2, "Subject", _SUBJECT),
    AccessPoint(3, "Name", _PEOPLE),
    AccessPoint(4, "Description", ("description",)),
    AccessPoint(5, "Date", DATED),
    AccessPoint(6, "Resource Type", ("type",)),
    AccessPoint(7, "Format", ("format",)),
    AccessPoint(8, "Identifier", _NUMBER),
    AccessPoint(9, "Language", ("language",)),
    AccessPoint(10, "Relation", ("relation",)),
    AccessPoint(12, "Rights", ("rights",)),
)
_STUDERA = (
    AccessPoint(2003, "Purpose", ("exam",)),
    AccessPoint(2004, "General-Access-Constraints", ("prerequisites",)),
    AccessPoint(2017, "Order-Information", (EVENT,)),
    AccessPoint(2066, "Access-Constraints", ("prerequisites",)),
    AccessPoint(2074, "Controlled-Term", ("profession",)),
)


def _by_number(*tables: tuple[AccessPoint, ...]) -> Mapping[int, AccessPoint]:
    return {point.number: point for table in tables for point in table}


# By profile and attribute set. GILS includes the access points of Bib-1.
ACCESS_POINTS: Mapping[Profile, Mapping[str, Mapping[int, AccessPoint]]] = {
    Profile.GILS: {
        BIB_1: _by_number(_BIB_1),
        GILS_ATTRIBUTES: _by_number(_BIB_1, _GILS),
        ZTHES_ATTRIBUTES: _by_number(_ZTHES),
        XD_1: _by_number(_XD_1),
    },
    Profile.STUDERA: {
        BIB_1: _by_number(_BIB_1),
        GILS_ATTRIBUTES: _by_number(_BIB_1, _GILS, _STUDERA),
        ZTHES_ATTRIBUTES: _by_number(_ZTHES),
        XD_1: _by_number(_XD_1),
    },
}


class OtherAttribute(NamedTuple):
    """A value of an attribute type other than Use, and its effect; empty if it is refused."""

    value: int
    name: str
    meaning: str


RELATIONS = (
    OtherAttribute(1, "less than", "before the term"),
    OtherAttribute(2, "less than or equal", "up to the term"),
    OtherAttribute(3, "equal", "the words as they are; this holds where no relation is given"),
    OtherAttribute(4, "greater or equal", "from the term on"),
    OtherAttribute(5, "greater than", "after the term"),
    OtherAttribute(6, "not equal", "all records but those with the term"),
    OtherAttribute(101, "stem", "other forms of the word, too"),
    OtherAttribute(102, "relevance", "as equal; results are in the order of relevance anyway"),
    OtherAttribute(103, "always matches", "all records with the field, whatever the term"),
)
POSITIONS = (
    OtherAttribute(1, "first in field", "only of fields that are compared as a whole"),
    OtherAttribute(2, "first in subfield", "only of fields that are compared as a whole"),
    OtherAttribute(3, "any position in field", "anywhere"),
)
STRUCTURES = (
    OtherAttribute(1, "phrase", "the words side by side; this holds where no structure is given"),
    OtherAttribute(2, "word", "one word; several are a phrase"),
    OtherAttribute(3, "key", "as phrase"),
    OtherAttribute(4, "year", "as phrase"),
    OtherAttribute(5, "date (normalized)", "as phrase"),
    OtherAttribute(6, "word list", "all of the words"),
    OtherAttribute(100, "date (un-normalized)", "as phrase"),
    OtherAttribute(101, "name (normalized)", "as phrase; either order of a name"),
    OtherAttribute(102, "name (un-normalized)", "as phrase; either order of a name"),
    OtherAttribute(104, "urx", "as phrase"),
    OtherAttribute(105, "free-form-text", "any of the words"),
    OtherAttribute(106, "document-text", "any of the words"),
    OtherAttribute(108, "string", "as phrase"),
    OtherAttribute(109, "numeric string", "only of numbers"),
)
TRUNCATIONS = (
    OtherAttribute(1, "right", "anything may follow"),
    OtherAttribute(2, "left", "anything may go before"),
    OtherAttribute(3, "left and right", "both"),
    OtherAttribute(100, "do not truncate", "this holds where no truncation is given"),
    OtherAttribute(101, "process # in search term", "# is any letters"),
    OtherAttribute(102, "RegExpr-1", "a regular expression, as far as it comes to a few patterns"),
    OtherAttribute(103, "RegExpr-2", "one letter may differ, as in Zebra"),
    OtherAttribute(104, "Z39.58", "? is any letters, # is one"),
)
COMPLETENESSES = (
    OtherAttribute(1, "incomplete subfield", "part of the field; this holds where no completeness is given"),
    OtherAttribute(2, "complete subfield", "the whole field"),
    OtherAttribute(3, "complete field", "the whole field"),
)

# The diagnostics of the set bib-1 that the target reports.


class Diagnostic(IntEnum):
    """Conditions by their names in the standard."""

    PERMANENT_SYSTEM_ERROR = 1
    TEMPORARY_SYSTEM_ERROR = 2
    UNSUPPORTED_SEARCH = 3
    TOO_MANY_ARGUMENT_WORDS = 5
    TOO_MANY_OPERATORS = 6
    PRESENT_OUT_OF_RANGE = 13
    RECORD_EXCEEDS_PREFERRED_SIZE = 16
    RECORD_EXCEEDS_EXCEPTIONAL_SIZE = 17
    ONLY_GENERIC_ELEMENT_SETS = 26
    RESULT_SET_EXISTS = 21
    DATABASE_COMBINATION = 23
    ELEMENT_SET_NAME = 25
    NO_SUCH_RESULT_SET = 30
    RESOURCES_EXHAUSTED = 31
    UNSPECIFIED = 100
    ACCESS_FAILURE = 101
    QUERY_TYPE = 107
    MALFORMED_QUERY = 108
    DATABASE_UNAVAILABLE = 109
    OPERATOR = 110
    TOO_MANY_DATABASES = 111
    TOO_MANY_RESULT_SETS = 112
    ATTRIBUTE_TYPE = 113
    USE_ATTRIBUTE = 114
    USE_REQUIRED = 116
    RELATION = 117
    STRUCTURE = 118
    POSITION = 119
    TRUNCATION = 120
    ATTRIBUTE_SET = 121
    COMPLETENESS = 122
    ATTRIBUTE_COMBINATION = 123
    MALFORMED_TERM = 125
    ILLEGAL_TERM = 126
    ILLEGAL_RESULT_SET_NAME = 128
    PROXIMITY_OF_SETS = 129
    PROXIMITY_RELATION = 131
    PROXIMITY_UNIT = 132
    PROXIMITY_ATTRIBUTES = 201
    PROXIMITY_DISTANCE = 202
    PROXIMITY_ORDERED = 203
    STEP_SIZE = 205
    CANNOT_SORT = 207
    TOO_MANY_SORT_KEYS = 211
    MISSING_DATA_ACTION = 213
    SORT_RELATION = 214
    ES_UNSUPPORTED = 221
    TERM_TYPE = 229
    SORT_TOO_MANY_SETS = 230
    SCAN_UNSUPPORTED = 232
    SCAN_POSITION = 233
    NO_SUCH_DATABASE = 235
    SORT_DATABASES = 210
    SYNTAX_UNAVAILABLE = 238
    SYNTAX_UNSUPPORTED = 239
    COMP_SPEC = 244
    RESTRICTION = 245
    MALFORMED_APDU = 1001
    BAD_LOGIN = 1011
