"""The diagnostics of SRU, by which a server reports what it cannot do.

SRU 1.1, 1.2 and 2.0 share the list (info:srw/diagnostic/1/N).
"""

from __future__ import annotations

from dataclasses import dataclass

BASE = "info:srw/diagnostic/1/"
LONGEST_DETAILS = 300

MESSAGES = {
    1: "General system error",
    2: "System temporarily unavailable",
    3: "Authentication error",
    4: "Unsupported operation",
    5: "Unsupported version",
    6: "Unsupported parameter value",
    7: "Mandatory parameter not supplied",
    8: "Unsupported parameter",
    10: "Query syntax error",
    12: "Too many characters in query",
    13: "Invalid or unsupported use of parentheses",
    14: "Invalid or unsupported use of quotes",
    15: "Unsupported context set",
    16: "Unsupported index",
    18: "Unsupported combination of indexes",
    19: "Unsupported relation",
    20: "Unsupported relation modifier",
    21: "Unsupported combination of relation modifiers",
    22: "Unsupported combination of relation and index",
    23: "Too many characters in term",
    24: "Unsupported combination of relation and term",
    26: "Non special character escaped in term",
    27: "Empty term unsupported",
    28: "Masking character not supported",
    29: "Masked words too short",
    30: "Too many masking characters in term",
    31: "Anchoring character not supported",
    32: "Anchoring character in unsupported position",
    33: "Combination of proximity/adjacency and masking characters not supported",
    34: "Combination of proximity/adjacency and anchoring characters not supported",
    35: "Term contains only stopwords",
    36: "Term in invalid format for index or relation",
    37: "Unsupported boolean operator",
    38: "Too many boolean operators in query",
    39: "Proximity not supported",
    40: "Unsupported proximity relation",
    41: "Unsupported proximity distance",
    42: "Unsupported proximity unit",
    43: "Unsupported proximity ordering",
    44: "Unsupported combination of proximity modifiers",
    46: "Unsupported boolean modifier",
    47: "Cannot process query; reason unknown",
    48: "Query feature unsupported",
    49: "Masking character in unsupported position",
    50: "Result sets not supported",
    51: "Result set does not exist",
    52: "Result set temporarily unavailable",
    53: "Result sets only supported for retrieval",
    55: "Combination of result sets with search terms not supported",
    58: "Result set created with unpredictable partial results available",
    59: "Result set created with valid partial results available",
    60: "Result set not created: too many matching records",
    61: "First record position out of range",
    64: "Record temporarily unavailable",
    65: "Record does not exist",
    66: "Unknown schema for retrieval",
    67: "Record not available in this schema",
    68: "Not authorized to send record",
    69: "Not authorized to send record in this schema",
    70: "Record too large to send",
    71: "Unsupported record packing",
    72: "XPath retrieval unsupported",
    80: "Sort not supported",
    82: "Unsupported sort sequence",
    83: "Too many records to sort",
    84: "Too many sort keys to sort",
    86: "Cannot sort: incompatible record formats",
    87: "Unsupported schema for sort",
    88: "Unsupported path for sort",
    89: "Path unsupported for schema",
    90: "Unsupported direction",
    91: "Unsupported case",
    92: "Unsupported missing value action",
    93: "Sort ended due to missing value",
    94: "Sort spec included both in query and protocol: query prevails",
    110: "Stylesheets not supported",
    111: "Unsupported stylesheet",
    120: "Response position out of range",
    121: "Too many terms requested",
    235: "Database does not exist",
}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One diagnostic: its number, and the part of the request it refers to."""

    number: int
    details: str = ""

    @property
    def uri(self) -> str:
        return f"{BASE}{self.number}"

    @property
    def message(self) -> str:
        return MESSAGES.get(self.number, "")


class SruError(Exception):
    """A request that is answered with a diagnostic."""

    def __init__(self, number: int, details: str = "") -> None:
        self.diagnostic = Diagnostic(number, details[:LONGEST_DETAILS])
        super().__init__(f"{self.diagnostic.message}: {self.diagnostic.details}".rstrip(": "))
