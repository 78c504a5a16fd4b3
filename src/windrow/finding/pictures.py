"""Which documents are pictures: what finds them, for the gallery and for the pages that lead there."""

from __future__ import annotations

from windrow.model.file_facts import extra_of
from windrow.model.media import PICTURES as KINDS
from windrow.model.media import UNPICTURED
from windrow.model.query import Not, Query, Value, all_of, any_of

# Of every kind that can be drawn by itself, but for those of which it was tried in vain.
PICTURES: Query = all_of(
    (any_of([Value(kind, "media") for kind in KINDS]), Not(Value(extra_of(*UNPICTURED), "extra")))
)
