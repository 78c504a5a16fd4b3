"""The smallest parts of a record page: words with the search behind them, and facts made of such."""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):  # not a dataclass: a page has dozens, and this is made in a third of the time
    """Words with the address behind them, and their language where it is not that of the page."""

    text: str
    address: str = ""
    language: str = ""
    is_outside: bool = False  # the address leads away from here
    places: tuple[Said, ...] = ()  # where a person works, to be said in small letters

    def __html__(self) -> str:
        """As a template shows it: what a macro would do, in a fifth of the time."""
        lang = f' lang="{_escaped(self.language)}"' if self.language else ""
        words = f"<bdi{lang}>{_escaped(self.text)}</bdi>"
        if self.address:
            rel = "noreferrer" if self.is_outside else "nofollow"
            words = f'<a href="{_escaped(self.address)}" rel="{rel}">{words}</a>'
        if not self.places:
            return words
        return f'{words} <small class="places">{"; ".join(each.__html__() for each in self.places)}</small>'


class Fact(NamedTuple):
    """What the record says under one label."""

    label: str
    values: tuple[Said, ...]
    more: str = ""  # words for how many are left out

    def __html__(self) -> str:
        """As a template shows it: a pair for a list of such."""
        shown = [each.__html__() for each in self.values]
        if len(shown) == 1:
            (found,) = shown
        else:
            rest = f'<li class="quiet">{_escaped(self.more)}</li>' if self.more else ""
            found = f'<ul class="values">{"".join(f"<li>{each}</li>" for each in shown)}{rest}</ul>'
        return f"<div><dt>{_escaped(self.label)}</dt><dd>{found}</dd></div>"


def _escaped(text: str) -> str:
    """What `markupsafe.escape` gives, without an object around it."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("'", "&#39;").replace('"', "&#34;")
