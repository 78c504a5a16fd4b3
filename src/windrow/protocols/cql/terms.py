r"""Terms of CQL: what masks in them, what is escaped, and what they are split into.

`*` stands for any letters, `?` for one, `^` anchors; a backslash makes letters of them, and of quotation
marks and itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from windrow.protocols.sru.diagnostics import SruError

MOST_MASKS = 20  # in one term
_ESCAPABLE = '*?^"\\'
_LITERAL = {"*": "\ue000", "?": "\ue001", "^": "\ue002"}  # private letters, until the term is read
_BACK = {mark: letter for letter, mark in _LITERAL.items()}


@dataclass(frozen=True, slots=True)
class Term:
    """A term as it is compared. In a masked one `*` and `?` are wildcards."""

    text: str
    is_masked: bool = False
    is_first: bool = False  # anchored: at the beginning of the value
    is_last: bool = False

    def words(self) -> list[Term]:
        """Return its words, where white space parts them."""
        return [
            Term(each, "*" in each or "?" in each) if self.is_masked else Term(each)
            for each in self.text.split()
        ]


def read_term(text: str, *, is_masking: bool = True) -> Term:
    """Return a term with its backslashes gone; where nothing masks, every sign is a letter."""
    if not is_masking:
        return _checked(Term(_unescaped(text, is_marking=False)))
    marked = _unescaped(text, is_marking=True)
    is_first, is_last = marked.startswith("^"), len(marked) > 1 and marked.endswith("^")
    inner = marked[is_first : len(marked) - is_last]
    if "^" in inner:
        raise SruError(32, text)
    is_masked = "*" in inner or "?" in inner
    if inner.count("*") + inner.count("?") > MOST_MASKS:
        raise SruError(30, text)
    if is_masked and any(mark in inner for mark in (_LITERAL["*"], _LITERAL["?"])):
        raise SruError(28, f"{text}: a masking character beside one that is escaped")
    written = "".join(_BACK.get(letter, letter) for letter in inner)
    return _checked(Term(written, is_masked, is_first, is_last))


def escape_term(text: str, *, is_masked: bool = False) -> str:
    r"""Return a text as the term that stands for it; the wildcards of a masked one stay."""
    special = '^"\\' if is_masked else _ESCAPABLE
    return "".join(f"\\{letter}" if letter in special else letter for letter in text)


def _unescaped(text: str, *, is_marking: bool) -> str:
    found: list[str] = []
    letters = iter(text)
    for letter in letters:
        if letter != "\\":
            found.append(letter)
            continue
        following = next(letters, "")
        if not following or following not in _ESCAPABLE:
            raise SruError(26, f"{letter}{following}")
        found.append(_LITERAL.get(following, following) if is_marking else following)
    return "".join(found)


def _checked(term: Term) -> Term:
    if not term.text.strip():
        raise SruError(27)
    return term
