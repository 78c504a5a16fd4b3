"""The answers of the API: each takes what was asked, found good, and gives plain values and the way on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from windrow.errors import NotFound
from windrow.faces.api import shapes
from windrow.faces.api.desk import Desk
from windrow.faces.api.sources import source_values
from windrow.faces.shared.parameters import Asked
from windrow.faces.shared.refusal import Refused
from windrow.finding import browsing
from windrow.finding.additions import addition_as_dict
from windrow.finding.citing import cite_all
from windrow.finding.facets import count_facets
from windrow.finding.passages import with_passages
from windrow.finding.record import Gone, find_record
from windrow.finding.results import plain_words, search_after, show, with_missing
from windrow.finding.spelling import suggest

_SIMILAR = 5
_OURS = ("cursor", "facet", "field", "limit")  # parameters that are no part of the question

_OF_LETTERS = ("letter", "cursor", "per_page")


@dataclass(frozen=True, slots=True)
class Answer:
    """Plain values for JSON; `next` is the address of what follows."""

    value: dict[str, Any]
    next: str | None = None


Answering = Callable[[Desk, Asked], Answer]


def search(desk: Desk, asked: Asked) -> Answer:
    """What a question finds, page by page."""
    question = desk.question(asked.without(*_OURS), explains=True)
    cursor = asked.text("cursor") or None
    question, widened, found = search_after(desk.index, question, cursor)
    meant = None if widened else suggest(desk.index, question, found.total)
    plain = plain_words(desk.index, question, widened, found.total)
    shown = with_missing(desk.index, widened, [show(hit, question) for hit in found.hits])
    hits = with_passages(shown, question.marked, desk.store)
    fields = asked.all("facet")
    following = _onwards(desk, "/search", asked, found.next)
    return Answer(
        {
            "query": str(question.stated),
            **shapes.match_value(widened, shown),
            "total": found.total,
            "items": [shapes.hit_value(hit, desk) for hit in hits],
            "facets": [shapes.facet_value(each) for each in count_facets(desk.index, question, fields)],
            "mistakes": [str(mistake) for mistake in question.mistakes],
            "additions": [addition_as_dict(each) for each in question.additions],
            "did_you_mean": meant.text if meant else None,
            "as_words": {"q": plain.text, "total": plain.total} if plain else None,
            "next": following,
        },
        following,
    )


def facets(desk: Desk, asked: Asked) -> Answer:
    """How many of what a question finds have each value of some fields."""
    question = desk.question(asked.without(*_OURS))
    found = count_facets(desk.index, question, asked.all("field"), limit=asked.number("limit"))
    total = desk.index.count(question.query)
    return Answer({"total": total, "facets": [shapes.facet_value(each) for each in found]})


def record(desk: Desk, asked: Asked) -> Answer:
    """One whole record."""
    source, identifier = asked.text("source"), asked.text("identifier")
    found = find_record(desk.store, source, identifier)
    if found is None:
        raise NotFound(f"there is no record {identifier} of {source}")
    if isinstance(found, Gone):
        since = shapes.moment(found.since)
        raise Refused(410, f"{found.source} withdrew {found.identifier}; it is gone since {since}.")
    value = shapes.record_value(found, desk)
    wanted = asked.all("include")
    if "history" in wanted:
        value["history"] = shapes.history_values(found.history)
    if "citations" in wanted:
        value["citations"] = {each.style: each.text for each in cite_all(found.document)}
    if "raw" in wanted:
        value["raw"] = {each.prefix: each.data.decode("utf-8", "replace") for each in found.raws}
    if "similar" in wanted:
        hits = desk.index.similar(found.number, limit=_SIMILAR)
        value["similar"] = [shapes.card_value(hit.card, desk) for hit in hits]
    return Answer(value)


def suggestions(desk: Desk, asked: Asked) -> Answer:
    """What somebody who began to write may want to write."""
    inside = desk.question(asked.without("q", "limit"))
    found = desk.index.complete(asked.text("q"), limit=asked.number("limit"), query=inside.query)
    return Answer({"items": [each._asdict() for each in found]})


def newest(desk: Desk, asked: Asked) -> Answer:
    """What came into the library last."""
    question = desk.question(asked.without("per_page"))
    hits = browsing.newest(desk.index, question, limit=asked.number("per_page"))
    return Answer({"items": [shapes.card_value(hit.card, desk) for hit in hits]})


def institutions(desk: Desk, asked: Asked) -> Answer:
    """Institutions and their departments."""
    return _shelf(browsing.institutions(desk.index, desk.question(asked.pairs)))


def shelf_of(field: str) -> Answering:
    """Give what answers with all values of a field that has few."""
    return lambda desk, asked: _shelf(browsing.listed(desk.index, field, desk.question(asked.pairs)))


def letters_of(field: str, path: str) -> Answering:
    """Give what answers with the values of a field that has many, letter by letter."""

    def answer(desk: Desk, asked: Asked) -> Answer:
        letter, after, limit = asked.text("letter"), asked.text("cursor"), asked.number("per_page")
        question = desk.question(asked.without(*_OF_LETTERS))
        found = browsing.lettered(desk.index, field, question, letter=letter, after=after, limit=limit)
        following = _onwards(desk, path, asked, found.next)
        value = {
            "letters": shapes.counted_values(found.initials),
            "letter": found.letter or None,
            "items": shapes.counted_values(found.values),
            "next": following,
        }
        return Answer(value, following)

    return answer


def collections(desk: Desk, asked: Asked) -> Answer:  # noqa: ARG001
    """The collections of the library."""
    (facet,) = count_facets(desk.index, desk.question(()), ["collection"])
    counts = {each.value: each.count for each in facet.values}
    items = [
        {
            "name": name,
            "title": found.title,
            "sources": list(found.sources),
            "records": counts.get(name, 0),
            "search": desk.link("/search", [("collection", name)]),
        }
        for name, found in desk.config.collections.items()
    ]
    return Answer({"items": items})


def sources(desk: Desk, asked: Asked) -> Answer:  # noqa: ARG001
    """The sources of the library, and how each stands."""
    return Answer({"items": source_values(desk)})


def source(desk: Desk, asked: Asked) -> Answer:
    """One source, and how it stands."""
    name = asked.text("source")
    found = next((each for each in source_values(desk) if each["name"] == name), None)
    if found is None:
        raise NotFound(f"there is no source {name}")
    return Answer(found)


def statistics(desk: Desk, asked: Asked) -> Answer:  # noqa: ARG001
    """The tables of figures that there are."""
    items = [{"name": name, "table": desk.link(f"/statistics/{name}")} for name in desk.statistics]
    return Answer({"items": items})


def statistic(desk: Desk, asked: Asked) -> Answer:
    """One table of figures, over what a question finds."""
    name = asked.text("name")
    make = desk.statistics.get(name)
    if make is None:
        raise NotFound(
            f"there is no table {name}", hint=f"There are: {', '.join(desk.statistics) or 'none'}."
        )
    return Answer({"name": name, "table": make(desk.question(asked.pairs))})


def _shelf(shelf: browsing.Shelf) -> Answer:
    counted = {"items": shapes.counted_values(shelf.values), "others": shelf.others}
    return Answer(counted | ({"without": shelf.without} if shelf.field == "institution" else {}))


def _onwards(desk: Desk, path: str, asked: Asked, cursor: str | None) -> str | None:
    """The address of what follows: the same with the index's own mark for where to go on."""
    if cursor is None:
        return None
    return desk.link(path, [*asked.without("cursor"), ("cursor", cursor)])
