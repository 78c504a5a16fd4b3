"""Years as bars: each a link, drawn as SVG, with the same numbers as a list beside it."""

from __future__ import annotations

from dataclasses import dataclass

from windrow.faces.shared.frame import Frame
from windrow.finding.facets import FacetValue
from windrow.finding.filters import ends_of, is_span
from windrow.finding.results import Results
from windrow.model.academic_years import first_year

HEIGHT = 48.0
_LEAST = 1.5  # a bar that is there can be seen


@dataclass(frozen=True, slots=True)
class Bar:
    """One year: where its bar stands, how high it is, where it leads."""

    year: str
    place: int
    height: float
    top: float
    words: str
    address: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Years:
    """All bars, and the ends of the span that is chosen, for the form."""

    bars: tuple[Bar, ...]
    low: str
    high: str
    is_chosen: bool
    others: int
    width: int


def bars_of(results: Results, frame: Frame) -> Years | None:
    """Give the years among the results; None where no choice can be made."""
    facet = next((facet for facet in results.facets if facet.field == "year"), None)
    chosen = results.question.filters.get("year", ())
    if facet is None:
        return None
    series = [value for value in facet.values if first_year(value.value) is not None]
    most = max((value.count for value in series), default=1) or 1
    bars = tuple(_bar(place, value, most, frame, bool(chosen)) for place, value in enumerate(series))
    low, high = _ends(chosen)
    return Years(bars, low, high, bool(chosen), facet.others, max(len(bars), 1))


def _bar(place: int, value: FacetValue, most: int, frame: Frame, has_choice: bool) -> Bar:
    height = max(value.count / most * HEIGHT, _LEAST) if value.count else 0.0
    counted = frame.tongue.several("{count} record", "{count} records", value.count)
    return Bar(
        value.value,
        place,
        round(height, 2),
        round(HEIGHT - height, 2),
        f"{value.value}: {counted}",
        value.address,
        value.is_selected and has_choice,
    )


def _ends(chosen: tuple[str, ...]) -> tuple[str, str]:
    if len(chosen) != 1 or not is_span(chosen[0]):
        return "", ""
    return ends_of(chosen[0])
