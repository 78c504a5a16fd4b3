"""What a web server refuses by its address, whoever asks: RewriteRule with [F] or [G], Redirect gone. Pure.

`htaccess` reads it from one file, `scope` keeps it for each folder on the way. A rule behind a RewriteCond
depends on the request (on a browser's name, as a rule) and says nothing about the file: it is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from windrow.sources.files.apache.syntax import Directive, Malformed
from windrow.sources.files.name_patterns import LONGEST_NAME, match_expression

MOST_RULES = 200  # of one file

_REFUSING_FLAGS = frozenset({"f", "forbidden", "g", "gone"})
_ENDING_FLAGS = frozenset({"l", "last", "end"})
_CASELESS_FLAGS = frozenset({"nc", "nocase"})
_CHAINING_FLAGS = frozenset({"c", "chain"})
_REDIRECTING = re.compile(r"3[0-9][0-9]|permanent|temp|seeother")
_STATUS = re.compile(r"[0-9]{3}|gone")


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern over paths: what it covers is refused, or no later rule is asked about it."""

    pattern: str
    refuses: bool = True
    is_negated: bool = False

    def covers(self, path: str) -> bool:
        """Say whether a path is meant. Where that cannot be told in time, the worse is assumed."""
        matches = match_expression(self.pattern)
        if matches is None or len(path) > LONGEST_NAME:
            return self.refuses
        return matches(path) != self.is_negated


@dataclass(frozen=True, slots=True)
class Refusals:
    """What one file says."""

    rewriting: tuple[Rule, ...] = ()  # over paths from the file's folder on; the first that covers decides
    says_rewriting: bool = False  # then what outer files say of it counts no more
    inherits: bool = False  # RewriteOptions Inherit: it does count
    is_on: bool | None = None  # RewriteEngine; None: nothing was said
    addresses: tuple[Rule, ...] = ()  # over paths of addresses


NOTHING_SAID = Refusals()


def is_refused(said: Sequence[tuple[str, Refusals]], place: str, address: str) -> bool:
    """Say whether the file at this place, with this path in its address, is refused.

    `said` is what each folder's file says, the innermost last; places and folders are absolute.
    """
    if any(rule.covers(address) for _, each in said for rule in each.addresses):
        return True
    if not next((each.is_on for _, each in reversed(said) if each.is_on is not None), False):
        return False
    speaking = [(folder, each) for folder, each in reversed(said) if each.says_rewriting]
    for _, each in speaking:
        # Rules that are inherited count as if they stood in the innermost file.
        path = place.removeprefix(speaking[0][0].rstrip("/") + "/")
        found = next((rule for rule in each.rewriting if rule.covers(path)), None)
        if found is not None or not each.inherits:
            return found is not None and found.refuses
    return False


@dataclass(slots=True)
class RefusalDraft:
    """The lines of one file so far."""

    rewriting: list[Rule] = field(default_factory=list)
    addresses: list[Rule] = field(default_factory=list)
    says_rewriting: bool = False
    inherits: bool = False
    is_on: bool | None = None
    _is_conditional: bool = False  # whether the next rule is

    def take(self, line: Directive) -> None:
        """Take one line in. A line about something else changes nothing."""
        self.says_rewriting |= line.name.startswith("rewrite")
        match line.name, line.words:
            case "rewriteengine", [state]:
                self.is_on = state.lower() == "on"
            case "rewriteoptions", words:
                self.inherits |= any(word.lower().startswith("inherit") for word in words)
            case "rewritecond", _:
                self._is_conditional = True
            case "rewriterule", [pattern, target, *rest]:
                self._take_rule(pattern, target, _flags(rest))
            case "redirect", [status, path, *_] if _is_refusing(status):
                self.addresses.append(Rule(f"^{re.escape(path.rstrip('/'))}(?:/|$)"))
            case "redirectmatch", [status, pattern, *_] if _is_refusing(status):
                self.addresses.append(Rule(pattern))

    def _take_rule(self, pattern: str, target: str, flags: frozenset[str]) -> None:
        refuses = bool(flags & _REFUSING_FLAGS) or any(_is_refusal(flag) for flag in flags)
        ends = target == "-" and bool(flags & _ENDING_FLAGS)
        if not self._is_conditional and (refuses or ends):
            caseless = "(?i)" if flags & _CASELESS_FLAGS else ""
            expression = caseless + pattern.removeprefix("!")
            self.rewriting.append(Rule(expression, refuses, pattern.startswith("!")))
        self._is_conditional = bool(flags & _CHAINING_FLAGS)

    def join(self, inner: RefusalDraft) -> None:
        """Take in what a block says that may or may not hold: it hides more, hardly ever less."""
        self.rewriting += inner.rewriting
        self.addresses += inner.addresses
        self.says_rewriting |= inner.says_rewriting
        self.inherits |= inner.inherits
        self.is_on = inner.is_on or self.is_on

    def finish(self) -> Refusals:
        """Give what was said in all."""
        if len(self.rewriting) + len(self.addresses) > MOST_RULES:
            raise Malformed("too many rules")
        return Refusals(
            tuple(self.rewriting), self.says_rewriting, self.inherits, self.is_on, tuple(self.addresses)
        )


def _flags(words: Sequence[str]) -> frozenset[str]:
    text = words[0] if words else ""
    return frozenset(flag.strip().lower() for flag in text.strip("[]").split(","))


def _is_refusal(flag: str) -> bool:
    """Say whether a flag is R with a status that leads nowhere."""
    name, _, status = flag.partition("=")
    return name in {"r", "redirect"} and _is_refusing(status)


def _is_refusing(status: str) -> bool:
    word = status.lower()
    return _STATUS.fullmatch(word) is not None and _REDIRECTING.fullmatch(word) is None
