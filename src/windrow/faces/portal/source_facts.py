"""What the kind of a source reports of it, on the pages on status.

Messages of the kinds that Windrow brings are translated; those of other packages are shown as they come.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.tongue import Tongue

LABELS: Mapping[str, str] = {
    "crawl": message("Crawl"),
    "processes": message("Processes"),
    "addresses": message("Addresses"),
    "unavailable": message("Unavailable"),
    "time left": message("Time left"),
}
WORDS = frozenset(
    {
        message("open"),
        message("running"),
        message("paused until further notice"),
        message("closed until further notice"),
        message("{known} known, {waiting} waiting"),
        message("{count}, to be tried again"),
        message("at least {count} seconds, because of {host}"),
        message("at least {count} minutes, because of {host}"),
        message("at least {count} hours, because of {host}"),
        message("at least {count} days, because of {host}"),
        message("{waiting} waiting, {done} fetched, {failed} failed"),
    }
)


@dataclass(frozen=True, slots=True)
class SourceFact:
    """A label with words about a source; with `values`, the words have their names in braces."""

    label: str
    words: str
    values: Mapping[str, str | int] = field(default_factory=dict)

    def shown(self, tongue: Tongue) -> ShownFact:
        """Return the fact in the language of a page, as far as that is known."""
        words, label = self.words, self.label
        if words in WORDS or self.values:
            words = tongue.say(words, **self.values)
        if label in LABELS:
            label = tongue.say(LABELS[label])
        is_foreign = self.words not in WORDS and not self.words.startswith("{")
        return ShownFact(label, words, language="en" if is_foreign and tongue.code != "en" else "")


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact as a page shows it."""

    label: str
    words: str
    language: str = ""  # where it is not that of the page
