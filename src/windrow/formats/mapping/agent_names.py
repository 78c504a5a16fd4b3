"""Names and roles of agents: relator codes, names as catalogues write them, parts of personal names.

Roles are MARC relator codes; only those that repositories use have a word, and an unknown code stays as it
is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from windrow.model.text.folding import folded_words
from windrow.model.text.proper_names import is_institution

ROLE_WORDS = {
    "act": "actor",
    "aft": "author of afterword",
    "arr": "arranger",
    "art": "artist",
    "aui": "author of introduction",
    "aut": "author",
    "bkd": "book designer",
    "cmp": "composer",
    "cnd": "conductor",
    "com": "compiler",
    "cor": "collection registrar",
    "cre": "creator",
    "ctb": "contributor",
    "ctg": "cartographer",
    "cur": "curator",
    "dgg": "degree granting institution",
    "dgs": "degree supervisor",
    "dnr": "donor",
    "drt": "director",
    "dst": "distributor",
    "dte": "dedicatee",
    "edc": "editor of compilation",
    "edt": "editor",
    "egr": "engraver",
    "fmo": "former owner",
    "fnd": "funder",
    "his": "host institution",
    "hst": "host",
    "ill": "illustrator",
    "isb": "issuing body",
    "ive": "interviewee",
    "ivr": "interviewer",
    "lbt": "librettist",
    "lyr": "lyricist",
    "mon": "monitor",
    "mus": "musician",
    "nrt": "narrator",
    "opn": "opponent",
    "org": "originator",
    "oth": "other",
    "own": "owner",
    "pat": "patron",
    "pbd": "publishing director",
    "pbl": "publisher",
    "pdr": "project director",
    "pht": "photographer",
    "prf": "performer",
    "prg": "programmer",
    "pro": "producer",
    "prt": "printer",
    "rcp": "addressee",
    "res": "researcher",
    "rev": "reviewer",
    "rsp": "respondent",
    "sng": "singer",
    "spk": "speaker",
    "spn": "sponsor",
    "ths": "thesis advisor",
    "trc": "transcriber",
    "trl": "translator",
    "win": "writer of introduction",
}

# Roles that make an agent a creator of the work rather than a contributor to it, in the languages of the
# catalogues that spell roles out.
CREATOR_ROLES = frozenset(
    [
        "author",
        "authors",
        "aut",
        "joint",
        "author",
        "jt.",
        "author",
        "coauthor",
        "co-author",
        "creator",
        "cre",
        "originator",
        "artist",
        "composer",
        "photographer",
        "cartographer",
        "compiler",
        "comp.",
        "comp",
        "verfasser",
        "verfasserin",
        "autor",
        "autorin",
        "auteur",
        "autore",
        "tekijä",
        "kirjoittaja",
        "säveltäjä",
        "kirjailija",
        "författare",
        "upphovsman",
        "maker",
        "writer",
        "sculptor",
        "painter",
        "architect",
        "librettist",
        "lyricist",
    ]
) | {"joint author", "jt. author", "author and illustrator"}

GRANTOR_ROLES = frozenset({"degree granting institution", "degree grantor", "degree-granting institution"})
PUBLISHER_ROLES = frozenset({"publisher", "issuing body"})


def parse_role(text: str) -> str | None:
    """Return the role as a word: `aut` and a relator address become `author`; other words stay."""
    role = text.strip().rstrip(".,;:/ ")
    if "/relators/" in role:
        role = role.rpartition("/")[2]
    return ROLE_WORDS.get(role.lower(), role) or None


def is_creator(role: str) -> bool:
    return role.lower() in CREATOR_ROLES


def is_grantor(role: str) -> bool:
    """Return whether this is the role of the university that granted the degree."""
    return role.lower() in GRANTOR_ROLES


def is_publisher(role: str) -> bool:
    return role.lower() in PUBLISHER_ROLES


# Cleaning names: roles, full stops, places, departments and placeholders are split off. Catalogues write
# `Halla, K. J., photographer.`, `Foster, Stephen Collins [composer]`, `New York : Firth, Pond & Co.` and
# `unknown`. The role is kept as the agent's role; the place is dropped.

_ISBD = " \t/:;,="
# Abbreviations that keep their final full stop.
_ABBREVIATED = frozenset(
    [
        "al",
        "bros",
        "co",
        "comp",
        "corp",
        "dept",
        "dr",
        "ed",
        "eds",
        "etc",
        "inc",
        "jr",
        "ltd",
        "no",
        "proc",
        "pt",
        "ser",
        "sr",
        "st",
        "suppl",
        "univ",
        "vol",
    ]
)
# Placeholders for a missing name. "Anonymous" is not one: works are attributed that way.
_NOBODY = frozenset(
    {
        *("unknown", "unknown author", "unknown creator", "not known", "not available", "not applicable"),
        *("n/a", "na", "n.a.", "none", "null", "nil", "tuntematon", "okänd", "ukjent", "unbekannt"),
    }
)
_LONGEST_NOBODY = max(map(len, _NOBODY))
_ROLES = frozenset(
    {
        *ROLE_WORDS.values(),
        *(each for each in CREATOR_ROLES if len(each) > 4 and each.isalpha()),
        *("architect", "depicted", "designer", "draughtsman", "editors", "engineer", "featured performer"),
        *("joint author", "lithographer", "manufacturer", "painter", "photographers", "publishers"),
        *("recipient", "surveyor", "compilers", "authors", "illustrators", "translators"),
    }
)
_BRACKETED = re.compile(r"(?P<name>\S.*?)[\s,]*[(\[](?P<role>[^()\[\]]{3,40})[)\]]\.?")
_APPENDED = re.compile(r"(?P<name>\S.*?)(?:,\s*|\s+)(?P<role>(?:[a-z]+ )?[a-z]+)\.?")
_LONGEST = 300  # characters that are examined
_ENDS_OF_ROLES = frozenset(each.rpartition(" ")[2] for each in _ROLES)
_SHORTEST_STOPPED = 3  # lower-case letters before a full stop that does not end an initial
_PLACED = re.compile(r"(?P<place>[^:]{2,80}) : (?P<name>[^:]*[^\W\d_][^:]*)")
_PART = re.compile(  # of an institution, by a word in its name
    r"\b(?:facult\w*|faculd\w*|facolt\w*|fakult\w*|\w*tiedekunta|school|schule|skola|college|department\w*|departament\w*"
    r"|département|afdeling|\w*laitos|katedra|lehrstuhl|\w*institut\w*|ústav|istituto|osasto|yksikkö|avdelning\w*"
    r"|sektion\w*|division|cent(?:er|re)|centrum|keskus|escola|escuela|wydział|koulutusohjelma|program\w*)\b",
    re.IGNORECASE,
)
_NO_PUBLISHER = re.compile(r"\[?s\.? ?n\.?\]?\??", re.IGNORECASE)


def trim_isbd(text: str) -> str:
    """Return the text without the ISBD punctuation that introduces the next subfield.

    A final full stop goes as well, unless it ends an initial, an abbreviation or an ellipsis.
    """
    text = text.rstrip(_ISBD).lstrip()
    if text.endswith(". -"):  # ISBD writes this between areas
        text = text[:-2].rstrip()
    if not text.endswith(".") or text.endswith(".."):
        return text
    word = text[-40:-1].rpartition(" ")[2].lstrip("([")
    if len(word) < 2 or "." in word or word.lower() in _ABBREVIATED:
        return text
    return text[:-1].rstrip(_ISBD)


def is_plainly_stated(name: str) -> bool:
    # A quick test of the last characters. False means that the name needs the full cleaning.
    last = name[-1:]
    if last == ".":
        return not name[-_SHORTEST_STOPPED - 1 : -1].islower()
    if last in ",]":
        return False
    return name[name.rfind(" ") + 1 :] not in _ENDS_OF_ROLES and not names_nobody(name)


def names_nobody(name: str) -> bool:
    """Return whether a text is a placeholder for a missing name."""
    return len(name) <= _LONGEST_NOBODY and name.casefold() in _NOBODY


def with_role(name: str) -> tuple[str, str | None]:
    """Return a name without role and final full stop, and the role."""
    if len(name) > _LONGEST:
        return name, None
    for pattern in (_BRACKETED, _APPENDED):
        found = pattern.fullmatch(name)
        if found is not None and found["role"].casefold() in _ROLES:
            return trim_isbd(found["name"]), found["role"].casefold()
    return trim_isbd(name), None


def publisher_name(text: str) -> str:
    """Return a publisher without place and brackets, or "" if none is named."""
    if len(text) > _LONGEST:
        return text
    found = _PLACED.fullmatch(text)
    name = text if found is None else found["name"].strip()
    if name.endswith("]") and name.count("[") == (name[:1] == "[") and name.count("]") == 1:
        name = name.strip("[]").strip()
    return "" if _NO_PUBLISHER.fullmatch(name) else name


def institution_and_part(name: str) -> tuple[str, str | None]:
    """Return an institution without faculty and department, and the smallest of these."""
    # Many records name the granting institution as `Univerzita Karlova, Pedagogická fakulta, Katedra
    # hudební výchovy`.
    for mark in (", ", ". ") if len(name) <= _LONGEST else ():
        whole, *parts = name.split(mark)
        if parts and is_institution(whole) and all(map(_PART.search, parts)):
            return whole, parts[-1].rstrip(".")
    return name, None


# Parts of personal names: family, given, suffix. Names that are not certainly personal stay whole.

LONGEST_NAME = 300  # characters that are examined

# "1950-", "b. 1950", "1950-2010": dates that catalogues add to distinguish people.
_DATES = re.compile(r"^(?:[bd]\.\s*)?\(?(?:ca\.?\s*)?\d{4}\??\s*(?:[-–]\s*(?:\d{4})?)?\)?\.?$")
_SUFFIXES = frozenset(("jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "v"))
# Words that occur in the names of organisations, and hardly ever in those of people.
_WORDS = (
    "university universitet universitetet universitat universite universidad universita yliopisto"
    " ammattikorkeakoulu yrkeshogskola hogskola hogskolan hogskole institute institut institutet instituutti"
    " institution institutionen department departement laitos faculty tiedekunta fakultet fakulteten"
    " ministry ministerio ministeriet ministere committee council commission agency authority keskus"
    " society association foundation saatio stiftelsen federation organisation organization consortium"
    " laboratory library kirjasto bibliotek museum company corporation inc ltd llc gmbh oy oyj"
    " kunta kommun kaupunki government"
)
_ORGANISED = frozenset(_WORDS.split())


class PersonName(NamedTuple):
    """The parts of a personal name."""

    family: str
    given: str
    suffix: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, self))


def parse_person_name(name: str) -> PersonName | None:
    """Split a name written "Family, Given". Return None for organisations and for doubtful cases."""
    family, *rest = (part.strip() for part in name[:LONGEST_NAME].split(","))
    parts = [part for part in rest if part and not _DATES.match(part)]
    if not family or not parts or is_organisation(name):
        return None
    suffixes = [part for part in parts if part.lower() in _SUFFIXES]
    given = [part for part in parts if part.lower() not in _SUFFIXES]
    if len(given) != 1:  # "Barns, Hay and Straw, Ltd": a list, not a person
        return None
    return PersonName(family, given[0], suffixes[0] if suffixes else "")


def is_organisation(name: str) -> bool:
    """Return whether a word in the name marks it as an organisation."""
    return not _ORGANISED.isdisjoint(folded_words(name[:LONGEST_NAME]))
