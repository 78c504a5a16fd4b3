"""The whole `Index` protocol by looking at every document each time: slow, short and plainly right."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from tests.oracle.cards import card_of
from tests.oracle.score import score_of
from windrow.errors import Unscannable, UsageError
from windrow.index.protocol import (
    EVERYTHING,
    MAX_COUNTED_VALUES,
    MAX_OFFSET,
    TALLIED,
    Completion,
    FacetCounts,
    FacetRequest,
    FoundDocuments,
    Hit,
    Order,
    ScanTerm,
    SortKey,
    Value,
    ValueCount,
    check_keys,
    sort_numbers,
    text_value,
)
from windrow.index.tantivy.facet_counting import with_year_start
from windrow.index.tantivy.layout import CORE_FIELDS, fact_token, identifier_token
from windrow.index.tantivy.lexicon import start_key
from windrow.index.tantivy.rows import Entry, day_of, facts_of
from windrow.model.counted_fields import counted_values
from windrow.model.document_dates import counted_year, document_days, resolve_years
from windrow.model.document_view import DocumentView
from windrow.model.matching import compile_query, ordering_key
from windrow.model.query import FIELDS, FieldKind, Query
from windrow.model.text.collation import collation, collation_language, title_sort_key
from windrow.model.text.folding import fold
from windrow.model.text.wildcards import is_near

COMPLETED = ("title", "creator", "subject")
NUMBERS = ("year", "pages")
SHORTEST_CORRECTED = 4  # letters


class Known:
    """One document, with all that is asked of it."""

    def __init__(self, entry: Entry) -> None:
        self.document = entry.document
        self.card = card_of(entry)
        self.facts = facts_of(entry)
        self.view = DocumentView(
            entry.document, source=entry.source, sets=entry.sets, identifier=entry.identifier
        )


Key = Callable[[Known, float], tuple[float | str, ...]]
ORDERS: dict[Order, Key] = {
    Order.RELEVANCE: lambda known, score: (-score, known.card.number),
    Order.NEWEST: lambda known, _: (known.card.year is None, -(known.card.year or 0), -known.card.number),
    Order.OLDEST: lambda known, _: (known.card.year is None, known.card.year or 0, known.card.number),
    Order.TITLE: lambda known, _: (not known.card.title, title_sort_key(known.card.title), known.card.number),
    Order.PAGES: lambda known, _: (-max(known.card.pages or 0, 0), -known.card.number),
    Order.ADDED: lambda known, _: (-known.card.number,),
    Order.NUMBER: lambda known, _: (known.card.number,),
}


class MemoryIndex:
    """Some documents. A later entry of the same number takes the earlier one's place."""

    def __init__(self, entries: Iterable[Entry] = (), *, year_starts: int = 0) -> None:
        self.year_starts = year_starts
        self._known = {entry.number: Known(entry) for entry in entries}

    @property
    def generation(self) -> str:
        return str(len(self._known))

    def count(self, query: Query) -> int:
        return len(self.found(query))

    def found(self, query: Query) -> list[Known]:
        """Every document that the query asks for, in the order of their numbers."""
        judge = compile_query(resolve_years(query, self.year_starts))
        return [known for _, known in sorted(self._known.items()) if judge(known.view)]

    def newest(self) -> MemoryIndex:
        return self

    def numbers(
        self, query: Query, *, sort: Sequence[SortKey] = (), offset: int = 0, limit: int = 100
    ) -> list[int]:
        check_keys(sort)
        scored = [(known, score_of(query, known.view)) for known in self.found(query)]
        if not sort:
            scored.sort(key=lambda pair: ORDERS[Order.RELEVANCE](*pair))
            return [known.card.number for known, _ in scored][offset : offset + limit]
        numbers = [known.card.number for known, _ in scored]
        ordered = sort_numbers(numbers, sort, self._values_of)
        return ordered[offset:] if limit < 0 else ordered[offset : offset + limit]

    def first_numbers(self, query: Query, limit: int) -> tuple[int, list[int]]:
        return self.count(query), self.numbers(query, limit=limit)

    def _scan_titles(self, start: str, before: int, limit: int, query: Query) -> list[ScanTerm]:
        """Titles and other titles, each as the first document that has it writes it."""
        counts, written = Counter[str](), dict[str, str]()
        for _, known in sorted(self._known.items()):
            for key in _title_keys(known):
                title = known.card.title
                written.setdefault(key, title if title_sort_key(title) == key else key)
        for known in self.found(query):
            counts.update(_title_keys(known))
        keys = sorted(counts)
        middle = sum(key < title_sort_key(start) for key in keys)
        chosen = keys[max(0, middle - before) : middle + limit]
        return [ScanTerm(key, counts[key], written[key]) for key in chosen]

    def _values_of(self, field: str) -> dict[int, Value]:
        values = {number: _sorted_by(field, known) for number, known in self._known.items()}
        return {number: value for number, value in values.items() if value is not None}

    def scan(
        self,
        field: str | None,
        start: str,
        *,
        before: int = 0,
        limit: int = 20,
        is_whole: bool = False,
        query: Query = EVERYTHING,
    ) -> list[ScanTerm]:
        if is_whole and field not in (*TALLIED, "title", "identifier", "date"):
            raise Unscannable(f"the whole values of {field} cannot be listed")
        if field == "title" and is_whole:
            return self._scan_titles(start, before, limit, query)
        counts: Counter[tuple[str, str]] = Counter()
        for known in self.found(query):
            counts.update(_scanned(field, known, is_whole=is_whole))
        if field in NUMBERS:
            numbers = sorted(counts, key=lambda each: int(each[0]))
            low = int(start) if start.isdecimal() else 0
            is_below: Callable[[tuple[str, str]], bool] = lambda each: int(each[0]) < low  # noqa: E731
        else:
            key = start_key(field, start, is_whole=is_whole)
            numbers = sorted(counts)
            is_below = lambda each: each[0] < key  # noqa: E731
        middle = sum(map(is_below, numbers))
        chosen = numbers[max(0, middle - before) : middle + limit]
        return [ScanTerm(term, counts[term, shown], shown) for term, shown in chosen]

    def search(
        self,
        query: Query,
        *,
        limit: int = 10,
        offset: int = 0,
        order: Order = Order.RELEVANCE,
        after: str | None = None,
        language: str = "",
    ) -> FoundDocuments:
        start = offset if after is None else _place(after, order)
        if after is None and offset > MAX_OFFSET:
            raise UsageError(f"results after the first {MAX_OFFSET:,} are not shown")
        scored = [(known, score_of(query, known.view)) for known in self.found(query)]
        scored.sort(key=lambda pair: ORDERS[order](*pair))
        is_own = order is Order.TITLE and after is None and bool(collation_language(language))
        if is_own:
            place = collation(language).title_key
            scored.sort(key=lambda pair: (not pair[0].card.title, place(pair[0].card.title)))
        end = start + limit
        is_last = is_own or end >= len(scored) or (order is Order.RELEVANCE and end > MAX_OFFSET)
        hits = tuple(Hit(known.card, score) for known, score in scored[start:end])
        return FoundDocuments(len(scored), hits, None if is_last else f"{order}-{end}")

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        found = self.found(query)
        return tuple(_tallied(found, with_year_start(tally, self.year_starts)) for tally in tallies)

    def values(
        self,
        field: str,
        *,
        prefix: str = "",
        after: str = "",
        limit: int = 100,
        query: Query = EVERYTHING,
    ) -> list[ValueCount]:
        counts = self._counts(field, query)
        ordered = sorted(counts, key=_alphabetically)
        wanted = [
            value
            for value in ordered
            if fold(value).startswith(fold(prefix))
            and (not after or _alphabetically(value) > _alphabetically(after))
        ]
        return [ValueCount(value, counts[value]) for value in wanted[:limit]]

    def initials(self, field: str, *, query: Query = EVERYTHING, language: str = "") -> list[ValueCount]:
        _check(field)
        order = collation(language)
        letters = Counter(
            letter
            for known in self.found(query)
            for letter in {order.initial(value) for value in known.facts[field]}
        )
        return [ValueCount(*item) for item in sorted(letters.items(), key=lambda item: order.place(item[0]))]

    def complete(self, text: str, *, limit: int = 8, query: Query = EVERYTHING) -> list[Completion]:
        start = fold(" ".join(text.split()))
        found = [
            Completion(value, field, count)
            for field in COMPLETED
            for value, count in self._counts(field, query).items()
            if start and (key := ordering_key(field))(value).startswith(key(start))
        ]
        ordered = sorted(found, key=lambda one: (-one.count, one.value, one.field))
        spelled = [(one.field, one.value.casefold()) for one in ordered]
        return [one for place, one in enumerate(ordered) if spelled.index(spelled[place]) == place][:limit]

    def correct(self, word: str, *, least: int = 1) -> str | None:
        return next(iter(self.corrections(word, least=least)), None)

    def corrections(self, word: str, *, least: int = 1, limit: int = 5) -> list[str]:
        folded, counts = fold(word), Counter[str]()
        for known in self._known.values():
            counts.update(known.view.words(None))
        if counts[folded] >= least or len(folded) < SHORTEST_CORRECTED:
            return []
        for edits in (1, 2):
            used = (other for other in counts if other.isalpha() and counts[other] >= least)
            near = [other for other in used if is_near(folded, other, edits)]
            if near:
                return sorted(near, key=lambda other: (-counts[other], other))[:limit]
        return []

    def which(self, queries: Sequence[Query], numbers: Sequence[int]) -> list[frozenset[int]]:
        found = ({known.card.number for known in self.found(query)} for query in queries)
        return [frozenset(each).intersection(numbers) for each in found]

    def similar(self, number: int, *, limit: int = 5) -> tuple[Hit, ...]:
        if number not in self._known:
            return ()
        words = {
            one: known.view.words("title") | known.view.words("subject") for one, known in self._known.items()
        }
        spread = Counter(word for mine in words.values() for word in mine)
        fewest = min(2, sum(spread[word] > 1 for word in words[number]))
        scores = {
            one: sum(1 / spread[word] for word in mine & words[number])
            for one, mine in words.items()
            if one != number and len(mine & words[number]) >= fewest
        }
        best = sorted((-score, one) for one, score in scores.items() if score)
        return tuple(Hit(self._known[one].card, -score) for score, one in best[:limit])

    def _counts(self, field: str, query: Query) -> Counter[str]:
        """How many of the documents found have each value of a field; of titles, the first."""
        found = self.found(query)
        if field == "title":
            return Counter(known.card.title for known in found if known.card.title)
        _check(field)
        return Counter(value for known in found for value in known.facts[field])


def _scanned(field: str | None, known: Known, *, is_whole: bool) -> set[tuple[str, str]]:
    """The terms of one document, each as it is compared and as it is shown."""
    if field in NUMBERS:
        return {(value, value) for value in known.facts[field]}
    if field == "identifier":
        given = (known.card.identifier, *known.view.values("identifier"))
        return {(token, token) for token in map(identifier_token, given) if token}
    if is_whole or (field in TALLIED and field not in FIELDS) or _is_fact(field):
        return {(fold(value), value) for value in known.facts[field or ""]}
    if field is None:  # the words of all default fields but the long ones
        words = {word for name in CORE_FIELDS for word in known.view.words(name)}
        words |= set(known.facts["year"])
        return {(word, word) for word in words}
    return {(word, word) for word in known.view.words(field)}


def _title_keys(known: Known) -> set[str]:
    return {title_sort_key(title) for title in counted_values([text.value for text in known.document.titles])}


def _is_fact(field: str | None) -> bool:
    return field in TALLIED and (FIELDS[field].kind is not FieldKind.WORDS or FIELDS[field].is_of_event)


def _sorted_by(field: str, known: Known) -> Value:
    document = known.document
    if field == "title":
        return text_value(title_sort_key(known.card.title), known.card.title)
    if field == "added":
        return known.card.number
    if field == "date":
        day = next(document_days(document), "")
        return day_of(day) if day else None
    if field in ("year", "pages"):
        number: int | None = getattr(document, field)
        return number
    if field == "size":
        return None if document.file is None else document.file.size
    values = known.facts[field]
    return text_value(fold(values[0]), values[0]) if values else None


def _tallied(found: list[Known], tally: FacetRequest) -> FacetCounts:
    _check(tally.field)
    groups: dict[str, list[Known]] = defaultdict(list)
    for known in found:
        facts = known.facts[tally.field]
        if tally.starts:
            facts = tuple(filter(None, [counted_year(known.document, tally.starts)]))
        for value in filter(tally_wants(tally), facts):
            groups[value].append(known)
    ordered = sorted(groups, key=lambda value: _in_order(tally, value, len(groups[value])))
    limit = min(tally.limit, MAX_COUNTED_VALUES)
    values = tuple(
        ValueCount(
            value, len(groups[value]), _tallied(groups[value], tally.within).values if tally.within else ()
        )
        for value in ordered[:limit]
    )
    return FacetCounts(values, sum(len(groups[value]) for value in ordered[limit:]))


def tally_wants(tally: FacetRequest) -> Callable[[str], bool]:
    """Whether a value is one of those that are counted."""
    start = fold(tally.prefix)

    def is_wanted(value: str) -> bool:
        folded = fold(value)
        return folded.startswith(start) and not (tally.is_flat and "/" in folded[len(start) :])

    return is_wanted


def _in_order(tally: FacetRequest, value: str, count: int) -> tuple[int, int, str]:
    """Ties in the order of their folded letters; of those that fold alike, the one in plain letters first."""
    number = int(value.partition("/")[0]) if tally.field in NUMBERS else 0
    return (0 if tally.is_by_value else -count, number, fact_token(value))


def _check(field: str) -> None:
    if field not in TALLIED:
        raise UsageError(f"{field} cannot be counted; what can: {', '.join(TALLIED)}")


def _place(after: str, order: Order) -> int:
    name, _, digits = after.rpartition("-")
    if name != order or not digits.isdecimal():
        raise UsageError(f"no page of results gave {after[:40]!r} as its next")
    return int(digits)


def _alphabetically(value: str) -> str:
    return fact_token(value)


def _initial(value: str) -> str:
    letter = fold(value)[:1].upper()[:1]
    return letter if letter.isalpha() else "#"
