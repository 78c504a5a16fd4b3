"""The documents of an index that are looked at: all of them, or those that a query finds."""

from __future__ import annotations

from typing import NamedTuple

import tantivy

from windrow.index import asking
from windrow.index.protocol import EVERYTHING
from windrow.model.query import Query


class Part(NamedTuple):
    """Some documents: what asks for them, and the same as Tantivy is asked."""

    query: Query
    found: tantivy.Query

    @property
    def is_whole(self) -> bool:
        """Whether it is all documents: much is quicker to say of these."""
        return self.query == EVERYTHING

    def narrowed(self, question: tantivy.Query) -> tantivy.Query:
        """Those of them that another question finds, too."""
        return question if self.is_whole else asking.all_of([self.found, question])


WHOLE = Part(EVERYTHING, asking.everything())
