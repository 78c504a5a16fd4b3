"""What people did for a work, and what its dates are of, in people's words. Pure.

Formats say it in English: relator codes as their words, the types of DataCite in one word. What no list has
stays as the record says it.
"""

from __future__ import annotations

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.tongue import Tongue

ROLES = (
    message("actor"),
    message("addressee"),
    message("advisor"),
    message("arranger"),
    message("artist"),
    message("author"),
    message("author of afterword"),
    message("author of introduction"),
    message("book designer"),
    message("cartographer"),
    message("collection registrar"),
    message("committee member"),
    message("compiler"),
    message("composer"),
    message("conductor"),
    message("conference"),
    message("contact person"),
    message("contributor"),
    message("creator"),
    message("curator"),
    message("data collector"),
    message("data curator"),
    message("data manager"),
    message("dedicatee"),
    message("degree granting institution"),
    message("degree supervisor"),
    message("director"),
    message("distributor"),
    message("donor"),
    message("editor"),
    message("editor of compilation"),
    message("engraver"),
    message("former owner"),
    message("funder"),
    message("host"),
    message("host institution"),
    message("hosting institution"),
    message("illustrator"),
    message("interviewee"),
    message("interviewer"),
    message("issuing body"),
    message("librettist"),
    message("lyricist"),
    message("maker"),
    message("monitor"),
    message("musician"),
    message("narrator"),
    message("opponent"),
    message("originator"),
    message("other"),
    message("owner"),
    message("patron"),
    message("performer"),
    message("photographer"),
    message("printer"),
    message("producer"),
    message("programmer"),
    message("project director"),
    message("project leader"),
    message("project manager"),
    message("project member"),
    message("publisher"),
    message("publishing director"),
    message("registration agency"),
    message("registration authority"),
    message("related person"),
    message("research group"),
    message("researcher"),
    message("respondent"),
    message("reviewer"),
    message("rights holder"),
    message("singer"),
    message("speaker"),
    message("sponsor"),
    message("supervisor"),
    message("thesis advisor"),
    message("transcriber"),
    message("translator"),
    message("work package leader"),
    message("writer of introduction"),
)
DATES = (
    message("accepted"),
    message("accessioned"),
    message("available"),
    message("collected"),
    message("copyrighted"),
    message("coverage"),
    message("created"),
    message("defended"),
    message("digitized"),
    message("embargo"),
    message("issued"),
    message("metadata"),
    message("modified"),
    message("other"),
    message("published"),
    message("submitted"),
    message("updated"),
    message("valid"),
    message("withdrawn"),
)


def _key(text: str) -> str:
    """What a word is known by: ContactPerson, contact-person and contact person are the same."""
    return text.lower().replace(" ", "").replace("-", "")


_ROLES = {_key(role): role for role in ROLES}


def role_words(role: str, tongue: Tongue) -> str:
    """Say what somebody did; in the record's own words where they are not known here."""
    known = _ROLES.get(_key(role))
    return role if known is None else tongue.say(known)


def date_words(kind: str, tongue: Tongue) -> str:
    """Say what a date is of; in the record's own word where it is not known here."""
    return tongue.say(kind) if kind in DATES else kind
