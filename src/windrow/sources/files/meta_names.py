"""What the names of meta tags mean in Dublin Core, for those who describe files: `html_head` and sidecars."""

from __future__ import annotations

from windrow.extract.meta_names import fact_named
from windrow.formats.plain_dc import ELEMENTS

_KNOWN = frozenset((*ELEMENTS, "modified"))


def element_for(name: str) -> str | None:
    """Give the element of Dublin Core that a meta tag of this name fills; None where it fills none."""
    fact = fact_named(name, _KNOWN)
    return "date" if fact == "modified" else fact
