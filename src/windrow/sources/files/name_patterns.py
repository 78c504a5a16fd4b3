"""Patterns for file names, from settings and .htaccess files, matched in bounded time. Pure.

The author of an .htaccess must not be able to stop the harvester with one regular expression, so an
expression that could take long is refused; the caller then assumes the worst.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from functools import lru_cache

MAX_NAME_CHARACTERS = 255
MAX_STEPS = 70_000  # at each position of a name: two free repetitions, hardly more
MAX_GROUP_DEPTH = 20
MAX_REPEATS = 65_535  # the maximum of {…} in PCRE

_FLAGS = re.compile(r"(?:\(\?[aims]+\))+")
# Escapes with another meaning in PCRE, and a count without a minimum, which PCRE takes literally.
_ONLY_PYTHON = re.compile(r"\\[uUNvZ]|\{,|\(\?a")
_CLASS = re.compile(  # POSIX classes; PCRE rejects any other name
    r"\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]"
)
_SET = re.compile(
    r"\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\:.=])(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]", re.DOTALL
)
_BARE_CLASS = re.compile(r"\[([:.=])[^\]]*\1\]")  # a POSIX class outside of a set
_DOUBTFUL_GLOB = re.compile(r"[\[\\]")
_GROUP = re.compile(r"\((?:\?(?::|=|!|<=|<!|[ims]+:))?")
_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_DOUBTFUL_IN_SET = ("[", "--", "&&", "||", "~~")


@lru_cache(maxsize=256)
def match_any(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Return a test whether a name matches one of these shell patterns, ignoring case.

    Some file systems ignore case, and hiding more is the safe side.
    """
    # The standard library writes each * as an atomic group: no backtracking over a hostile name.
    whole = re.compile("|".join(translate(glob) for glob in globs) or r"(?!)", re.IGNORECASE)
    return lambda name: whole.match(name) is not None


@lru_cache(maxsize=256)
def match_glob(glob: str) -> Callable[[str], bool]:
    """Return a test whether a name matches this shell pattern exactly."""
    whole = re.compile(translate(glob))
    return lambda name: whole.match(name) is not None


@lru_cache(maxsize=256)
def match_expression(expression: str) -> Callable[[str], bool] | None:
    """Return a test whether a name contains a match; None if the expression is invalid or could take long."""
    try:
        cost = _Cost(expression).measure()
        compiled = re.compile(expression) if cost <= MAX_STEPS else None
    except (_Refused, re.error, OverflowError):
        return None
    return None if compiled is None else lambda name: compiled.search(name) is not None


@lru_cache(maxsize=1024)
def match_bytes(expression: str) -> Callable[[str], bool] | None:
    """Return the test of `match_expression` for an expression that Apache applies to bytes.

    Also None if Python and PCRE disagree about the meaning of the expression.
    """
    if _ONLY_PYTHON.search(expression):
        return None
    matches = match_expression("(?a)" + _as_bytes(expression))
    return None if matches is None else lambda name: matches(_as_bytes(name))


@lru_cache(maxsize=1024)
def matches_empty(expression: str) -> bool | None:
    """Return whether an expression of Apache matches an empty text; None as in `match_bytes`.

    The cost of more expressions is bounded here than for names: repetitions have nothing to match.
    """
    if _ONLY_PYTHON.search(expression):
        return None
    try:
        whole = "(?a)" + _as_bytes(expression)
        _Cost(whole, is_empty=True).measure()
        return re.search(whole, "") is not None
    except (_Refused, re.error, OverflowError):
        return None


def compiles(expression: str) -> bool:
    """Return whether an expression is valid, however long it may take to match."""
    plain = _CLASS.sub("x", expression)
    if any(doubtful in plain for doubtful in ("[[", *_DOUBTFUL_IN_SET[1:])):
        return False
    if _BARE_CLASS.search(_SET.sub("x", expression)) or any(
        int(number) > MAX_REPEATS
        for count in _COUNT.finditer(plain)
        for number in count.groups("")
        if number.isdigit()
    ):
        return False  # errors in PCRE only
    try:
        re.compile(plain)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def match_file_pattern(glob: str) -> Callable[[str], bool] | None:
    """Return the test for a pattern of a <Files> section; None if Apache may read it differently."""
    if _DOUBTFUL_GLOB.search(glob):
        return None
    matches = match_glob(_as_bytes(glob))
    return lambda name: matches(_as_bytes(name))


def _as_bytes(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


class _Refused(Exception):
    """The cost of the expression cannot be bounded."""


class _Cost:
    """An upper bound for the ways a backtracking matcher can try an expression at one position of a name.

    Sequences multiply, alternatives add up, and a free repetition counts as many ways as a name has
    characters. A repeated group is refused, because the bound would explode.
    """

    def __init__(self, text: str, *, is_empty: bool = False) -> None:
        self.text = text
        self.is_empty = is_empty  # whether the name is empty
        self.at = 0

    def measure(self) -> int:
        flags = _FLAGS.match(self.text)
        self.at = flags.end() if flags else 0
        cost = self._alternatives(depth=0)
        if self.at < len(self.text):
            raise _Refused
        return cost

    def _alternatives(self, *, depth: int) -> int:
        if depth > MAX_GROUP_DEPTH:
            raise _Refused
        cost = self._sequence(depth=depth)
        while self._next() == "|":
            self.at += 1
            cost += self._sequence(depth=depth)
        return cost

    def _sequence(self, *, depth: int) -> int:
        cost = 1
        while self._next() not in {"", "|", ")"}:
            is_group = self._next() == "("
            inner = self._group(depth=depth) if is_group else self._character()
            cost *= self._repeated(inner, is_group=is_group)
            if cost > MAX_STEPS:
                raise _Refused
        return cost

    def _group(self, *, depth: int) -> int:
        opening = _GROUP.match(self.text, self.at)
        if opening is None or self.text.startswith("?", opening.end()):
            raise _Refused
        self.at = opening.end()
        cost = self._alternatives(depth=depth + 1)
        if self._next() != ")":
            raise _Refused
        self.at += 1
        return cost

    def _character(self) -> int:
        if self._next() == "[":
            self._set()
        elif self._next() == "\\":
            if self.text[self.at + 1 : self.at + 2].isdigit():
                raise _Refused  # a back-reference
            self.at += 2
        else:
            self.at += 1
        return 1

    def _set(self) -> None:
        start = self.at + 1
        end = start + 1 if self.text.startswith("^", start) else start
        end += self.text.startswith("]", end)
        while self.text[end : end + 1] not in {"]", ""}:
            end += 2 if self.text[end] == "\\" else 1
        # POSIX classes and set operations have a different meaning in Python, or will have.
        if any(doubtful in self.text[start:end] for doubtful in _DOUBTFUL_IN_SET):
            raise _Refused
        self.at = end + 1

    def _repeated(self, inner: int, *, is_group: bool) -> int:
        count = _COUNT.match(self.text, self.at)
        if self._next() == "?":
            self.at += 1
            cost = inner + 1
        elif self._next() in {"*", "+"} or count:
            if is_group and (not self.is_empty or (count and count[1] not in {"0", "1"})):
                raise _Refused
            self.at = count.end() if count else self.at + 1
            cost = inner + 1 if self.is_empty else _ways(count) if count else MAX_NAME_CHARACTERS
        else:
            return inner
        self.at += self._next() in {"?", "+"}  # lazy or possessive
        return cost

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]


def _ways(count: re.Match[str]) -> int:
    least, comma, most = count.groups()
    if not comma:
        return 1
    return max(1, int(most[:9]) - int(least[:9] or 0) + 1) if most else MAX_NAME_CHARACTERS
