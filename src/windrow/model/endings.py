"""What Snowball's rules for Finnish and Swedish leave apart though it is one word. Part of the stems.

Rules add another form to be stemmed beside the word itself, or finish a stem; they take nothing away, so that
a rule that does not fit a word costs a term and no more. All letters here are folded.
"""

from __future__ import annotations

import re

_FORMS = {
    "f": [
        (re.compile(r"(?<=\w{2})nen\Z"), "sen"),  # oppiminen, oppimisen
        (re.compile(r"(?<=\w{2}[aeiouy]s)(?:ta|ten)\Z"), ""),  # tutkimusta, yritysten
        (re.compile(r"(?<=\w{3}i)nn(?=[ao])"), "nt"),  # toiminnan, toimintaa
        (re.compile(r"(?<=\w{3}int)a\Z"), "an"),  # toiminta, toimintaa
        (re.compile(r"(?<=ps)i\Z"), "en"),  # lapsi, lapsen
        (re.compile(r"(?<=\A\w(?:yo|uo|ie))(?:n|t|na|ta|ssa|sta|lla|lta|lle|ksi)\Z"), ""),  # työn, tiellä
    ],
    "s": [
        (re.compile(r"(?<=\w{3}a)ns?\Z"), ""),  # skolan
        (re.compile(r"(?<=\w{3}en)as?\Z"), ""),  # arbetena
        (re.compile(r"(?<=\w{4})ets?\Z"), ""),  # barnet
        (re.compile(r"(?<=\w{3}r)s\Z"), ""),  # patienters
        (re.compile(r"(?<=\w{3}bar)t?\Z"), "a"),  # hållbar, hållbart, hållbara
    ],
}
_ENDS = {
    "f": [
        (re.compile(r"(?<=[aeiouy])ks\Z"), "s"),  # tutkimukse-n
        (re.compile(r"(?<=is)e\Z"), ""),  # naise-n
        (re.compile(r"(?<=uu|yy|ey)[dt]\Z"), "s"),  # terveyde-n, terveyt-tä
        (re.compile(r"d(?=[aeiouy]?\Z)"), "t"),  # hoido-n, hoito
        (re.compile(r"ng\Z"), "nk"),  # kaupung-in, kaupunk-i
    ],
}


def forms_of(word: str, letter: str) -> list[str]:
    """The word, and what else it may be a form of in the language with this letter."""
    found = [word]
    for pattern, other in _FORMS.get(letter, ()):
        form = pattern.sub(other, word, count=1)
        if form != word:
            found.append(form)
    return found


def finished(stem: str, letter: str) -> str:
    """The stem that all forms of a word share."""
    for pattern, other in _ENDS.get(letter, ()):
        stem = pattern.sub(other, stem)
    return stem
