"""Names that only whole institutions of higher education have, in the languages repositories name sets in.

For sets alone: they show at which level of a hierarchy the institutions are. Only words that leave little
doubt; "College" and "Institute" are as often parts of an institution.
"""

from __future__ import annotations

import re

_INSTITUTION = re.compile(
    r"\b(?:universit(?:y|ies|et|etet|e|é|à|ät|eit|ario|as|atea)|universidade?s?|uniwersytet|univerzita|univerza"
    r"|sveučilište|egyetem|ülikool|üniversitesi|université|yliopisto|\w*korkeakoulut?|\w*högskola(?:n|ns)?|\w*høgskole[nt]?"
    r"|\w*høyskole[nt]?|\w*hochschule\w*|polytechnic|politecnico|politechnika|hogeschool"
    r"|institute of technology)\b",
    re.IGNORECASE,
)
# Parts of a university that have its word in their name.
_PART = re.compile(
    r"\b(?:university|universitets?|yliopiston|universitäts?|korkeakoulun|högskolans)\W*"
    r"(?:archives?|college|hospital|libraries|library|medical|museum|press|bibliotek\w*|klinikum|kirjasto|museo"
    r"|arkisto|bibliothek|sjukhus|sairaala|school)|\b(?:bibliotek|library of|kirjasto|archive|press)\b"
    r"|\b(?:faculty|school|department|college|library|centre|center|institut\w*) (?:of|for|at|der|des|de)\b"
    r"(?! technology)",
    re.IGNORECASE,
)


def is_institution(name: str) -> bool:
    """Return whether a name is surely that of a whole university, and of no part of one."""
    return _INSTITUTION.search(name) is not None and _PART.search(name) is None
