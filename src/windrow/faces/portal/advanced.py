"""The advanced search form: fields in, a search in the query language out, and back. Needs no script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windrow.faces.portal.room import Room
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import Frame, show
from windrow.faces.shared.pairs import Pairs
from windrow.faces.shared.query_mistakes import explain_all
from windrow.faces.shared.response import NO_CACHE, NO_INDEX, PAGE_HEADERS, Response
from windrow.finding.advanced import (
    CHOSEN_FIELDS,
    TEXT_FIELDS,
    AdvancedSearch,
    build_expression,
    is_year,
    read_expression,
)
from windrow.finding.question import Question
from windrow.index.protocol import EVERYTHING, Tally
from windrow.wire.query.parse import LONGEST_QUERY, parse_query

BAD_YEAR = message("{text} is not a year.")
MOST_CHOICES = 60
SHOW = "show"  # the button that only shows the expression
# `title` and the like alone would be filters of the address.
_TEXTS = {name: f"in_{name}" for name in TEXT_FIELDS}
_NAMES = ("all", "phrase", "any", "none", "from", "to", "other", *_TEXTS.values())
_CHOICES = {name: f"{name}_is" for name in CHOSEN_FIELDS}


@dataclass(frozen=True, slots=True)
class Option:
    """One of the values that a field may be set to."""

    value: str
    label: str
    is_chosen: bool


class AdvancedForm:
    """Makes the page of the form, and leads on to the results."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def __call__(self, question: Question, frame: Frame, pairs: Pairs) -> Response:
        """Return the results' address for what was filled in, or the form."""
        given = {name: value.strip()[:LONGEST_QUERY] for name, value in pairs}
        is_filled = any(name in given for name in (*_NAMES, *_CHOICES.values()))
        form = _form(given) if is_filled else read_expression(question.text)
        text = build_expression(form)
        bad = [year for year in (form.first_year, form.last_year) if not is_year(year)]
        mistakes = parse_query(text).mistakes if is_filled else ()
        if is_filled and SHOW not in given and not bad and not mistakes:
            return _redirect(frame, question.rewritten(text))
        asked = question.rewritten(text)
        return show(
            frame,
            "portal/advanced.html",
            title=frame.tongue.say("Advanced search"),
            canonical="/search/advanced",
            question=asked,
            form=form,
            expression=text,
            texts=[(name, frame.label(name), form.fields.get(name, "")) for name in TEXT_FIELDS],
            choices=[
                (_CHOICES[name], frame.label(name), self._options(name, form, frame))
                for name in CHOSEN_FIELDS
            ],
            kept=[pair for pair in asked.pairs() if pair[0] not in ("q", "page")],
            notes=[frame.tongue.say(BAD_YEAR, text=year[:60]) for year in bad],
            mistakes=explain_all(mistakes, frame.tongue),
            results=asked.address() if text else "",
        )

    def _options(self, name: str, form: AdvancedSearch, frame: Frame) -> list[Option]:
        """The most frequent values of a field, and the one that is chosen."""
        (counts,) = self._room.index.tally(EVERYTHING, [Tally(name, MOST_CHOICES)])
        chosen = form.fields.get(name, "")
        values = dict.fromkeys([*(counted.value for counted in counts.values), *([chosen] if chosen else [])])
        found = [Option(value, frame.value(name, value), value == chosen) for value in values]
        return sorted(found, key=lambda option: option.label.casefold())


def _form(given: Mapping[str, str]) -> AdvancedSearch:
    chosen = {name: given.get(parameter, "") for name, parameter in _CHOICES.items()}
    return AdvancedSearch(
        all_words=given.get("all", ""),
        phrase=given.get("phrase", ""),
        any_words=given.get("any", ""),
        no_words=given.get("none", ""),
        fields={name: given.get(parameter, "") for name, parameter in _TEXTS.items()} | chosen,
        first_year=given.get("from", ""),
        last_year=given.get("to", ""),
        other=given.get("other", ""),
    )


def _redirect(frame: Frame, question: Question) -> Response:
    location = frame.link(question.address()).encode("ascii", "ignore")
    return Response(303, b"", [(b"location", location), NO_CACHE, NO_INDEX, *PAGE_HEADERS])
