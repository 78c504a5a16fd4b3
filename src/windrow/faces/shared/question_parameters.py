"""The parameters that say which records are meant: the same for the API and for files."""

from __future__ import annotations

from windrow.faces.shared.parameters import Parameter
from windrow.finding.filters import FILTERS
from windrow.index.protocol import Order

COLLECTION = Parameter("collection", "Only what is in this collection.", example="north")
VOCABULARY = Parameter(
    "vocabulary",
    "Whether vocabularies add synonyms, labels in other languages and narrower concepts to the words; without"
    " it as the library is set.",
    choices=("on", "off"),
)
QUESTION = (
    Parameter("q", 'A search: words, "phrases", field:word, AND OR NOT, brackets.', example="hay"),
    *(
        Parameter(
            name,
            f"Only what has this {name}; several values are alternatives.",
            is_span=name == "year",
            is_repeatable=True,
        )
        for name in FILTERS
    ),
    COLLECTION,
    VOCABULARY,
)
MATCH = Parameter(
    "match",
    "`all`: only records with everything that was asked for, nothing where there are none.",
    choices=("all",),
)
CURSOR = Parameter("cursor", "Where to go on: from `next` of the answer before, which has it in its address.")
SORT = Parameter(
    "sort",
    "The order; without it by relevance where words are looked for, else the newest first.",
    choices=tuple(order.value for order in Order),
)
