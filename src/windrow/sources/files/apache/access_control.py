"""Access control in .htaccess files, as expressions over one user: Require, Order, Allow, Deny. Pure.

Answers are True, False and None. None means unknown (a condition on the environment, a directory service) and
stays None when negated, so that it never grants access.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import IPv6Network, ip_network
from typing import Literal, NamedTuple, TypeAlias

from windrow.sources.files.apache.configuration import METHODS, Directive, Malformed, is_text


class Person(NamedTuple):
    """An authenticated user."""

    name: str
    groups: frozenset[str]


@dataclass(frozen=True, slots=True)
class Fixed:
    """The same answer for every user."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class ValidUser:
    """Any user with a valid password."""


@dataclass(frozen=True, slots=True)
class UserIn:
    """One of these users."""

    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class GroupIn:
    """A member of one of these groups."""

    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Negated:
    """The negation of a requirement."""

    of: Requirement


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of these requirements."""

    parts: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """All of these requirements."""

    parts: tuple[Requirement, ...]


Requirement: TypeAlias = Fixed | ValidUser | UserIn | GroupIn | Negated | AnyOf | AllOf

OPEN = Fixed(True)
CLOSED = Fixed(False)
UNKNOWN = Fixed(None)


def holds(requirement: Requirement, person: Person | None) -> bool | None:
    """Return whether a user meets a requirement.

    Without a user: True if everyone meets it, False if no one can, None if it depends on the user.
    """
    match requirement:
        case Fixed(value):
            return value
        case Negated(inner):
            held = holds(inner, person)
            return None if held is None else not held
        case AnyOf(parts):
            return _any(holds(part, person) for part in parts)
        case AllOf(parts):
            held = _any(holds(Negated(part), person) for part in parts)
            return None if held is None else not held
    if person is None:
        return None
    match requirement:
        case UserIn(names):
            return person.name in names
        case GroupIn(names):
            return not names.isdisjoint(person.groups)
    return True


def is_unknown(requirement: Requirement) -> bool:
    match requirement:
        case Negated(inner):
            return is_unknown(inner)
        case AnyOf(parts) | AllOf(parts):
            return any(is_unknown(part) for part in parts)
    return requirement == UNKNOWN


def names_people(requirement: Requirement) -> bool:
    """Return whether a name and a password can make a difference."""
    match requirement:
        case Negated(inner):
            return names_people(inner)
        case AnyOf(parts) | AllOf(parts):
            return any(names_people(part) for part in parts)
    return not isinstance(requirement, Fixed)


def _any(answers: Iterable[bool | None]) -> bool | None:
    seen = set(answers)
    if True in seen:
        return True
    return None if None in seen else False


# `Require` directives. Malformed is raised for lines that make Apache answer 500 for the whole folder.

_ALL = {"granted": OPEN, "denied": CLOSED}
_PARTIAL_ADDRESS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,2}\.?")


def read_requirement(line: Directive) -> Requirement:
    """Return the requirement of a `Require`; UNKNOWN where only Apache can evaluate it.

    The client's address is unknown here: it counts neither as inside an allowed network nor as outside a
    denied one.
    """
    words = line.words
    is_negated = bool(words) and words[0].lower() == "not"
    words = words[1:] if is_negated else words
    if re.search("[\"']", line.text) and words[:1] not in {("user",), ("group",)}:
        raise Malformed(f"Require {line.text}: quotation marks count as letters here")
    return Negated(_read_plain(words)) if is_negated else _read_plain(words)


def _read_plain(words: Sequence[str]) -> Requirement:
    # Apache accepts only lower-case provider names, and rejects others.
    kind, names = (words[0] if words else ""), frozenset(words[1:])
    match kind, words[1:]:
        case "all", [which] if which.lower() in _ALL:
            return _ALL[which.lower()]
        case "valid-user" | "local", []:
            return ValidUser() if kind == "valid-user" else UNKNOWN
        case "ip", [_, *_] if all(is_network(name) for name in names):
            return UNKNOWN
        case "host" | "forward-dns" | "env", [_, *_] if not any("%" in name for name in names):
            return UNKNOWN
        case "user", [_, *_] if not any("%" in name for name in names):
            return UserIn(names)
        case "group", [_, *_] if not any("%" in name for name in names):
            return GroupIn(names)
        case "method", [_, *_] if names <= METHODS:
            return CLOSED if names.isdisjoint({"GET", "HEAD"}) else OPEN
    # A provider that Apache does not have, or an expression that only Apache can parse: if it fails to parse
    # one requirement, it refuses all requests.
    raise Malformed(f"Require {' '.join(words)} is not understood")


def is_network(text: str) -> bool:
    """Return whether a text is an address in Apache's notation: whole, with a mask, or the first numbers."""
    if _PARTIAL_ADDRESS.fullmatch(text):
        return all(int(part) < 256 for part in text.rstrip(".").split("."))
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        return False
    # Apache accepts neither a mask of no bits, nor an interface, nor IPv4 in IPv6 notation.
    is_mapped = isinstance(network, IPv6Network) and network.network_address.ipv4_mapped is not None
    return network.prefixlen > 0 and "%" not in text and not is_mapped


def require_all(parts: Sequence[Requirement]) -> Requirement:
    """Return the requirement that all parts hold; raises Malformed if none of them grants access."""
    if all(isinstance(part, Negated) for part in parts):
        raise Malformed("nothing that could be granted")
    return AllOf(tuple(parts))


def require_any(parts: Sequence[Requirement]) -> Requirement:
    """Return the requirement that one part holds; raises Malformed if a part is negative, as Apache does."""
    if not parts or any(isinstance(part, Negated) for part in parts):
        raise Malformed("a negative requirement among alternatives")
    return AnyOf(tuple(parts))


def require_none(parts: Sequence[Requirement]) -> Requirement:
    """Return the requirement that no part holds; raises Malformed if a part is already negative."""
    return Negated(require_any(parts))


# The access rules of .htaccess files, and how an inner file overrides an outer one. `htaccess` makes one from
# each file, `htaccess_scope` merges them, and `htpasswd` checks the result.

Merging: TypeAlias = Literal["off", "and", "or"]


@dataclass(frozen=True, slots=True)
class Hosts:
    """Order, Allow, Deny and Satisfy (Apache 2.2). Each value is whether an unknown client is meant."""

    allows_first: bool = False
    allow: tuple[bool | None, ...] = ()
    deny: tuple[bool | None, ...] = ()
    is_enough: bool = False  # Satisfy Any: either these or a requirement

    def requirement(self) -> Requirement:
        """Return these as a requirement: without `Order`, what is not denied is allowed."""
        allowed = AnyOf(tuple(Fixed(value) for value in self.allow))
        spared = Negated(AnyOf(tuple(Fixed(value) for value in self.deny)))
        return AllOf((allowed, spared)) if self.allows_first else AnyOf((allowed, spared))


@dataclass(frozen=True, slots=True)
class Access:
    """The access rules and the password files. None means not specified."""

    requirement: Requirement | None = None
    merging: Merging = "off"
    hosts: Hosts | None = None
    auth_type: str | None = None
    provider: str | None = None
    user_file: str | None = None
    group_file: str | None = None
    is_broken: bool = False

    def at(self, folder: str) -> Access:
        """Return the rules with absolute paths; relative ones start at the .htaccess's folder."""
        if self.user_file is None and self.group_file is None:
            return self
        return replace(
            self,
            user_file=self.user_file and os.path.join(folder, self.user_file),
            group_file=self.group_file and os.path.join(folder, self.group_file),
        )

    def over(self, outer: Access) -> Access:
        """Return the rules in force where these are nested in outer ones.

        A requirement replaces the outer one unless AuthMerging is set; the 2.2 directives replace one another
        as a whole; each of the other settings is inherited separately. Where Apache would answer 500, it does
        so for everything below.
        """
        return Access(
            requirement=self._requirement_over(outer.requirement),
            hosts=self.hosts or outer.hosts,
            auth_type=_first(self.auth_type, outer.auth_type),
            provider=_first(self.provider, outer.provider),
            user_file=_first(self.user_file, outer.user_file),
            group_file=_first(self.group_file, outer.group_file),
            is_broken=self.is_broken or outer.is_broken,
        )

    def _requirement_over(self, outer: Requirement | None) -> Requirement | None:
        if self.requirement is None or outer is None:
            return self.requirement or outer
        if self.merging == "off":
            return self.requirement
        both = (outer, self.requirement)
        return AllOf(both) if self.merging == "and" else AnyOf(both)

    def whole(self) -> Requirement:
        """Return all rules as one requirement; rules that cannot be parsed deny access."""
        if self.is_broken:
            return UNKNOWN
        hosts = self.hosts.requirement() if self.hosts else OPEN
        parts = (hosts,) if self.requirement is None else (hosts, self.requirement)
        return AnyOf(parts) if self.hosts and self.hosts.is_enough else AllOf(parts)


NOTHING_SAID = Access()
BROKEN = Access(is_broken=True)


def _first(inner: str | None, outer: str | None) -> str | None:
    return outer if inner is None else inner


# The access directives of one .htaccess scope, collected line by line.

_MERGINGS: dict[str, Merging] = {"off": "off", "and": "and", "or": "or"}
_LIKE_ADDRESS = re.compile(r"[0-9.]+|.*[:/].*")  # as Apache does; anything else is a host name
_ORDERS = {"deny,allow": False, "allow,deny": True, "mutual-failure": True}


@dataclass(slots=True)
class AccessDraft:
    """The access rules of one scope so far."""

    requires: list[Requirement] = field(default_factory=list)
    merging: Merging | None = None
    allows_first: bool | None = None
    allow: list[bool | None] = field(default_factory=list)
    deny: list[bool | None] = field(default_factory=list)
    satisfies_any: bool | None = None
    auth: dict[str, str] = field(default_factory=dict)
    is_broken: bool = False

    def take(self, line: Directive) -> bool:
        """Process one line; return False for a line about something else."""
        match line.name:
            case "require":
                self.requires.append(read_requirement(line))
            case "order" | "allow" | "deny" | "satisfy":
                self._take_hosts(line.name, [word.lower() for word in line.words])
            case name if name.startswith("auth"):
                self._take_auth(name, line.words)
            case _:
                return False
        return True

    def _take_auth(self, name: str, words: Sequence[str]) -> None:
        match name, words:
            case "authtype", [kind] if is_text(kind):
                self.auth[name] = kind.lower()
            case "authname", [realm] if is_text(realm):
                pass
            case "authbasicauthoritative" | "authzsendforbiddenonfailure", [state] if is_flag(state):
                pass
            case "authbasicprovider", ["file"]:
                self.auth[name] = "file"
            case "authuserfile" | "authgroupfile", [path] if path:
                self.auth[name] = path
            case "authmerging", [how] if how.lower() in _MERGINGS:
                self.merging = _MERGINGS[how.lower()]
            case _:
                raise Malformed(f"{name} {' '.join(words)} is not understood")

    def _take_hosts(self, name: str, words: list[str]) -> None:
        match name, words:
            case "order", [order] if order in _ORDERS:
                self.allows_first = _ORDERS[order]
            case "allow", ["from", *places] if places:
                self.allow.extend(_means_anybody(place) for place in places)
            case "deny", ["from", *places] if places:
                # None: some clients may come from there.
                self.deny.extend(_means_anybody(place) or None for place in places)
            case "satisfy", ["all" | "any" as which]:
                self.satisfies_any = which == "any"
            case _:
                raise Malformed(f"{name} {' '.join(words)} is not understood")

    @property
    def unknowns(self) -> int:
        hosts = (*self.allow, *self.deny)
        return hosts.count(None) + sum(is_unknown(requirement) for requirement in self.requires)

    def finish(self) -> Access:
        if self.merging == "off" and not self.requires:
            raise Malformed(
                "AuthMerging Off without a requirement ends the outer one; the web server answers 500"
            )
        return Access(
            requirement=require_any(self.requires) if self.requires else None,
            merging=self.merging or "off",
            hosts=self._hosts(),
            auth_type=self.auth.get("authtype"),
            provider=self.auth.get("authbasicprovider"),
            user_file=self.auth.get("authuserfile"),
            group_file=self.auth.get("authgroupfile"),
            is_broken=self.is_broken,
        )

    def _hosts(self) -> Hosts | None:
        if self.allows_first is None and self.satisfies_any is None and not self.allow and not self.deny:
            return None
        return Hosts(
            allows_first=bool(self.allows_first),
            allow=tuple(self.allow),
            deny=tuple(self.deny),
            is_enough=bool(self.satisfies_any),
        )


def _means_anybody(place: str) -> bool | None:
    """Return whether a client of unknown origin is meant; None if only Apache can decide."""
    if place.startswith("env="):
        return None
    is_address = _LIKE_ADDRESS.fullmatch(place) is not None
    if "#" in place or (is_address and not is_network(place)):
        raise Malformed(f"{place} is no address")
    return place == "all"


def is_flag(word: str) -> bool:
    return word.lower() in {"on", "off"}
