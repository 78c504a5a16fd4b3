"""The settings of tables of the owner's own that statistics are joined with; `schema` has them too."""

from __future__ import annotations

from dataclasses import dataclass

from windrow.config import kinds
from windrow.config.addresses import URL
from windrow.config.fields import Settings, optional, required, setting


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableSettings(Settings):
    """One table: a number for each institution and year, such as the students admitted."""

    name: str
    file: str = required(
        kinds.PATH, "A CSV file with the columns institution, year and number; others are ignored."
    )
    title: str = required(kinds.TEXT, 'What the numbers count, such as "Students admitted".')
    ratio: str = required(
        kinds.TEXT, 'What records divided by the number are, such as "Theses per student admitted".'
    )
    source: str = required(kinds.TEXT, "Where the numbers are from; shown with them.")
    url: str | None = optional(URL, "The address of that source; shown with it.")
    per: int = setting(
        kinds.count(1, 1_000_000, "of the number"),
        1,
        "Divide by this many of the number: 100 for theses per 100 students.",
    )
