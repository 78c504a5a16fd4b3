"""Diagnostics of the set bib-1: what a target reports that it cannot do."""

from __future__ import annotations

from enum import IntEnum


class Diagnostic(IntEnum):
    """The conditions that Windrow reports, by the names of the standard's list."""

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


class RpnError(Exception):
    """A request that cannot be done as it is: the condition, and the part that it is about."""

    def __init__(self, condition: Diagnostic, about: str = "") -> None:
        super().__init__(f"{condition.name.lower().replace('_', ' ')} ({condition.value}): {about}")
        self.condition = condition
        self.about = about
