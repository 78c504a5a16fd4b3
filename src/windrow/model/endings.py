"""What Snowball's rules leave apart though it is one word, in Finnish above all. Part of the stems.

Rules add another form to be stemmed beside the word itself, or finish a stem; they take nothing away, so that
a rule that does not fit a word costs a term and no more. All letters here are folded.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import NamedTuple

from windrow.model.irregular import bases_of
from windrow.model.spellings import other_spellings

_WEAK = r"(?:n|t|ssa|sta|lla|lta|lle|ksi)\Z"  # cases that weaken a consonant before them
_PLURALS = "issa|ista|ille|illa|ilta|ihin|iksi|ina"  # of cases, behind a vowel
_SYNCOPATED = "ar|arna|arnas|er|erna|ernas|en|ens|et|ets"  # Swedish, behind a lost e


class _Rule(NamedTuple):
    """What a word may be another form of, if it ends in one of these letters and fits."""

    last: str
    pattern: re.Pattern[str]
    other: str


def _rule(last: str, pattern: str, other: str) -> _Rule:
    return _Rule(last, re.compile(pattern), other)


_FORMS = {
    "f": [
        _rule("n", r"(?<=\w{2})nen\Z", "sen"),  # oppiminen, oppimisen
        _rule("an", r"(?<=\w{2}[aeiouy]s)(?:ta|ten)\Z", ""),  # tutkimusta, yritysten
        _rule("ant", r"(?<=\w{3}i)nn(?=[ao])", "nt"),  # toiminnan, toimintaa
        _rule("a", r"(?<=\w{3}int)a\Z", "an"),  # toiminta, toimintaa
        _rule("aent", r"(?<=\w[aiou])nn(?=[ou])", "nt"),  # luonnon, luonto
        _rule("aent", r"(?<=\w[eo])ll(?=o)", "lt"),  # pellon, pelto
        _rule("i", r"(?<=ps)i\Z", "en"),  # lapsi, lapsen
        _rule("an", r"\Alas(?:ta|ten)\Z", "lapsen"),
        _rule("ain", r"(?<=\w[aeouy])si(?:\Z|(?=(?:en|a|na|ssa|sta|in)\Z))", "te"),  # vesi, veden
        _rule("a", r"(?<=\w[aouy])tta\Z|(?<=\Ave)tta\Z", "den"),  # vuotta, vuoden
        _rule("n", r"(?<=\w{2}[lnr])ten\Z", "ien"),  # kielten, kielien
        _rule("a", r"(?<=(?:ie|uo|yo|uu|aa)[lnr])ta\Z|(?<=\Amer)ta\Z", "en"),  # kieltä, kielen
        _rule("s", r"(?<=\w{2}[^kpt]a)s\Z", "an"),  # potilas, potilaan
        _rule("s", r"(?<=\w)([kpt])as\Z", r"\1\1aan"),  # asiakas, asiakkaan
        _rule("e", r"(?<=\w{2})([kpt])e\Z", r"\1\1een"),  # tavoite, tavoitteen
        _rule("e", r"(?<=\w[au]r)ve\Z", "peen"),  # tarve, tarpeen
        _rule("n", r"(?<=\w)(a|el|[aiouy]t|st)in\Z", r"\1imen"),  # puhelin, puhelimen
        _rule("an", r"(?<=\w[aei])n(?:ta|ten)\Z", "men"),  # puhelinta, puhelimen
        _rule("aein", rf"(?<=\w{{2}})o(?:ja|jen|ita|iden|{_PLURALS})\Z", "aa"),  # matkoja, matkaa
        _rule("aein", rf"(?<=\w{{2}})e(?:ja|{_PLURALS})\Z", "in"),  # kasveja, kasvin
        _rule("aent", r"(?<=\w[inr])ki(?=(?:n|t|ssa|sta|lla|lle)\Z)", "kki"),  # pankin, pankki
        _rule("aeint", rf"(?<=\w)mm(?=[aeouy]{_WEAK})", "mp"),  # vanhemman, vanhempi; lammen, lampi
        _rule("aeint", rf"(?<=\w{{2}})rr(?=[aou]{_WEAK})", "rt"),  # siirron, siirto
        _rule("aeint", rf"(?<=\w[aeiouylr])v(?=[aouy]{_WEAK})", "p"),  # tavan, tapa
        _rule("aeint", rf"(?<=u)v(?=u{_WEAK})|(?<=y)v(?=y{_WEAK})", "k"),  # luvun, luku
        _rule(
            "aeint", rf"\A([^aeiouy]{{0,2}}[aeiouy][aeiouylnr]?)([kpt])a(?={_WEAK})", r"\1\2\2a"
        ),  # kaupan, kauppa
        _rule("t", r"(?<=\w)([kp])it\Z", r"\1\1i"),  # opit, oppi
        _rule("a", r"\A(\w{1,3}[hlr]t)a\Z", r"\1aa"),  # ilta, iltaa
        _rule("a", r"(?<=\w{3}e)a\Z", "an"),  # tärkeä, tärkeän
        _rule("n", r"(?<=[hln][kt])aan\Z", "aat"),  # puhtaan, puhtaat
        _rule("n", r"(?<=\w[lnr])han\Z", "haa"),  # vanhan, vanhaa
        _rule("s", r"(?<=\w)mmas\Z", "mpaan"),  # hammas, hampaan
        _rule("s", r"(?<=\wr)vas\Z", "paan"),  # varvas, varpaan
        _rule("i", r"(?<=\w{2}mp)i\Z", "an"),
        _rule("i", r"(?<=\w{2}ts)i\Z", "in"),  # ruotsi, ruotsin
        _rule("aen", r"\A(\w{3,4})i(?:a|en|lle|lla|ssa|sta)\Z", r"\1a"),  # hyviä, hyvä
        _rule("a", r"\A(\w{3,4}i)a\Z|(?<=\w[fg]i)a\Z|(?<=\w[eo]mi)a\Z", r"\1an"),  # media, strategia
        _rule(
            "aeint",
            r"(?<=\A\w(?:yo|uo|ie|aa|uu|yy|ee))(?:n|t|na|ta|ssa|sta|lla|lta|lle|ksi|h[aeiou]n)\Z",
            "",
        ),  # työn, tiellä, maahan
        _rule("aen", r"(?<=t)oi(?:den|ta|ssa|hin|lla|lle)\Z", "yo"),  # töiden, työ
    ],
    "s": [
        _rule("ns", r"(?<=\w{3}a)ns?\Z", ""),  # skolan
        _rule("as", r"(?<=\w{3}en)as?\Z", ""),  # arbetena
        _rule("ts", r"(?<=\w{4})ets?\Z", ""),  # barnet
        _rule("s", r"(?<=\w{3}r)s\Z", ""),  # patienters
        _rule("s", r"(?<=\w{3}are)s\Z", ""),  # lärares
        _rule("rt", r"(?<=\w{3}bar)t?\Z", "a"),  # hållbar, hållbart, hållbara
        _rule("t", r"(?<=\w{3}iv)t\Z", ""),  # effektivt
        _rule("s", r"(?<=\w{2}[ty])s\Z", "sen"),  # analys, analysen
        _rule("n", r"(?<=\w{2}[dfgmr]i)n\Z", ""),  # teorin
        _rule("anr", r"(?<=[ls]jo)(?:n|ar|arna)\Z", ""),  # miljön, sjöar
        _rule(
            "anrst", rf"(?<=\w[bdfgkmnpst])l(?:a|{_SYNCOPATED})\Z", "el"
        ),  # artiklar, artikel; enkla, enkel
        _rule("anrst", rf"(?<=\w[bdfgkpst])r(?:{_SYNCOPATED})\Z", "er"),  # fönstret, fönster
        _rule("nst", r"(?<=\w[bdfgkmnpst]el)[nt]s?\Z", ""),  # artikeln, enkelt
    ],
    "e": [
        _rule("s", r"(?<=\w{3}ys)es\Z", "is"),  # analyses, analysis
    ],
}
# The same by a word's last letter.
_FITTING = {
    letter: {last: [rule for rule in rules if last in rule.last] for last in ascii_lowercase}
    for letter, rules in _FORMS.items()
}
_ENDS = {
    "f": [
        (re.compile(r"(?<=[aeiouy])ks\Z"), "s"),  # tutkimukse-n
        (re.compile(r"(?<=is)e\Z"), ""),  # naise-n
        (re.compile(r"(?<=uu|yy|ey|eu)[dt]\Z"), "s"),  # terveyde-n, terveyt-tä
        (re.compile(r"(?<=\w{3}[ao]u)[dt]\Z"), "s"),  # taloude-n, talous
        (re.compile(r"(?<=y)j\Z"), ""),  # kykyj-ä, kyky
        (re.compile(r"d(?=[aeiouy]?\Z)"), "t"),  # hoido-n, hoito
        (re.compile(r"ng(?=[ou]?\Z)"), "nk"),  # kaupung-in, kaupunk-i; auringo-n, aurinko
        (re.compile(r"(?<=\w{2}[ln])t\Z"), ""),  # kunt-ia, kun-nan
        (re.compile(r"(?<=\w{2})e\Z"), "i"),  # kiele-n, kieli
    ],
}
# Behind these an i marks the plural. Elsewhere it may be the end of the word: kieli, kieliä.
_SURE = re.compile(r"(?:j|ks|is|lm)\Z")


def forms_of(word: str, letter: str) -> list[str]:
    """The word, and what else it may be a form of in the language with this letter."""
    found = [word, *bases_of(word, letter)]
    if letter == "e":
        found += other_spellings(word)
    for _, pattern, other in _FITTING[letter].get(word[-1], ()):
        form = pattern.sub(other, word, count=1)
        if form != word:
            found.append(form)
    return found


def finished(form: str, stem: str, letter: str) -> list[str]:
    """The stems that all forms of a word share, of one form as Snowball leaves it."""
    if letter == "f" and form.startswith(f"{stem}i") and not _SURE.search(stem):
        return [_ended(stem, letter), _ended(f"{stem}i", letter)]
    return [_ended(stem, letter)]


def _ended(stem: str, letter: str) -> str:
    for pattern, other in _ENDS.get(letter, ()):
        stem = pattern.sub(other, stem)
    return stem
