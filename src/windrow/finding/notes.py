"""What was odd about a question or about its results: a code to translate by, and the same in English."""

from __future__ import annotations

from typing import NamedTuple

# By their codes, in English; pages say them in their own language.
SENTENCES = {
    "bad_number": "{0} is no number for {1}; {2} was taken.",
    "number_bounded": "{1} cannot be {0}; {2} was taken.",
    "bad_order": "Results cannot be sorted by {0}.",
    "bad_year": "{0} is neither a year nor years as in 2010..2014; it finds nothing.",
    "bad_size": "{0} is neither a size in bytes nor sizes as in 10000..99999; it finds nothing.",
    "unknown_collection": "There is no collection {0}; nothing is in it.",
    "many_values": "At most {0} filters can be set at once; the others were left out.",
    "deepest": (
        "Only the first {0} of {1} results are shown. A narrower search, or an export, shows the rest."
    ),
    "beyond_end": "There is no page {0}; this is the last one.",
}
OF_FILTERS = ("bad_year", "bad_size", "unknown_collection", "many_values")


class Note(NamedTuple):
    """One oddity: its code, and the values that the sentence about it has in it."""

    code: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self._filled(SENTENCES[self.code])

    @property
    def fault(self) -> str:
        """What is wrong, without what a page does about it: for whoever refuses it instead."""
        return self._filled(SENTENCES[self.code].partition(";")[0].removesuffix(".") + ".")

    @property
    def is_of_filter(self) -> bool:
        """Whether it is about which records are meant, and not about their order or pages."""
        return self.code in OF_FILTERS

    def _filled(self, sentence: str) -> str:
        return sentence.format(*map(_readable, self.values))


def _readable(value: str) -> str:
    is_large = value.isascii() and value.isdecimal() and 4 < len(value) < 20
    return f"{int(value):,}" if is_large else value
