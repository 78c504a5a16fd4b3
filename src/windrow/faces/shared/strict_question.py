"""What the address of a file asks for. Nobody reads a notice in a file: what pages work around is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windrow.faces.shared.faults import BadRequest
from windrow.faces.shared.parameters import Asked, Parameter, check
from windrow.faces.shared.question_parameters import CURSOR, QUESTION, SORT
from windrow.faces.shared.refusal import Refused
from windrow.finding.question import Question, read_question
from windrow.model.concepts import ConceptTable
from windrow.model.expansion import Expander

TRACKING = "utm_"  # what newsletters and the like put into every link
# Of a page whose address was made that of a file; a file has all pages.
_PAGES = (Parameter("page", "Which page."), Parameter("per_page", "How many on each page."))
_KNOWN = (*QUESTION, SORT, *_PAGES)


def read_strictly(
    pairs: Sequence[tuple[str, str]],
    collections: Mapping[str, Sequence[str]],
    *,
    has_cursor: bool = False,
    types: ConceptTable | None = None,
    expander: Expander | None = None,
) -> Question:
    """Give the question in the parameters of a file's address; Refused says what is wrong with it.

    A file that comes in pages `has_cursor`, which is no part of the question.
    """
    known = (*_KNOWN, CURSOR) if has_cursor else _KNOWN
    asked = _checked(known, [pair for pair in pairs if not pair[0].startswith(TRACKING)])
    kept = asked.without(*(each.name for each in _PAGES))
    question = read_question(kept, collections=collections, types=types, expander=expander)
    faults = question.faults
    if faults:
        raise Refused(400, " ".join(faults))
    return question


def _checked(known: Sequence[Parameter], pairs: Sequence[tuple[str, str]]) -> Asked:
    try:
        return check(known, pairs, {})
    except BadRequest as exc:
        raise Refused(400, exc.sentence) from exc
