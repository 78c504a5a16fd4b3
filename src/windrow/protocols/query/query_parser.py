"""A word, a quoted text or a range to its node: where wildcards, tildes and fields get their sense."""

from __future__ import annotations

import re
from dataclasses import replace

from windrow.model.academic_years import first_year, is_label
from windrow.model.folding import split
from windrow.model.normalising import normalised
from windrow.model.query import MOST_EDITS, Everything, Not, Or, Phrase, Query, Range, Value, Word, any_of
from windrow.model.query_fields import FIELDS, FieldKind, loosest
from windrow.wire.query.mistakes import FINDS_NOTHING, LEFT_OUT, Mistakes
from windrow.wire.query.tokens import Token, unescaped

INVALID = Not(Everything())  # a condition that was not understood; told from a written -* by identity
LONGEST_WORD = 500  # characters
MOST_WORDS = 50  # in one phrase
MOST_STARS = 4  # in one word
MOST_SCANS = 20  # conditions of one query that every word of the index is compared with
SHORT_WORD = 5  # up to so many letters, a tilde alone allows one of them to differ

_SUFFIX = re.compile(r"(?:~(\d?))?(?:\^(\d{1,4}(?:\.\d{1,6})?))?\Z")
_SUFFIX_CHARACTERS = 14
# ~0.8, ^-1, ^, and behind a word of some length ^abc: L^p is a name.
_ODD_SUFFIX = re.compile(r"(?<=\w)[~^][-+]?[0-9.]*+\Z|(?<=\w\w\w)\^[^\W\d]\w*+\Z")
_STARS_ALONE = re.compile(r"[*:.]*+")  # `*`, and `*:*` as elsewhere
_INNER_WILDCARD = re.compile(r"[*?](?!\Z)|\?\Z|\A\*")  # anything but a star at the end of letters
# Where names of things are resolved, and how they are written in references: the name comes after it.
_RESOLVER = re.compile(
    r"(?:arxiv:|(?:https?://)?(?:(?:dx\.)?doi\.org/|hdl\.handle\.net/|arxiv\.org/abs/|urn\.(?:fi|nb\.no)/"
    r"|urn\.kb\.se/resolve\?urn=))(?=.)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?=[^0-9]*+[0-9])\S++")  # no spaces and a digit: "978-951-…" in quotation marks
_COMPARED = re.compile(r"(<=|>=|<|>)")
_NUMBER = re.compile(r"[0-9]{1,18}")
_DATE = re.compile(r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?")
_SPAN = re.compile(r"\.\.")
_DASHED = re.compile(r"([0-9]{1,18})[-\u2013]([0-9]{1,18})")
_BRACKETS = "]}"  # of a range that was not understood
_LONGEST_SIGN = 2  # a dash or an arrow between words is nothing to complain about
_NO_WILDCARDS = str.maketrans("", "", "*?")
_WHOLE = (FieldKind.EXACT, FieldKind.TREE)
_SHAPES = {
    FieldKind.NUMBER: (_NUMBER, "a number or a range such as 2010..2014"),
    FieldKind.DATE: (_DATE, "a date such as 2014-05-03"),
}


class Terms:
    """Makes the leaves of the tree, and notes what is odd about them."""

    def __init__(self, mistakes: Mistakes) -> None:
        self._mistakes = mistakes
        self._scans = 0

    def word(self, token: Token, field: str | None) -> Query | None:
        """The node for a bare word; None where there is nothing in it to look for."""
        if token.number is not None:
            return self._with_unknown_field(token, field)
        text, mask = unescaped(token.text)
        start = max(0, len(mask) - _SUFFIX_CHARACTERS)
        suffix = _SUFFIX.search(mask, start)
        assert suffix is not None, "the pattern matches at the end if nowhere else"
        text, mask = text[: suffix.start()], mask[: suffix.start()]
        kind = FIELDS[field].kind if field else FieldKind.WORDS
        resolver = _RESOLVER.match(mask) if field in (None, "identifier") else None
        if resolver is not None and "*" not in mask:
            return self._resolved(token, field, text, resolver.end())
        if kind is FieldKind.WORDS and not suffix[0]:
            text, mask = self._without_odd_suffix(token, text, mask)
        if field is not None and kind in _SHAPES:
            return self._measured(token, field, text, mask)
        if kind is FieldKind.WORDS:
            end = len(_without_punctuation(mask))
            text, mask = text[:end], mask[:end]
        is_pattern = "*" in mask or "?" in mask
        if is_pattern:
            if field is None and _STARS_ALONE.fullmatch(mask):
                return Everything()
            # An escaped star cannot be told from a wildcard in a pattern: any one character stands for it.
            text = "".join("?" if a in "*?" and a != b else a for a, b in zip(text, mask, strict=True))
            text = self._with_few_stars(token, text)
        if not self._is_something(token, text, field, is_pattern=is_pattern):
            return None if field is None else INVALID
        text = self._cut(token, text)
        edits = self._edits(token, text, suffix[1], is_pattern=is_pattern)
        is_scan = edits > 0 or (is_pattern and _INNER_WILDCARD.search(text) is not None)
        if is_scan and not self._can_scan(token):
            return INVALID
        return Word(text, field, is_pattern, edits, self._boost(token, suffix[2]))

    def quoted(self, token: Token, field: str | None) -> Query | None:
        """The node for a text in quotation marks: a phrase, or the whole value of a field of codes."""
        text = unescaped(token.text)[0]
        kind = FIELDS[field].kind if field else FieldKind.WORDS
        boost = 1.0 if token.boost is None else self._boost(token, str(token.boost))
        if field is not None and kind in _SHAPES:
            return self._measured(token, field, text.strip(), text.strip())
        if kind in _WHOLE:
            whole = self._cut(token, text.strip())
            return Word(whole, field, boost=boost) if whole else self._none(token, field)
        words = split(text)
        if not words:
            return self._none(token, field)
        if len(words) > MOST_WORDS:
            self._mistakes.add(
                token.position, "the phrase is too long", f"its first {MOST_WORDS} words were taken"
            )
        phrase = Phrase(
            tuple(self._cut(token, word) for word in words[:MOST_WORDS]),
            field,
            self._slop(token, field),
            boost,
        )
        if field is not None or token.number is not None or len(words) == 1 or not _NAME.fullmatch(text):
            return phrase
        names = self._names(token, text)
        return any_of([phrase, *(Word(name, "identifier", boost=boost) for name in names)])

    def _names(self, token: Token, text: str) -> list[str]:
        """What may be the name of a thing in a text: the whole, and what comes after its resolver."""
        whole = self._cut(token, text)
        resolver = _RESOLVER.match(whole)
        return [whole] if resolver is None else [whole, whole[resolver.end() :]]

    def value(self, token: Token) -> Query | None:
        """The node for what a field is to have exactly."""
        text = self._cut(token, unescaped(token.text)[0])
        if not text.strip():
            return self._none(token, token.field)
        return Value(normalised(token.field, text) if token.field else text, token.field)

    def range(self, token: Token, field: str) -> Query | None:
        """The node for a range in brackets."""
        assert token.bounds is not None
        if FIELDS[field].kind not in _SHAPES and not self._can_scan(token):
            return INVALID
        low, high, is_low_inside, is_high_inside = token.bounds
        if not all(self._is_bound(token, field, bound) for bound in (low, high)):
            return INVALID
        low, high = (None if bound is None else bound[:LONGEST_WORD] for bound in (low, high))
        if _is_backwards(field, low, high):
            self._mistakes.add(token.position, "this range ends before it begins", "it was turned round")
            return Range(field, high, low, is_high_inside, is_low_inside)
        return Range(field, low, high, is_low_inside, is_high_inside)

    def _is_bound(self, token: Token, field: str, text: str | None) -> bool:
        shape = _SHAPES.get(FIELDS[field].kind)
        if text is None or shape is None or _fits(field, text):
            return True
        self._mistakes.add(token.position, f"{field} wants {shape[1]}", FINDS_NOTHING)
        return False

    def _measured(self, token: Token, field: str, text: str, mask: str) -> Query | None:
        """A word in a field of numbers or dates: one of them, a range of them, or a pattern."""
        text, mask = text.rstrip(_BRACKETS), mask.rstrip(_BRACKETS)
        if not text:
            return self._none(token, field)
        compared = _COMPARED.match(mask)
        if compared is not None:
            return self._compared(token, field, compared[1], text[compared.end() :])
        ends = _SPAN.split(mask, maxsplit=1)
        if len(ends) == 2 and mask != "..":
            return self.range(_with_bounds(token, ends[0] or None, ends[1] or None), field)
        dashed = _DASHED.fullmatch(text) if FIELDS[field].kind is FieldKind.NUMBER else None
        if dashed is not None:
            return self.range(_with_bounds(token, dashed[1], dashed[2]), field)
        wanted = _SHAPES[FIELDS[field].kind][1]
        if _fits(field, text):
            return Word(text, field)
        if ("*" in mask or "?" in mask) and text.isascii() and len(text) < LONGEST_WORD:
            return Word(text, field, is_pattern=True)
        self._mistakes.add(token.position, f"{field} wants {wanted}", FINDS_NOTHING)
        return INVALID

    def _compared(self, token: Token, field: str, sign: str, text: str) -> Query | None:
        is_inside = sign.endswith("=")
        if sign.startswith(">"):
            return self.range(_with_bounds(token, text, None, is_low_inside=is_inside), field)
        return self.range(_with_bounds(token, None, text, is_high_inside=is_inside), field)

    def _is_something(self, token: Token, text: str, field: str | None, *, is_pattern: bool) -> bool:
        kind = FIELDS[field].kind if field else FieldKind.WORDS
        bare = text.translate(_NO_WILDCARDS) if is_pattern else text
        if text and (kind in _WHOLE or split(bare) or (is_pattern and not bare)):
            return True
        is_sign = len(token.text) <= _LONGEST_SIGN and not (is_pattern or any(map(str.isalnum, token.text)))
        done = LEFT_OUT if field is None else FINDS_NOTHING
        if not is_sign and token.text.strip("-+&/|,;:.!?–—•·'") != "":
            self._mistakes.add(token.position, f'"{token.text[:20]}" has no letters or digits', done)
        elif field is not None:
            self._none(token, field)
        return False

    def _with_unknown_field(self, token: Token, field: str | None) -> Query | None:
        """A word after a colon and what is no field: alone, or both together as an identifier."""
        both = replace(token, number=None)
        value = self.word(replace(both, text=token.text[token.number :]), field)
        return None if value is None else any_of([self.word(both, field) or value, value])

    def _resolved(self, token: Token, field: str | None, text: str, start: int) -> Query:
        """An address at which something is found by its name: by either, whichever a record has."""
        whole = self._cut(token, text.rstrip(",;."))
        return Or((Word(whole, field), Word(whole[start:], "identifier")))

    def _can_scan(self, token: Token) -> bool:
        """Whether one more condition can be afforded that takes time with every word there is."""
        self._scans += 1
        if self._scans <= MOST_SCANS:
            return True
        message = f"a query can have {MOST_SCANS} wildcards inside words, tildes and ranges of words at most"
        self._mistakes.add(token.position, message, FINDS_NOTHING)
        return False

    def _without_odd_suffix(self, token: Token, text: str, mask: str) -> tuple[str, str]:
        """The word alone, where a tilde or a weight is meant and cannot be had: history~0.8, history^-1."""
        odd = _ODD_SUFFIX.search(mask, max(0, len(mask) - _SUFFIX_CHARACTERS))
        if odd is None:
            return text, mask
        message = "a tilde wants 1 or 2 after it, a weight a number such as ^2 or ^0.5"
        self._mistakes.add(token.position, message, "it was ignored")
        return text[: odd.start()], mask[: odd.start()]

    def _slop(self, token: Token, field: str | None) -> int:
        slop, most = max(token.number or 0, 0), loosest(field)
        if slop > most:
            message = f"at most {most} other words can be between the words of a phrase"
            self._mistakes.add(token.position, message, f"{most} was taken")
        return min(slop, most)

    def _none(self, token: Token, field: str | None) -> Query | None:
        """Nothing to look for: of no consequence beside other words, but nothing has it in a field."""
        done = LEFT_OUT if field is None else FINDS_NOTHING
        self._mistakes.add(token.position, "there is nothing to look for here", done)
        return None if field is None else INVALID

    def _cut(self, token: Token, text: str) -> str:
        if len(text) > LONGEST_WORD:
            message = "no word is as long as this"
            self._mistakes.add(token.position, message, f"its first {LONGEST_WORD} characters were taken")
        return text[:LONGEST_WORD]

    def _with_few_stars(self, token: Token, text: str) -> str:
        """The pattern up to its last affordable star: each more makes every word take longer to judge."""
        parts = text.split("*")
        if len(parts) <= MOST_STARS + 1:
            return text
        message = f"a word can have {MOST_STARS} stars at most"
        self._mistakes.add(token.position, message, "the rest of it was left out")
        return "*".join(parts[:MOST_STARS]) + "*"

    def _edits(self, token: Token, text: str, digits: str | None, *, is_pattern: bool) -> int:
        if digits is None:
            return 0
        if is_pattern:
            message = "a word cannot have wildcards and be taken roughly at once"
            self._mistakes.add(token.position, message, "the tilde was ignored")
            return 0
        if digits == "":
            return 1 if len(text) <= SHORT_WORD else MOST_EDITS
        if int(digits) > MOST_EDITS:
            message = f"more than {MOST_EDITS} letters cannot differ"
            self._mistakes.add(token.position, message, f"{MOST_EDITS} was taken")
        return min(int(digits), MOST_EDITS)

    def _boost(self, token: Token, digits: str | None) -> float:
        boost = float(digits) if digits else 1.0
        if boost == 0:
            self._mistakes.add(token.position, "a weight must be more than nothing", "it was ignored")
            return 1.0
        return boost


def _fits(field: str, text: str) -> bool:
    """Whether a text has the shape of a number or a date; a year may be an academic one, 2019/20."""
    return _SHAPES[FIELDS[field].kind][0].fullmatch(text) is not None or (field == "year" and is_label(text))


def _without_punctuation(mask: str) -> str:
    """A word without what a sentence puts behind it. A question mark there is one, and no wildcard."""
    bare = mask.rstrip(",;:!.?")
    return mask.rstrip(",;:!.") if "*" in bare or "?" in bare else bare


def _is_backwards(field: str, low: str | None, high: str | None) -> bool:
    """Whether a range of numbers or dates holds nothing because its ends are exchanged."""
    if low is None or high is None or FIELDS[field].kind not in _SHAPES:
        return False
    if FIELDS[field].kind is FieldKind.NUMBER:
        return (first_year(low) or 0) > (first_year(high) or 0)
    shared = min(len(low), len(high))  # 2014-05..2014 goes on to the end of the year
    return low[:shared] > high[:shared]


def _with_bounds(
    token: Token,
    low: str | None,
    high: str | None,
    *,
    is_low_inside: bool = True,
    is_high_inside: bool = True,
) -> Token:
    return Token(token.kind, token.position, bounds=(low, high, is_low_inside, is_high_inside))
