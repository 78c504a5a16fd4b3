"""mod_rewrite and mod_alias: which files an .htaccess rewrites, redirects or refuses. Pure.

`htaccess` parses the directives of one file, and `htaccess_scope` collects them from all folders. They are
evaluated for a GET of the published address from a client without cookies, referrer or query string. Anything
else about the request (client address, user, browser, time, environment, headers) is unknown, and a rule that
may apply is assumed to apply.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from windrow.sources.files.apache.configuration import Directive, Malformed
from windrow.sources.files.apache.file_serving import is_executing
from windrow.sources.files.name_patterns import MAX_NAME_CHARACTERS, compiles, match_bytes, matches_empty

MAX_RULES = 200  # of one file

_RULE_FLAGS = {
    # Flags that leave the response unchanged if the target is `-`.
    True: {
        *("b", "bctls", "bne", "bnp", "backrefnoplus", "c", "chain", "co", "cookie", "dpi", "discardpath"),
        *("e", "env", "end", "l", "last", "nc", "nocase", "ne", "noescape", "ns", "nosubreq", "pt"),
        *("passthrough", "qsa", "qsappend", "qsd", "qsdiscard", "qsl", "qslast", "t", "type", "unc"),
        *("unsafeallow3f", "unsafeprefixstat"),
    },
    False: {
        *("f", "forbidden", "g", "gone", "h", "handler", "n", "next", "p", "proxy", "r", "redirect"),
        *("s", "skip"),
    },
}
_JUMPS = frozenset({"s", "skip", "n", "next"})
_CONDITION_FLAGS = {"nc", "nocase", "or", "ornext", "nv", "novary"}
_OPTIONS = {
    *("inherit", "inheritbefore", "inheritdown", "inheritdownbefore", "ignoreinherit", "allownoslash"),
    *("allowanyuri", "mergebase", "ignorecontextinfo", "legacyprefixdocroot", "longurloptimization"),
}
_STATUS_NAMES = {"permanent": 301, "temp": 302, "seeother": 303, "gone": 410}
# The status names of Apache; [R=…] with any other is an error.
_NAMED_STATUS = re.compile(
    r"10[0-3]|20[0-8]|226|30[0-578]|40[0-9]|41[0-7]|42[1-46]|428|429|431|451|50[0-8]|510|511"
)
_TARGET = re.compile(r"/|[A-Za-z][A-Za-z0-9+.-]*:")
_STATUS = re.compile(r"[1-5][0-9][0-9]")
_VARIABLE = re.compile(r"%\{([A-Za-z_]+)\}")
_ARGUMENT = re.compile(
    r'[ \t\v\f\r]*(?:"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'|([^\s"\']\S*))(?=\s|$)', re.ASCII
)
_FILE_NAMES = {"REQUEST_FILENAME", "SCRIPT_FILENAME"}


@dataclass(frozen=True, slots=True)
class Request:
    """A GET for a file. `place` is its absolute path; an empty part of the address is unknown."""

    place: str
    path: str  # of the address, decoded
    scheme: str = ""
    host: str = ""

    def value(self, variable: str) -> str | None:
        """Return the value of a server variable; None if it is unknown."""
        match variable:
            case "HTTPS" if self.scheme:
                return "on" if self.scheme == "https" else "off"
            case "REQUEST_SCHEME" if self.scheme:
                return self.scheme
            case "HTTP_HOST" if self.host:
                return self.host
            case "REQUEST_METHOD":
                return "GET"
            case "REQUEST_URI":
                return self.path
            case "HTTP_COOKIE" | "HTTP_REFERER" | "QUERY_STRING":
                return ""
        return None


# the most that can be known of a request
_PROBE = Request("/some/file.txt", "/file.txt", "http", "localhost")


@dataclass(frozen=True, slots=True)
class Condition:
    """A RewriteCond."""

    test: str
    pattern: str
    ignores_case: bool = False
    is_alternative: bool = False  # [OR]: this one or the next

    def holds(self, request: Request) -> bool | None:
        """Return whether the condition holds for a request; None if unknown."""
        is_negated = self.pattern.startswith("!")
        held = self._holds(self.pattern.removeprefix("!"), request)
        return None if held is None else held != is_negated

    def _holds(self, pattern: str, request: Request) -> bool | None:
        variable = _VARIABLE.fullmatch(self.test)
        if variable is None:
            return None
        name = variable[1].upper()
        if name in _FILE_NAMES:
            return {"-f": True, "-d": False}.get(pattern)
        value = request.value(name)
        if value is None or pattern.startswith(("-", "<", ">")):
            return None
        if pattern.startswith("="):
            wanted = pattern[1:].removeprefix('""')
            return value.lower() == wanted.lower() if self.ignores_case else value == wanted
        return _search(pattern, value, ignores_case=self.ignores_case)


@dataclass(frozen=True, slots=True)
class Rule:
    """A RewriteRule."""

    pattern: str
    conditions: tuple[Condition, ...] = ()
    is_harmless: bool = False  # the file is served as if there were no rule
    ends: bool = False  # [L] or [END]
    is_chained: bool = False  # [C]: the next rule applies only if this one does
    is_doubtful: bool = False  # it is unknown whether the rule is in force
    ignores_case: bool = False
    line: int = field(default=0, compare=False)
    doubt: str = field(default="", compare=False)  # why it may apply to some requests and not to others

    def applies(self, path: str, request: Request) -> bool | None:
        """Return whether the rule applies to a path; None if unknown."""
        is_negated = self.pattern.startswith("!")
        found = _search(self.pattern.removeprefix("!"), path, ignores_case=self.ignores_case)
        covers = None if found is None else found != is_negated
        return _all([covers, *self._alternatives(request), *([None] if self.is_doubtful else [])])

    def _alternatives(self, request: Request) -> Iterable[bool | None]:
        """Yield the result of each group of conditions joined by [OR]."""
        group: list[bool | None] = []
        for condition in self.conditions:
            group.append(condition.holds(request))
            if not condition.is_alternative:
                yield _any(group)
                group = []
        if group:  # [OR] without a next condition
            yield None


@dataclass(frozen=True, slots=True)
class Address:
    """The addresses of a Redirect or RedirectMatch, as an expression over the path."""

    expression: str
    line: int = field(default=0, compare=False)
    doubt: str = field(default="", compare=False)

    def covers(self, path: str) -> bool:
        """Return whether a path is redirected, or may be."""
        return _search(self.expression, path) is not False


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The rules of one file."""

    rules: tuple[Rule, ...] = ()
    is_present: bool = False  # any directive of mod_rewrite, which disables those of outer files
    options: frozenset[str] = frozenset()
    is_on: bool | None = None  # RewriteEngine; None: not specified
    redirects: tuple[Address, ...] = ()


NO_REWRITING = Rewriting()


def is_rewriting(said: Sequence[tuple[str, Rewriting]]) -> bool:
    """Return whether mod_rewrite is active in a folder; `said` is as for `is_rewritten`.

    Where no file turns the engine on or off, the server's own configuration may do so.
    """
    states = [each.is_on for _, each in reversed(said) if each.is_on is not None]
    return states[0] if states else any(each.rules for _, each in said)


def is_rewritten(said: Sequence[tuple[str, Rewriting]], request: Request) -> bool:
    """Return whether a request is, or may be, answered with anything but the file itself.

    `said` has each folder (absolute) with the rules of its file, the innermost last.
    """
    if any(redirect.covers(request.path) for _, each in said for redirect in each.redirects):
        return True
    speaking = [(folder, each) for folder, each in reversed(said) if each.is_present]
    if not speaking or not is_rewriting(said):
        return False
    # Inherited rules are matched as if they were in the innermost file. Their order relative to its own rules
    # makes no difference if neither list alone rewrites the request.
    path = request.place.removeprefix(speaking[0][0].rstrip("/") + "/")
    is_inheriting = any(option.startswith("inherit") for _, each in speaking for option in each.options)
    lists = [each.rules for _, each in speaking] if is_inheriting else [speaking[0][1].rules]
    return any(_rewrites(rules, path, request) for rules in lists)


def _rewrites(rules: Sequence[Rule], path: str, request: Request) -> bool:
    chain: bool | None = True
    for rule in rules:
        applies = _all([chain, rule.applies(path, request)])
        chain = applies if rule.is_chained else True
        if applies is False:
            continue
        if not rule.is_harmless:
            return True
        if applies and rule.ends:
            return False
    return False


def _search(expression: str, text: str, *, ignores_case: bool = False) -> bool | None:
    if not text:
        return matches_empty(expression)
    matches = match_bytes(f"(?i){expression}" if ignores_case else expression)
    return None if matches is None or len(text) > MAX_NAME_CHARACTERS else matches(text)


def _any(answers: Iterable[bool | None]) -> bool | None:
    seen = set(answers)
    return True if True in seen else None if None in seen else False


def _all(answers: Iterable[bool | None]) -> bool | None:
    seen = set(answers)
    return False if False in seen else None if None in seen else True


@dataclass(slots=True)
class RewritingDraft:
    """The rewriting rules of one file so far."""

    rules: list[Rule] = field(default_factory=list)
    redirects: list[Address] = field(default_factory=list)
    is_present: bool = False
    options: set[str] = field(default_factory=set)
    is_on: bool | None = None
    is_doubtful: bool = False  # some lines are in a section that may not apply
    _conditions: list[Condition] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not self.is_present and not self.is_doubtful and not self.redirects

    def take(self, line: Directive) -> bool:
        """Process one line; return False for a line about something else."""
        match line.name, line.words:
            case "redirect" | "redirectmatch" | "redirectpermanent" | "redirecttemp", words:
                self.redirects.append(_redirect(line.name, words, line.line))
                return True
            case "rewriteengine", [state] if state.lower() in {"on", "off"}:
                self.is_on = state.lower() == "on"
            case "rewritebase", [base] if base.startswith("/"):
                pass
            case "rewriteoptions", [_, *_] as words:
                self.options |= {_option(word) for word in words}
            case "rewritecond", _:
                self._conditions.append(_condition(line))
            case "rewriterule", _:
                self.rules.append(_rule(line, self._conditions))
                self._conditions.clear()
            case name, _ if name.startswith("rewrite"):
                raise Malformed(f"{line.name} {line.text} is not understood", line.line)
            case _:
                return False
        self.is_present = True
        return True

    def take_doubtful(self, inner: RewritingDraft) -> bool:
        """Process a section that may not apply; return False if its effect cannot be bounded."""
        if inner.is_present or inner.is_doubtful:
            is_chained = any(rules and rules[-1].is_chained for rules in (self.rules, inner.rules))
            if is_chained or self._conditions or inner._conditions:
                return False
            self.is_doubtful = True
            self.is_on = True if inner.is_on else self.is_on
            self.options |= inner.options
        words = "stands in a section of which it is unknown whether it holds"
        self.rules += (
            replace(
                rule,
                is_doubtful=True,
                doubt=rule.doubt or ("" if rule.is_harmless else f"RewriteRule {rule.pattern} {words}"),
            )
            for rule in inner.rules
        )
        self.redirects += (
            replace(each, doubt=each.doubt or f"a redirect {words}") for each in inner.redirects
        )
        return True

    def finish(self) -> Rewriting:
        if self.is_doubtful and not self.is_present:  # the rules of outer files may be in force or not
            raise Malformed(
                "whether its rewriting rules hold is unknown", self.rules[0].line if self.rules else 0
            )
        if len(self.rules) + len(self.redirects) > MAX_RULES:
            raise Malformed(f"more than {MAX_RULES} rewriting rules and redirects")
        return Rewriting(
            tuple(self.rules), self.is_present, frozenset(self.options), self.is_on, tuple(self.redirects)
        )


def _option(word: str) -> str:
    option = word.lower()
    if option not in _OPTIONS:
        raise Malformed(f"RewriteOptions {word} is not understood")
    return option


def _condition(line: Directive) -> Condition:
    test, pattern, flags = _arguments(line)
    names = {flag.lower() for flag in flags}
    if not names <= _CONDITION_FLAGS:
        raise Malformed(f"RewriteCond with flags that are not understood: {line.text}", line.line)
    is_expression = not pattern.removeprefix("!").startswith(("-", "<", ">", "="))
    if is_expression and not compiles(pattern.removeprefix("!")):
        raise Malformed(f"RewriteCond with an expression that is not understood: {pattern}", line.line)
    return Condition(test, pattern, bool(names & {"nc", "nocase"}), bool(names & {"or", "ornext"}))


def _rule(line: Directive, conditions: Sequence[Condition]) -> Rule:
    pattern, target, flags = _arguments(line)
    names = {flag.partition("=")[0].lower() for flag in flags}
    if not names <= _RULE_FLAGS[True] | _RULE_FLAGS[False]:
        raise Malformed(f"RewriteRule with flags that are not understood: {line.text}", line.line)
    for flag in flags:
        name, _, value = flag.partition("=")
        if (
            name.lower() in {"r", "redirect"}
            and value
            and not (value.lower() in _STATUS_NAMES or _NAMED_STATUS.fullmatch(value))
        ):
            raise Malformed(f"RewriteRule redirects with a status that is none: {value}", line.line)
    if not compiles(pattern.removeprefix("!")):
        raise Malformed(f"RewriteRule with an expression that is not understood: {pattern}", line.line)
    is_harmless = target == "-" and names <= _RULE_FLAGS[True] and not _runs(flags)
    return Rule(
        pattern,
        tuple(conditions),
        line=line.line,
        doubt="" if is_harmless else _doubt(pattern, conditions, names),
        is_harmless=is_harmless,
        ends=bool(names & {"l", "last", "end"}),
        is_chained=bool(names & {"c", "chain"}),
        ignores_case=bool(names & {"nc", "nocase"}),
    )


def _runs(flags: Sequence[str]) -> bool:
    """Return whether a rule sets a type that makes the server execute files."""
    pairs = (flag.partition("=") for flag in flags)
    return any(name.lower() in {"t", "type"} and is_executing(value) for name, _, value in pairs)


def _doubt(pattern: str, conditions: Sequence[Condition], flags: set[str]) -> str:
    """Return why the effect of a rule is unknown; "" if it is known."""
    if flags & _JUMPS:
        return f"RewriteRule {pattern} skips or repeats rules, which is not followed here"
    unknown = sorted({condition.test for condition in conditions if condition.holds(_PROBE) is None})
    if unknown:
        return f"RewriteRule {pattern} depends on {', '.join(unknown)}, which is unknown here"
    is_costly = _search(pattern.removeprefix("!"), _PROBE.path) is None
    return f"RewriteRule {pattern} takes too long to be matched here" if is_costly else ""


def _arguments(line: Directive) -> tuple[str, str, list[str]]:
    """Return the two arguments and the flags; mod_rewrite has its own syntax for lines."""
    found: list[str] = []
    at = 0
    text = line.text.rstrip(" \t\v\f\r")
    while at < len(text):
        word = _ARGUMENT.match(text, at)
        if word is None or re.search(r"\\\s", word[0]) or text.endswith("\\"):
            raise Malformed(f"{line.name} {line.text} is not understood", line.line)
        found.append(next(part for part in word.groups() if part is not None))
        at = word.end()
    if len(found) not in {2, 3}:
        raise Malformed(f"{line.name} needs two arguments, and perhaps flags", line.line)
    if len(found) == 2:
        return found[0], found[1], []
    if not (found[2].startswith("[") and found[2].endswith("]")):
        raise Malformed(f"{line.name} with flags that do not stand in brackets: {found[2]}", line.line)
    flags = [flag.strip() for flag in found[2][1:-1].split(",")]
    if not all(flags):
        raise Malformed(f"{line.name} with an empty flag: {found[2]}", line.line)
    return found[0], found[1], flags


def _redirect(name: str, words: Sequence[str], line: int) -> Address:
    """Return the addresses of a redirect of any kind; its target makes no difference."""
    may_have_status = name in {"redirect", "redirectmatch"} and bool(words)
    has_status = may_have_status and _is_status(words[0])
    if may_have_status and not has_status and words[0][:1].isdigit():  # Apache parses only the digits
        raise Malformed(f"{name} {' '.join(words)} is not understood")
    rest = words[1:] if has_status else words
    status = _STATUS_NAMES.get(words[0].lower()) or int(words[0]) if has_status else 302
    # Redirect statuses require a target, and others forbid it; Apache rejects anything else.
    if len(rest) != (2 if 300 <= status < 400 else 1):
        raise Malformed(f"{name} {' '.join(words)} is not understood")
    if name == "redirectmatch":
        if not all(rest) or not compiles(rest[0]):
            raise Malformed(f"RedirectMatch with an expression that is not understood: {rest[0]}")
        is_costly = _search(rest[0], _PROBE.path) is None
        doubt = f"RedirectMatch {rest[0]} takes too long to be matched here" if is_costly else ""
        return Address(rest[0], line, doubt)
    if not rest[0].startswith("/"):
        raise Malformed(f"{name} of {rest[0]}, which is no path of an address")
    if len(rest) == 2 and not _TARGET.match(rest[1]):
        raise Malformed(f"{name} to {rest[1]}, which is no address")
    path = re.sub("/+", "/", rest[0]).rstrip("/")
    return Address(f"^{re.escape(path)}(?:/|$)", line)


def _is_status(word: str) -> bool:
    return word.lower() in _STATUS_NAMES or _STATUS.fullmatch(word) is not None
