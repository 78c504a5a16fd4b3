"""The parameters of an address, read one by one for `question`: nonsense is noted.

An order or a page that makes no sense is worked around. A filter that does not finds nothing: leaving it out
would find more than was asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from windrow.finding.filters import COLLECTION, FILTERS, is_size, is_span, ordered_filters
from windrow.finding.notes import Note
from windrow.finding.topic_labels import FIELDS as TOPICS
from windrow.finding.topic_labels import TopicLabels
from windrow.index.protocol import DEEPEST_OFFSET, Order
from windrow.model.concepts import ConceptTable
from windrow.model.facts import fact
from windrow.model.normalising import normalised
from windrow.model.wording import clean
from windrow.wire.query.parse import LONGEST_QUERY

PER_PAGE = 20
MOST_PER_PAGE = 100
MOST_VALUES = 40  # of all filters together
MATCH, MATCH_ALL = "match", "all"  # of an address that finds only what has everything
VOCABULARY = "vocabulary"  # of an address: on or off, whether vocabularies add to the words
_LONGEST_SHOWN = 60


def default_order(text: str) -> Order:
    """The order that goes without saying: where nothing is looked for, nothing is more relevant."""
    return Order.RELEVANCE if text else Order.NEWEST


def deepest_page(per_page: int) -> int:
    """The last page that can be shown, however much is found."""
    return max(DEEPEST_OFFSET // per_page, 1)


class Reading:
    """One address and what was odd about it."""

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        collections: Collection[str],
        types: ConceptTable | None = None,
        topics: TopicLabels | None = None,
    ) -> None:
        self.notes: list[Note] = []
        self._collections = collections
        self._single: dict[str, str] = {}  # of one given twice, the last counts
        self._several: dict[str, list[str]] = {}
        words: list[str] = []
        for name, value in pairs:
            stripped = value.replace("\x00", "").strip()
            if stripped and name in FILTERS:
                self._several.setdefault(name, []).append(normalised(name, fact(stripped), types))
                if topics is not None and name in TOPICS:
                    self._several[name].append(topics.name(fact(stripped)))
            elif stripped and name == "q":
                words.append(stripped)
            elif stripped:
                self._single[name] = stripped
        text = clean(" ".join(dict.fromkeys(words))).strip()  # given several times, all are asked for
        self.text = text[: LONGEST_QUERY + 1]  # one more is too long as well, and is on every link
        self.per_page = self._number("per_page", PER_PAGE, MOST_PER_PAGE)

    def page(self) -> int:
        """Which page, none too deep."""
        return self._number("page", 1, deepest_page(self.per_page))

    def order(self) -> Order:
        """In which order."""
        usual = default_order(self.text)
        name = self._single.get("sort", "").lower()
        if not name:
            return usual
        try:
            return Order(name)
        except ValueError:
            self._note("bad_order", name)
            return usual

    def is_exact(self) -> bool:
        """Whether only what has everything that was asked for is to be found."""
        return self._single.get(MATCH, "").lower() == MATCH_ALL

    def is_expanded(self, *, usual: bool) -> bool:
        """Return whether vocabularies add to the words."""
        written = self._single.get(VOCABULARY, "").lower()
        return {"on": True, "off": False}.get(written, usual)

    def collection(self) -> str | None:
        """Within which collection; None for all there is."""
        name = self._single.get(COLLECTION)
        if name is not None and name not in self._collections:
            self._note("unknown_collection", name)
        return None if name is None else name[:_LONGEST_SHOWN]

    def filters(self) -> dict[str, tuple[str, ...]]:
        """What else must hold."""
        wanted = [(name, value) for name in FILTERS for value in dict.fromkeys(self._several.get(name, ()))]
        for name, value in wanted:
            self._note_bad(name, value)
        if len(wanted) > MOST_VALUES:
            self._note("many_values", str(MOST_VALUES))
        kept: dict[str, list[str]] = {}
        for name, value in wanted[:MOST_VALUES]:
            kept.setdefault(name, []).append(value)
        return ordered_filters(kept)

    def _number(self, name: str, usual: int, most: int) -> int:
        text = self._single.get(name, "")
        if not text:
            return usual
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal()):
            self._note("bad_number", text, name, str(usual))
            return usual
        wanted = int(text[:10])  # longer ones are too large as well, and slow to read
        taken = min(max(wanted, 1), most)
        if taken != wanted:
            self._note("number_bounded", text, name, str(taken))
        return taken

    def _note_bad(self, name: str, value: str) -> None:
        if name == "year" and not is_span(value):
            self._note("bad_year", value)
        if name == "size" and not is_size(value):
            self._note("bad_size", value)

    def _note(self, code: str, *values: str) -> None:
        shown = (value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}…" for value in values)
        self.notes.append(Note(code, tuple(shown)))
