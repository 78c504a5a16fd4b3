"""The URL space of a source: its start pages, and the rules for addresses that its robot may visit."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from windrow.config.network_values import mask_url
from windrow.errors import ConfigError
from windrow.sources.web.urls import LONGEST_URL, BadUrl, WebAddress, web_address

MOST_RULES = 10_000
LONGEST_RULE = 1000  # characters
MATCH_SECONDS = 0.2  # for one rule and one address: a rule that needs more is backtracking excessively
_PROBE_SECONDS = 0.05
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_MANY = 8  # repetitions that count as unbounded
_PROBE_CHARACTERS = 500


class Verdict(StrEnum):
    """The decision about an address."""

    ALLOWED = "allowed"
    EXCLUDED = "excluded"  # by a rule
    OUTSIDE = "outside"  # no rule allows it
    REFUSED = "refused"  # by a limit: invalid, too long, repeating …


@dataclass(frozen=True, slots=True)
class Rule:
    """One regular expression, and its place in the configuration."""

    pattern: str
    place: str  # "allow.txt, line 4", "allow, entry 2"


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict on an address, and the reason."""

    verdict: Verdict
    reason: str
    address: WebAddress | None = None
    rule: Rule | None = None

    @property
    def is_allowed(self) -> bool:
        return self.verdict is Verdict.ALLOWED


class UrlSpace:
    """Allow and exclude rules, matched anywhere in an address without its scheme; exclude wins.

    Without allow rules, the hosts of the start pages are allowed. Rules are Perl-compatible regular
    expressions, matched with a time limit: an address for which one takes too long is excluded.
    """

    def __init__(
        self, starts: Sequence[str], allow: Sequence[Rule] = (), exclude: Sequence[Rule] = ()
    ) -> None:
        self.starts = starts
        self.allow, self.exclude = tuple(allow), tuple(exclude)
        self.slow_rules: set[Rule] = set()  # rules that took too long for some address
        self._allow = [(rule, compile_rule(rule)) for rule in allow]
        self._exclude = [(rule, compile_rule(rule)) for rule in exclude]
        self.hosts = frozenset(web_address(start).host for start in starts)
        self._starts = frozenset(web_address(start).url for start in starts)
        self.decide_address = lru_cache(maxsize=4096)(self._decide)

    def decide(self, url: str, base: str = "") -> Decision:
        try:
            return self.decide_address(web_address(url, base))
        except BadUrl as exc:
            return Decision(Verdict.REFUSED, str(exc))

    def _decide(self, address: WebAddress) -> Decision:
        for rule, compiled in self._exclude:
            found = self._matches(rule, compiled, address)
            if found is None:
                return Decision(Verdict.EXCLUDED, f"the rule takes too long: {rule.pattern}", address, rule)
            if found:
                return Decision(Verdict.EXCLUDED, f"excluded by {rule.pattern}", address, rule)
        if address.url in self._starts:
            return Decision(Verdict.ALLOWED, "a start page", address)
        for rule, compiled in self._allow:
            if self._matches(rule, compiled, address):
                return Decision(Verdict.ALLOWED, f"allowed by {rule.pattern}", address, rule)
        if not self.allow and address.host in self.hosts:
            return Decision(Verdict.ALLOWED, "on the host of a start page", address)
        reason = "no rule allows it" if self.allow else "not on the host of a start page"
        return Decision(Verdict.OUTSIDE, reason, address)

    def _matches(self, rule: Rule, compiled: Any, address: WebAddress) -> bool | None:
        try:
            return compiled.search(address.subject, timeout=MATCH_SECONDS) is not None
        except TimeoutError:
            self.slow_rules.add(rule)
            return None


def read_lines(path: Path, *, what: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of a list file, one per line, with their places; `#` begins a comment."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as exc:
        raise ConfigError(f"the {what} list {path} cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"the {what} list {path} is not UTF-8", hint="Save it as UTF-8.") from exc
    for number, line in enumerate(text.splitlines(), 1):
        entry = re.sub(r"(?:^|\s)#.*", "", line).strip()
        if entry:
            yield entry, f"{path.name}, line {number}"


def read_rules(path: Path | None, inline: Iterable[str], *, what: str) -> tuple[Rule, ...]:
    """Return the rules of a list file and of a setting; ConfigError names the invalid line."""
    listed = read_lines(path, what=what) if path else iter(())
    written = ((pattern, f"{what}, entry {number}") for number, pattern in enumerate(inline, 1))
    rules = [Rule(pattern, place) for pattern, place in (*listed, *written)]
    if len(rules) > MOST_RULES:
        raise ConfigError(f"there are more than {MOST_RULES:,} {what} rules")
    for rule in rules:
        check_rule(rule)
    return tuple(rules)


def read_starts(path: Path | None, inline: Iterable[str]) -> tuple[str, ...]:
    """Return the normalised start pages of a list file and of a setting."""
    listed = read_lines(path, what="start") if path else iter(())
    written = ((url, f"start, entry {number}") for number, url in enumerate(inline, 1))
    starts = []
    for url, place in (*listed, *written):
        try:
            starts.append(web_address(url).url)
        except BadUrl as exc:
            shown = mask_url(url)[:200]
            raise ConfigError(f"{place}: {shown} cannot be a start page: {exc}") from exc
    return tuple(starts)


def compile_rule(rule: Rule) -> Any:
    """Compile a rule with the `regex` module, which supports time limits; raises ConfigError."""
    import regex  # noqa: PLC0415 - an optional dependency

    if len(rule.pattern) > LONGEST_RULE:
        raise ConfigError(f"{rule.place}: the rule is longer than {LONGEST_RULE:,} characters")
    try:
        return regex.compile(rule.pattern)
    except (regex.error, OverflowError, RecursionError, MemoryError) as exc:
        raise ConfigError(
            f"{rule.place}: {rule.pattern!r} is not a regular expression: {exc}",
            hint="In a rule, the dots, question marks and brackets of an address need a backslash.",
        ) from exc


def check_rule(rule: Rule) -> None:
    """Raise ConfigError for a rule that does not compile, or whose matching time grows without bound.

    Addresses are generated that match as far as possible and then fail: each search has to end at once.
    """
    compiled = compile_rule(rule)
    tree = _parse(rule.pattern)
    if tree is not None and _is_nested(tree):
        raise _endless(rule)
    for text in _attacks(tree):
        try:
            compiled.search(text, timeout=_PROBE_SECONDS)
        except TimeoutError:
            raise _endless(rule) from None


def _endless(rule: Rule) -> ConfigError:
    return ConfigError(
        f"{rule.place}: {rule.pattern!r} may take for ever on some addresses",
        hint="Repetitions inside repetitions, such as (a+)+ or (.*x)*, are not allowed.",
    )


def _parse(pattern: str) -> Any:
    """Return the tree of an expression; None if only `regex` supports it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re._parser.parse(pattern)  # type: ignore[attr-defined]  # the only parser of expressions
    except (re.error, AttributeError, RecursionError, OverflowError):
        return None


def _is_nested(tree: Any) -> bool:
    """Return True if an unbounded repetition repeats only unbounded repetitions."""
    for operator, argument in tree:
        name = str(operator)
        if name in _REPEATS and int(argument[1]) > _MANY and _has_only_repeats(argument[2]):
            return True
        inner = argument[2] if name in _REPEATS else argument[-1] if name == "SUBPATTERN" else None
        branches = argument[1] if name == "BRANCH" else [inner] if inner is not None else []
        if any(map(_is_nested, branches)):
            return True
    return False


def _has_only_repeats(tree: Any) -> bool:
    items = [(str(operator), argument) for operator, argument in tree]
    return bool(items) and all(
        (name in _REPEATS and int(argument[1]) > _MANY)
        or (name == "SUBPATTERN" and _has_only_repeats(argument[-1]))
        for name, argument in items
    )


def _attacks(tree: Any) -> Iterator[str]:
    """Yield texts that make a badly written expression backtrack through all possibilities."""
    yield from _pumped("", "a", "")
    yield from _pumped("", "/a", "")
    if tree is None:
        return
    whole = _sample(tree)
    for number, (before, inside) in enumerate(_repetitions(tree, "")):
        if number >= 50:
            return
        for pump in dict.fromkeys((inside, inside[:1], inside[-1:])):
            yield from _pumped(before, pump, whole)


def _pumped(before: str, pump: str, whole: str) -> Iterator[str]:
    """Yield a repetition that fails at its end, with the rest of what the expression looks for."""
    if pump:
        pumped = (before + pump * (_PROBE_CHARACTERS // len(pump)))[:LONGEST_URL]
        for start, end in (("", ""), ("", "\n"), ("", "\x01"), ("", "\n" + whole), (whole[-1:], "\n")):
            yield start + pumped + end


def _repetitions(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    """Yield for each unbounded repetition a text that leads up to it, and one that it repeats."""
    for operator, argument in tree:
        name = str(operator)
        if name in _REPEATS:
            _, most, inner = argument
            if int(most) > _MANY:
                for sample in _samples(inner):
                    yield before, sample
            yield from _repetitions(inner, before)
        elif name == "SUBPATTERN":
            yield from _repetitions(argument[-1], before)
        elif name == "BRANCH":
            for branch in argument[1]:
                yield from _repetitions(branch, before)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _repetitions(argument[1], before)
        before += _sample([(operator, argument)])


def _samples(tree: Any) -> list[str]:
    """Return texts that an expression matches: one for each alternative, and the default one."""
    found = [_sample(tree)]
    for operator, argument in tree:
        if str(operator) == "BRANCH":
            found += [_sample(branch) for branch in argument[1]]
        elif str(operator) == "SUBPATTERN":
            found += _samples(argument[-1])
    return [sample for sample in dict.fromkeys(found) if sample][:6]


def _sample(tree: Any) -> str:
    """Return one text that an expression probably matches."""
    made = []
    for operator, argument in tree:
        name = str(operator)
        if name == "LITERAL":
            made.append(chr(argument))
        elif name in ("ANY", "NOT_LITERAL", "CATEGORY"):
            made.append("a")
        elif name == "IN":
            made.append(_of_class(argument))
        elif name in _REPEATS:
            least, most, inner = argument
            made.append(_sample(inner) * min(max(int(least), 1 if int(most) else 0), 20))
        elif name == "SUBPATTERN":
            made.append(_sample(argument[-1]))
        elif name == "BRANCH":
            made.append(_sample(argument[1][0]))
        elif name == "ATOMIC_GROUP":
            made.append(_sample(argument))
    return "".join(made)[:200]


_CLASSES = {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_NOT_WORD": "/", "CATEGORY_NOT_DIGIT": "a"}


def _of_class(items: Any) -> str:
    is_negated = bool(items) and str(items[0][0]) == "NEGATE"
    if is_negated:
        barred = {argument for name, argument in items if str(name) == "LITERAL"}
        return next((each for each in "a0/-z" if ord(each) not in barred), "~")
    name, argument = items[0]
    if str(name) == "LITERAL":
        return chr(argument)
    if str(name) == "RANGE":
        return chr(argument[0])
    return _CLASSES.get(str(argument), "a")
