"""The tokens of a query text, with balanced brackets.

Patterns are possessive (*+, ++) and nothing is scanned twice, so that the time is linear in the length of any
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum, auto

from windrow.model.query import EVENT, FIELDS, OPERATORS, QUOTES, FieldKind, find_field, names_and_aliases
from windrow.model.text.wildcards import is_near
from windrow.protocols.query.mistakes import MistakeCode, Mistakes, Remedy

MEASURED_KINDS = (FieldKind.NUMBER, FieldKind.DATE)
DEEPEST = 40

_QUOTED = rf"[{QUOTES}]((?:\\.|[^\\{QUOTES}])*+)[{QUOTES}]"
_BOOST = r"(?:\^(\d{1,4}(?:\.\d{1,6})?))?"
_SPACE = re.compile(r"\s++")
_PHRASE = re.compile(rf"{_QUOTED}(?:~(\d{{0,9}}))?{_BOOST}", re.DOTALL)
_GLUED = re.compile(r"[^\s()]++")  # text attached to a tilde or a weight after a phrase: "…"~x
_CLOSE = re.compile(rf"\)(?:~(\d{{1,3}}))?{_BOOST}")
_FIELD = re.compile(r"([A-Za-z][A-Za-z_]{0,30})([:=])")
_COMPARED_FIELD = re.compile(r"([A-Za-z][A-Za-z_]{0,30})(?=[<>]=?[0-9])")  # year>=2010
_VALUE = re.compile(rf"{_QUOTED}|((?:\\.|[^\s()\\{QUOTES}])++)", re.DOTALL)
_BOUND = rf"(?:{_QUOTED}|((?:(?!\.\.)[^\s\]}}{QUOTES}]){{1,200}}+))?"
_RANGE = re.compile(rf"([\[{{])\s*+{_BOUND}\s*+(?:\.\.|(?<=\s)TO(?=\s))\s*+{_BOUND}\s*+([\]}}])", re.DOTALL)
_BROKEN_RANGE = re.compile(r"[\[{](?=[^\s()])")
_WORD = re.compile(rf"(?:\\.|[^\s()\\{QUOTES}])++|\\", re.DOTALL)
# A DOI or a web address, as pasted: balanced brackets inside it belong to it.
_ADDRESS = re.compile(
    rf"(?:https?://|(?:(?:dx\.)?doi\.org/)?10\.\d{{4,9}}/)(?:\\.|[^\s()\\{QUOTES}]|\([^\s()\\{QUOTES}]*+\))++",
    re.DOTALL | re.IGNORECASE,
)
# "ISBN 978-951-…", "DOI: 10.1000/…": as in lists of references, with or without a colon.
_LABEL = re.compile(
    r"(?:isbn(?:-1[03])?|e?-?issn|pmid|doi)(?:\s*+:\s*+|\s++)(?=10\.\d{4,9}/|[0-9][0-9-]{6,16}[0-9x]\b)",
    re.IGNORECASE,
)
_URN = re.compile(
    r"urn:[a-z0-9][a-z0-9-]{1,31}:", re.IGNORECASE
)  # RFC 8141: not a field, although there is one of that name
_SIGN = re.compile(r"[+-](?=[^\s)])")
_ANY_SIGN = re.compile(r"[+!-](?=[^\s)])")
# If a text uses these, !word is NOT; else it is a word, as in "the !Kung".
_SYMBOL = re.compile(r"(?<!\S)(?:&&|\|\|)(?!\S)")
_SPAN = re.compile(r"(?=\.*+[0-9])[0-9-]*+\.\.[0-9-]*+(?=[\s)]|\Z)")
_BEFORE_SIGNS = frozenset("(+-!")  # a sign must follow one of these or a space: var(x)-like is one word
# The rest of a title after its first word: more words, without signs, operators or another field.
_SUBTITLE = re.compile(
    rf"(?:\s++(?!(?:AND|OR|NOT|&&|\|\|)\s|[A-Za-z_]++[:=]\S)[^\s()\[{{<>+*{QUOTES}-][^\s]*+){{3}}"
)
_NUMBER = re.compile(r"\s++[0-9]")
_NO_FIELDS = frozenset(
    ("http", "https", "ftp", "urn", "oai", "info", "arxiv", "hdl")
)  # the beginning of an identifier


class TokenKind(Enum):
    """The type of a token."""

    OPEN = auto()
    CLOSE = auto()
    FIELD = auto()
    WORD = auto()
    QUOTED = auto()
    VALUE = auto()
    RANGE = auto()
    AND = auto()
    OR = auto()
    NOT = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text. Words and quoted texts are unchanged, with their backslashes."""

    kind: TokenKind
    position: int
    text: str = ""
    # The number after a tilde, -1 for a tilde alone; for a word, the length of an unknown field before it;
    # for a closing bracket, how many of the conditions inside must hold.
    number: int | None = None
    boost: float | None = None
    bounds: tuple[str | None, str | None, bool, bool] | None = None  # of a range; whether each is included
    field: str = ""  # of a value
    spelled: str = ""  # of a field, the word itself in case the text is a title: "Time: a short history"


def tokenise(text: str, mistakes: Mistakes) -> list[Token]:
    return _paired(list(_Scan(text, mistakes).tokens()), mistakes)


class _Scan:
    """The state of tokenising one text."""

    def __init__(self, text: str, mistakes: Mistakes) -> None:
        self._text = text
        self._mistakes = mistakes
        self._position = 0
        self._is_amid_words = False  # whether the previous text is complete, not an open operator or field
        self._is_begun = False
        self._sign = _ANY_SIGN if _SYMBOL.search(text) else _SIGN

    def tokens(self) -> Iterator[Token]:
        is_after_field = False  # text directly after the colon is neither a sign nor another field
        while self._position < len(self._text):
            if self._take(_SPACE):
                is_after_field = False
                continue
            token = (is_after_field and self._range()) or self._token(is_bare=is_after_field)
            is_after_field = token is not None and token.kind is TokenKind.FIELD
            if token is not None:
                self._is_begun = True
                self._is_amid_words = token.kind in (TokenKind.WORD, TokenKind.QUOTED)
                yield token

    def _token(self, *, is_bare: bool) -> Token | None:
        position, letter = self._position, self._text[self._position]
        if letter == "(":
            self._position += 1
            return Token(TokenKind.OPEN, position)
        if letter == ")":
            found = self._take(_CLOSE)
            assert found is not None, "the bracket itself is enough"
            number = None if found[1] is None else int(found[1])
            return Token(TokenKind.CLOSE, position, number=number, boost=_float(found[2]))
        if letter in QUOTES:
            return self._quoted()
        if not is_bare:
            sign = self._take(self._sign)
            if sign is not None:
                return Token(TokenKind.NOT, position) if sign[0] != "+" and self._is_free(position) else None
            field = self._field()
            if field is not None or self._position > position:
                return field
        return self._word()

    def _quoted(self) -> Token | None:
        position = self._position
        found = self._take(_PHRASE)
        if found is None:  # only the last quotation mark of a text can be unpaired
            self._position += 1
            self._mistakes.add(position, MistakeCode.LONE_QUOTE, Remedy.IGNORED)
            return None
        number = None if found[2] is None else int(found[2] or -1)
        has_suffix = found[2] is not None or found[3] is not None
        if (has_suffix or self._text[found.end() : found.end() + 1] in ("~", "^")) and self._take(_GLUED):
            self._mistakes.add(found.end(), MistakeCode.BAD_PHRASE_SUFFIX, Remedy.IGNORED)
        return Token(TokenKind.QUOTED, position, found[1], number, _float(found[3]))

    def _field(self) -> Token | None:
        position = self._position
        if self._take(_LABEL):
            return Token(TokenKind.FIELD, position, "identifier")
        compared = _COMPARED_FIELD.match(self._text, self._position)
        measured = find_field(compared[1]) if compared else None
        if compared is not None and measured is not None and FIELDS[measured].kind in MEASURED_KINDS:
            self._position = compared.end()
            return Token(TokenKind.FIELD, position, measured)
        found = _FIELD.match(self._text, self._position)
        if found is None or _URN.match(self._text, self._position):
            return None
        name = found[1]
        if found[2] == "=":
            return self._value(name, found.end())
        known = EVENT if name.casefold() == EVENT else find_field(name)
        if known is None:
            return self._unknown(name, found.end())
        is_title = _SUBTITLE.match(self._text, found.end()) is not None
        if self._is_amid_words and self._text[found.end() : found.end() + 1].isspace():
            if not is_title:  # not "Hay in our time: a short history"
                self._mistakes.add(position, MistakeCode.DETACHED_FIELD, Remedy.AS_WORD, name=name)
            return None
        is_title = is_title and not self._is_begun
        if is_title and known != EVENT and FIELDS[known].kind in MEASURED_KINDS:
            if not _NUMBER.match(self._text, found.end()):
                return None  # "Year: the making of a magazine"
            is_title = False
        self._position = found.end()
        return Token(TokenKind.FIELD, position, known, spelled=name if is_title else "")

    def _is_free(self, position: int) -> bool:
        before = self._text[position - 1 : position]
        return not before or before.isspace() or before in _BEFORE_SIGNS

    def _value(self, name: str, start: int) -> Token | None:
        """Return the token for a field with an exact value; None if there is no value or no such field."""
        known, position = find_field(name), self._position
        is_quoted = self._text[start : start + 1] in tuple(QUOTES)
        if known is None:
            if is_quoted and self._doubt(name, start):  # otherwise it is part of an address or a formula
                self._position = start
            return None
        if FIELDS[known].kind in MEASURED_KINDS and _SPAN.match(self._text, start):
            self._position = start
            return Token(TokenKind.FIELD, position, known)
        found = _VALUE.match(self._text, start)
        if found is not None:
            self._position = found.end()
            return Token(TokenKind.VALUE, position, found[1] if found[2] is None else found[2], field=known)
        if not is_quoted:
            return None
        self._position = start  # an unpaired quotation mark: all further text is in the field
        return Token(TokenKind.FIELD, position, known)

    def _unknown(self, name: str, end: int) -> Token | None:
        """Return the token for text after an unknown field: an identifier, else the field is ignored."""
        position, is_meant = self._position, self._doubt(name, end)
        if not is_meant or end == len(self._text) or self._text[end].isspace():
            return None
        self._position = end
        value = self._take(_WORD)
        if value is None:
            return None  # a phrase or brackets, which are the next token
        return Token(TokenKind.WORD, position, self._text[position : self._position], number=end - position)

    def _doubt(self, name: str, end: int) -> bool:
        """Record an unknown field if one was meant."""
        if self._mistakes.is_full:  # the search for similar names takes time
            return False
        near = _field_near(name.casefold())
        is_glued = end < len(self._text) and not self._text[end].isspace()
        if not near and not (is_glued and len(name) > 2 and name.casefold() not in _NO_FIELDS):
            return False  # "Hay: a history", "http://…"
        if is_glued and (near or not self._is_capital(end)):
            remedy = Remedy.IN_ALL_FIELDS
        elif not is_glued and not self._is_amid_words and not _SUBTITLE.match(self._text, end):
            remedy = Remedy.AS_WORD
        else:
            return True
        if near:
            self._mistakes.add(self._position, MistakeCode.MISSPELLED_FIELD, remedy, name=name, near=near)
        else:
            self._mistakes.add(self._position, MistakeCode.UNKNOWN_FIELD, remedy, name=name)
        return True

    def _is_capital(self, place: int) -> bool:
        """Return whether there is a capital here and at the start of this word: the title "Hay:Straw"."""
        return self._text[self._position].isupper() and self._text[place].isupper()

    def _range(self) -> Token | None:
        position = self._position
        found = self._take(_RANGE)
        if found is None:
            if _BROKEN_RANGE.match(self._text, position):
                self._position += 1
                self._mistakes.add(position, MistakeCode.BAD_RANGE, Remedy.BRACKETS_IGNORED)
            return None
        start, quoted_low, low, quoted_high, high, end = found.groups()
        bounds = (_bound(quoted_low, low), _bound(quoted_high, high), start == "[", end == "]")
        return Token(TokenKind.RANGE, position, bounds=bounds)

    def _word(self) -> Token | None:
        position = self._position
        found = self._take(_ADDRESS) or self._take(_WORD)
        assert found is not None, "everything else was tried before"
        if found[0] in OPERATORS:
            return Token(TokenKind[OPERATORS[found[0]]], position)
        return Token(TokenKind.WORD, position, found[0])

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._position)
        if found is not None:
            self._position = found.end()
        return found


def unescaped(text: str) -> tuple[str, str]:
    """Return a text without its backslashes, and a mask in which each escaped character is a letter.

    Operators are searched for in the mask.
    """
    if "\\" not in text:
        return text, text
    letters: list[str] = []
    mask: list[str] = []
    is_escaped = False
    for letter in text:
        if letter == "\\" and not is_escaped:
            is_escaped = True
            continue
        letters.append(letter)
        mask.append("x" if is_escaped else letter)
        is_escaped = False
    if is_escaped:  # a trailing backslash is literal
        letters.append("\\")
        mask.append("x")
    return "".join(letters), "".join(mask)


def _field_near(name: str) -> str | None:
    """Return the field of which a name is a misspelling: one wrong letter, or transposed letters."""
    for near in get_close_matches(name, names_and_aliases(), n=3, cutoff=0.8):
        if is_near(name, near, 1) or sorted(name) == sorted(near):
            return near
    return None


def _bound(in_quotes: str | None, bare: str | None) -> str | None:
    text = unescaped(in_quotes)[0] if in_quotes is not None else bare
    return None if text is None or text == "*" else text


def _float(digits: str | None) -> float | None:
    return float(digits) if digits else None


def _paired(tokens: list[Token], mistakes: Mistakes) -> list[Token]:
    """Return the tokens with balanced brackets, none nested too deeply."""
    kept: list[Token] = []
    opened: list[Token | None] = []  # None: one that is too deep and is dropped
    depth = 0
    for token in tokens:
        if token.kind is TokenKind.OPEN:
            is_deep = depth >= DEEPEST
            opened.append(None if is_deep else token)
            depth += not is_deep
            if is_deep:
                mistakes.add(token.position, MistakeCode.DEEP_BRACKETS, Remedy.ALL_IGNORED)
                continue
        elif token.kind is TokenKind.CLOSE:
            if not opened:
                mistakes.add(token.position, MistakeCode.CLOSES_NOTHING, Remedy.IGNORED)
                continue
            if opened.pop() is None:
                continue
            depth -= 1
        kept.append(token)
    for left in opened:
        if left is not None:
            mistakes.add(left.position, MistakeCode.NEVER_CLOSED, Remedy.CLOSED)
            kept.append(Token(TokenKind.CLOSE, left.position))
    return kept
