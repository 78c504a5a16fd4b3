"""The parser of the query language: text to a `Query` and a list of mistakes.

The syntax is words, "phrases", AND OR NOT, brackets, field:word, ranges, and (…)~n. Adjacent words are all
required. NOT binds more closely than AND, AND more closely than OR. `Terms` makes the leaves (words, quoted
texts, ranges), `parse_query` the tree.

No text raises an error: mistakes are explained to the person. A stray sign is ignored; a condition that
cannot be understood matches no record, negated or not, so that a typing error never finds more than was asked
for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from windrow.model.counted_fields import normalised_value
from windrow.model.document_dates import is_year_label, starting_year
from windrow.model.query import (
    EVENT,
    FIELDS,
    MOST_EDITS,
    OPERATORS,
    And,
    AtLeast,
    Everything,
    FieldKind,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    SameEvent,
    Value,
    Word,
    all_of,
    any_of,
    at_least,
    max_slop,
)
from windrow.model.text.folding import split_words
from windrow.protocols.query.mistakes import Mistake, MistakeCode, Mistakes, Parameter, Remedy
from windrow.protocols.query.query_tokens import Token, TokenKind, tokenise, unescaped

# A condition that was not understood. It is compared by identity, because `-*` is an equal node.
INVALID = Not(Everything())
LONGEST_WORD = 500  # characters
MOST_WORDS = 50  # in one phrase
MOST_STARS = 4  # in one word
MOST_SCANS = 20  # conditions of one query that are compared with every word of the index
SHORT_WORD = 5  # up to this length, a tilde alone allows one differing letter

_SUFFIX = re.compile(r"(?:~(\d?))?(?:\^(\d{1,4}(?:\.\d{1,6})?))?\Z")
_SUFFIX_CHARACTERS = 14
# ~0.8, ^-1, ^, and after a longer word ^abc: L^p is a name.
_ODD_SUFFIX = re.compile(r"(?<=\w)[~^][-+]?[0-9.]*+\Z|(?<=\w\w\w)\^[^\W\d]\w*+\Z")
_STARS_ALONE = re.compile(r"[*:.]*+")  # `*`, and `*:*` as in other search engines
_INNER_WILDCARD = re.compile(r"[*?](?!\Z)|\?\Z|\A\*")  # any but a star after letters
# Resolvers and labels of identifiers as in references; the identifier follows.
_RESOLVER = re.compile(
    r"(?:arxiv:|(?:https?://)?(?:(?:dx\.)?doi\.org/|hdl\.handle\.net/|arxiv\.org/abs/|urn\.(?:fi|nb\.no)/"
    r"|urn\.kb\.se/resolve\?urn=))(?=.)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?=[^0-9]*+[0-9])\S++")  # without spaces and with a digit: "978-951-…" quoted
_COMPARED = re.compile(r"(<=|>=|<|>)")
_NUMBER = re.compile(r"[0-9]{1,18}")
_DATE = re.compile(r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?")
_SPAN = re.compile(r"\.\.")
_DASHED = re.compile(r"([0-9]{1,18})[-\u2013]([0-9]{1,18})")
_BRACKETS = "]}"  # left over from a range that was not understood
_LONGEST_SIGN = 2  # a dash or an arrow between words is no mistake
_NO_WILDCARDS = str.maketrans("", "", "*?")
_WHOLE = (FieldKind.EXACT, FieldKind.TREE)
_SHAPES = {
    FieldKind.NUMBER: (_NUMBER, MistakeCode.BAD_NUMBER),
    FieldKind.DATE: (_DATE, MistakeCode.BAD_DATE),
}


class Terms:
    """Makes the leaves of the tree and records mistakes in them."""

    def __init__(self, mistakes: Mistakes) -> None:
        self._mistakes = mistakes
        self._scans = 0

    def word(self, token: Token, field: str | None) -> Query | None:
        """Return the node for a bare word; None if it has nothing to search for."""
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
            # In a pattern an escaped star cannot be distinguished from a wildcard, so `?` is used for it.
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
        """Return the node for a quoted text: a phrase, or the whole value of a field of codes."""
        text = unescaped(token.text)[0]
        kind = FIELDS[field].kind if field else FieldKind.WORDS
        boost = 1.0 if token.boost is None else self._boost(token, str(token.boost))
        if field is not None and kind in _SHAPES:
            return self._measured(token, field, text.strip(), text.strip())
        if kind in _WHOLE:
            whole = self._cut(token, text.strip())
            return Word(whole, field, boost=boost) if whole else self._none(token, field)
        words = split_words(text)
        if not words:
            return self._none(token, field)
        if len(words) > MOST_WORDS:
            self._add(token, MistakeCode.LONG_PHRASE, Remedy.WORDS_TAKEN, most=MOST_WORDS)
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
        whole = self._cut(token, text)
        resolver = _RESOLVER.match(whole)
        return [whole] if resolver is None else [whole, whole[resolver.end() :]]

    def value(self, token: Token) -> Query | None:
        text = self._cut(token, unescaped(token.text)[0])
        if not text.strip():
            return self._none(token, token.field)
        return Value(normalised_value(token.field, text) if token.field else text, token.field)

    def range(self, token: Token, field: str) -> Query | None:
        assert token.bounds is not None
        if FIELDS[field].kind not in _SHAPES and not self._can_scan(token):
            return INVALID
        low, high, is_low_inside, is_high_inside = token.bounds
        if not all(self._is_bound(token, field, bound) for bound in (low, high)):
            return INVALID
        low, high = (None if bound is None else bound[:LONGEST_WORD] for bound in (low, high))
        if _is_backwards(field, low, high):
            self._add(token, MistakeCode.BACKWARD_RANGE, Remedy.TURNED)
            return Range(field, high, low, is_high_inside, is_low_inside)
        return Range(field, low, high, is_low_inside, is_high_inside)

    def _is_bound(self, token: Token, field: str, text: str | None) -> bool:
        shape = _SHAPES.get(FIELDS[field].kind)
        if text is None or shape is None or _fits(field, text):
            return True
        self._add(token, shape[1], Remedy.FINDS_NOTHING, field=field)
        return False

    def _measured(self, token: Token, field: str, text: str, mask: str) -> Query | None:
        """Return the node for a word in a field of numbers or dates: a value, a range or a pattern."""
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
        if _fits(field, text):
            return Word(text, field)
        if ("*" in mask or "?" in mask) and text.isascii() and len(text) < LONGEST_WORD:
            return Word(text, field, is_pattern=True)
        self._add(token, _SHAPES[FIELDS[field].kind][1], Remedy.FINDS_NOTHING, field=field)
        return INVALID

    def _compared(self, token: Token, field: str, sign: str, text: str) -> Query | None:
        is_inside = sign.endswith("=")
        if sign.startswith(">"):
            return self.range(_with_bounds(token, text, None, is_low_inside=is_inside), field)
        return self.range(_with_bounds(token, None, text, is_high_inside=is_inside), field)

    def _is_something(self, token: Token, text: str, field: str | None, *, is_pattern: bool) -> bool:
        kind = FIELDS[field].kind if field else FieldKind.WORDS
        bare = text.translate(_NO_WILDCARDS) if is_pattern else text
        if text and (kind in _WHOLE or split_words(bare) or (is_pattern and not bare)):
            return True
        is_sign = len(token.text) <= _LONGEST_SIGN and not (is_pattern or any(map(str.isalnum, token.text)))
        remedy = Remedy.LEFT_OUT if field is None else Remedy.FINDS_NOTHING
        if not is_sign and token.text.strip("-+&/|,;:.!?–—•·'") != "":
            self._add(token, MistakeCode.NO_LETTERS, remedy, text=token.text[:20])
        elif field is not None:
            self._none(token, field)
        return False

    def _with_unknown_field(self, token: Token, field: str | None) -> Query | None:
        """Return the node for a word after an unknown field: the word, or both together as an identifier."""
        both = replace(token, number=None)
        value = self.word(replace(both, text=token.text[token.number :]), field)
        return None if value is None else any_of([self.word(both, field) or value, value])

    def _resolved(self, token: Token, field: str | None, text: str, start: int) -> Query:
        """Return the node for a resolver's address: either the address or its identifier matches."""
        whole = self._cut(token, text.rstrip(",;."))
        return Or((Word(whole, field), Word(whole[start:], "identifier")))

    def _can_scan(self, token: Token) -> bool:
        """Return whether one more condition may be compared with every word of the index."""
        self._scans += 1
        if self._scans <= MOST_SCANS:
            return True
        self._add(token, MistakeCode.MANY_SCANS, Remedy.FINDS_NOTHING, most=MOST_SCANS)
        return False

    def _without_odd_suffix(self, token: Token, text: str, mask: str) -> tuple[str, str]:
        """Return the word without an unsupported similarity or weight: history~0.8, history^-1."""
        odd = _ODD_SUFFIX.search(mask, max(0, len(mask) - _SUFFIX_CHARACTERS))
        if odd is None:
            return text, mask
        self._add(token, MistakeCode.BAD_SUFFIX, Remedy.IGNORED)
        return text[: odd.start()], mask[: odd.start()]

    def _slop(self, token: Token, field: str | None) -> int:
        slop, most = max(token.number or 0, 0), max_slop(field)
        if slop > most:
            self._add(token, MistakeCode.FAR_APART, Remedy.TAKEN, most=most)
        return min(slop, most)

    def _none(self, token: Token, field: str | None) -> Query | None:
        """Return the node for an empty condition: ignored without a field, else it matches nothing."""
        remedy = Remedy.LEFT_OUT if field is None else Remedy.FINDS_NOTHING
        self._add(token, MistakeCode.NOTHING_SOUGHT, remedy)
        return None if field is None else INVALID

    def _cut(self, token: Token, text: str) -> str:
        if len(text) > LONGEST_WORD:
            self._add(token, MistakeCode.LONG_WORD, Remedy.CHARACTERS_TAKEN, most=LONGEST_WORD)
        return text[:LONGEST_WORD]

    def _with_few_stars(self, token: Token, text: str) -> str:
        """Return the pattern up to its last permitted star: each one makes comparisons slower."""
        parts = text.split("*")
        if len(parts) <= MOST_STARS + 1:
            return text
        self._add(token, MistakeCode.MANY_STARS, Remedy.REST_LEFT_OUT, most=MOST_STARS)
        return "*".join(parts[:MOST_STARS]) + "*"

    def _edits(self, token: Token, text: str, digits: str | None, *, is_pattern: bool) -> int:
        if digits is None:
            return 0
        if is_pattern:
            self._add(token, MistakeCode.WILDCARD_AND_TILDE, Remedy.TILDE_IGNORED)
            return 0
        if digits == "":
            return 1 if len(text) <= SHORT_WORD else MOST_EDITS
        if int(digits) > MOST_EDITS:
            self._add(token, MistakeCode.MANY_EDITS, Remedy.TAKEN, most=MOST_EDITS)
        return min(int(digits), MOST_EDITS)

    def _boost(self, token: Token, digits: str | None) -> float:
        boost = float(digits) if digits else 1.0
        if boost == 0:
            self._add(token, MistakeCode.NO_WEIGHT, Remedy.IGNORED)
            return 1.0
        return boost

    def _add(self, token: Token, code: MistakeCode, remedy: Remedy, **parameters: Parameter) -> None:
        self._mistakes.add(token.position, code, remedy, **parameters)


def _fits(field: str, text: str) -> bool:
    return _SHAPES[FIELDS[field].kind][0].fullmatch(text) is not None or (
        field == "year" and is_year_label(text)
    )


def _without_punctuation(mask: str) -> str:
    """Return a word without punctuation after it. A question mark there is punctuation, not a wildcard."""
    bare = mask.rstrip(",;:!.?")
    return mask.rstrip(",;:!.") if "*" in bare or "?" in bare else bare


def _is_backwards(field: str, low: str | None, high: str | None) -> bool:
    """Return whether a range of numbers or dates is empty because its ends are in the wrong order."""
    if low is None or high is None or FIELDS[field].kind not in _SHAPES:
        return False
    if FIELDS[field].kind is FieldKind.NUMBER:
        return (starting_year(low) or 0) > (starting_year(high) or 0)
    shared = min(len(low), len(high))  # 2014-05..2014 continues to the end of the year
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


# The tree: operators, brackets and fields around the leaves.

LONGEST_QUERY = 2_000  # characters, the limit of the search box
HEAVIEST = 1000.0
LIGHTEST = 0.001


@dataclass(frozen=True, slots=True)
class Parsed:
    """The parsed query and its mistakes."""

    query: Query
    mistakes: tuple[Mistake, ...] = ()


def parse_query(text: str) -> Parsed:
    """Parse a text; an empty one matches all records, one without anything to search for none."""
    if not text.strip():
        return Parsed(Everything())
    mistakes = Mistakes()
    if len(text) > LONGEST_QUERY:  # the remainder may restrict the query or exclude records
        mistakes.add(LONGEST_QUERY, MistakeCode.LONG_QUERY, Remedy.FINDS_NOTHING, most=LONGEST_QUERY)
        return Parsed(INVALID, mistakes.in_order())
    tokens = tokenise(text, mistakes)
    query = _Descent(tokens, mistakes).whole()
    return Parsed(query, mistakes.in_order())


class _Descent:
    """A recursive-descent parser over the tokens, whose brackets are balanced and limited in depth."""

    def __init__(self, tokens: list[Token], mistakes: Mistakes) -> None:
        self._tokens = tokens
        self._place = 0
        self._mistakes = mistakes
        self._terms = Terms(mistakes)

    def whole(self) -> Query:
        found = self._alternatives(None)
        if found is None and not self._mistakes.in_order():  # a lone sign
            position = self._tokens[0].position if self._tokens else 0
            self._mistakes.add(position, MistakeCode.NOTHING_SOUGHT, Remedy.FINDS_NOTHING)
        return INVALID if found is None else found

    def _alternatives(self, field: str | None) -> Query | None:
        parts = [self._together(field)]
        while (token := self._peek()) is not None and token.kind is TokenKind.OR:
            self._place += 1
            part = self._together(field)
            if parts[-1] is None or part is None:
                self._stray(token)
            parts.append(part)
        found = [part for part in parts if part is not None]
        return any_of(found) if found else None

    def _together(self, field: str | None) -> Query | None:
        parts: list[Query] = []
        dangling: Token | None = None  # an AND whose right operand has not been found
        while (token := self._peek()) is not None and token.kind not in (TokenKind.OR, TokenKind.CLOSE):
            if token.kind is TokenKind.AND:
                self._place += 1
                if dangling is not None or not parts:
                    self._stray(token)
                dangling = token
                continue
            part = self._negated(field)
            if part is not None:
                parts.append(part)
            dangling = None
        if dangling is not None and parts:
            self._stray(dangling)
        return all_of(parts) if parts else None

    def _negated(self, field: str | None) -> Query | None:
        """Parse one condition with the NOTs before it; two of them cancel out."""
        is_negated, last = False, None
        while (token := self._peek()) is not None and token.kind is TokenKind.NOT:
            is_negated, last = not is_negated, token
            self._place += 1
        if token is None or token.kind in (TokenKind.AND, TokenKind.OR, TokenKind.CLOSE):
            if last is not None:
                self._stray(last)
            return None
        part = self._one(field)
        return _negation(part) if is_negated and part is not None else part

    def _one(self, field: str | None) -> Query | None:
        token = self._tokens[self._place]
        self._place += 1
        if token.kind is TokenKind.FIELD:
            return self._in_field(token)
        if token.kind is TokenKind.OPEN:
            return self._bracketed(field)
        if token.kind is TokenKind.QUOTED:
            return self._terms.quoted(token, field)
        if token.kind is TokenKind.VALUE:
            return self._terms.value(token)
        if token.kind is TokenKind.RANGE and field is not None:
            return self._terms.range(token, field)
        return self._terms.word(token, field)

    def _in_field(self, named: Token) -> Query | None:
        follower = self._peek()
        if follower is None or follower.kind not in (
            TokenKind.OPEN,
            TokenKind.QUOTED,
            TokenKind.RANGE,
            TokenKind.WORD,
        ):
            self._mistakes.add(named.position, MistakeCode.EMPTY_FIELD, Remedy.FINDS_NOTHING, name=named.text)
            return INVALID
        place, told = self._place, len(self._mistakes.in_order())
        part = self._in_named(named.text)
        if part is None and len(self._mistakes.in_order()) > told:
            return INVALID
        if part is None:
            self._mistakes.add(named.position, MistakeCode.NOTHING_SOUGHT, Remedy.FINDS_NOTHING)
            return INVALID
        if not named.spelled:
            return part
        self._place = place
        following = self._one(None)
        if following is None:
            return part
        return any_of([part, all_of([Word(named.spelled), following])])

    def _in_named(self, field: str) -> Query | None:
        if field != EVENT:
            return self._one(field)
        part = self._one(None)
        return None if part is None else INVALID if _has_invalid(part) else SameEvent(part)

    def _bracketed(self, field: str | None) -> Query | None:
        start = self._place
        inner = self._alternatives(field)
        closing = self._tokens[self._place]
        self._place += 1
        if inner is None:
            if self._place == start + 1:  # empty brackets are no mistake, or reported already: "probe (?)"
                remedy = Remedy.FINDS_NOTHING if field else Remedy.ALL_LEFT_OUT
                self._mistakes.add(closing.position, MistakeCode.EMPTY_BRACKETS, remedy)
            return None
        if closing.number is not None:
            inner = self._some(closing, inner)
        return inner if closing.boost is None else _weighted(inner, closing.boost)

    def _some(self, closing: Token, inner: Query) -> Query:
        """Return the condition that at least this many in the brackets hold: `(peat moss bog)~2`."""
        number = closing.number or 0
        if isinstance(inner, And) and 0 < number <= len(inner.parts):
            return at_least(number, inner.parts)
        self._mistakes.add(closing.position, MistakeCode.BAD_LEAST, Remedy.IGNORED)
        return inner

    def _peek(self) -> Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _stray(self, token: Token) -> None:
        if token.kind is TokenKind.NOT:
            self._mistakes.add(token.position, MistakeCode.LONE_NOT, Remedy.IGNORED)
        else:
            name = token.kind.name
            self._mistakes.add(token.position, MistakeCode.LONE_OPERATOR, Remedy.IGNORED, name=name)


def _negation(query: Query) -> Query:
    """Return the negation of a query; that of a condition that was not understood matches nothing either."""
    if not _has_invalid(query):
        return Not(query)
    if isinstance(query, And):
        return any_of(map(_negation, query.parts))
    if isinstance(query, Or):
        return all_of(map(_negation, query.parts))
    return query.part if isinstance(query, Not) and query is not INVALID else INVALID


def _has_invalid(query: Query) -> bool:
    if isinstance(query, And | Or | AtLeast):
        return any(map(_has_invalid, query.parts))
    return query is INVALID or (isinstance(query, Not) and _has_invalid(query.part))


def _weighted(query: Query, boost: float) -> Query:
    if isinstance(query, And):
        return And(tuple(_weighted(part, boost) for part in query.parts))
    if isinstance(query, Or):
        return Or(tuple(_weighted(part, boost) for part in query.parts))
    if isinstance(query, AtLeast):
        return AtLeast(query.number, tuple(_weighted(part, boost) for part in query.parts))
    if isinstance(query, SameEvent):
        return SameEvent(_weighted(query.part, boost))
    if isinstance(query, Word | Phrase):
        return replace(query, boost=round(min(max(query.boost * boost, LIGHTEST), HEAVIEST), 6))
    return query  # excluded conditions, and those that all records meet, have no weight


# Plain words: the alternative interpretation of a title with signs in it, such as -1B, NOT or China?s.

# Words with a meaning of their own: operators, and labels of identifiers.
_LABELS = re.compile(r"isbn|e?issn|pmid|doi", re.IGNORECASE)


def query_for_words(text: str) -> str:
    """Return a query for the words of a text as in documents, none of them an operator."""
    return " ".join(map(_plain, split_words(text)))


def _plain(word: str) -> str:
    return f"\\{word}" if word in OPERATORS or _LABELS.fullmatch(word) else word
