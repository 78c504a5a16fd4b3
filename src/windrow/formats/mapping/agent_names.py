"""What a person did for a work: relator codes as words. The MARC and MODS readers ask here.

The codes are the MARC relator codes; only those that repositories use are named. An unknown
code stays as it is.
"""

from __future__ import annotations

WORDS = {
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

# Words that make someone a creator of the work rather than a contributor to it, in the
# languages of the catalogues that spell roles out.
CREATORS = frozenset(
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

GRANTORS = frozenset({"degree granting institution", "degree grantor", "degree-granting institution"})
PUBLISHERS = frozenset({"publisher", "issuing body"})


def role_of(text: str) -> str | None:
    """Give the role as a word: `aut` and a relator address become `author`, other words stay."""
    role = text.strip().rstrip(".,;:/ ")
    if "/relators/" in role:
        role = role.rpartition("/")[2]
    return WORDS.get(role.lower(), role) or None


def is_creator(role: str) -> bool:
    """Tell whether someone in this role made the work."""
    return role.lower() in CREATORS


def is_grantor(role: str) -> bool:
    """Tell whether this role is that of the university that gave the degree."""
    return role.lower() in GRANTORS


def is_publisher(role: str) -> bool:
    """Tell whether this role is that of a publisher."""
    return role.lower() in PUBLISHERS
