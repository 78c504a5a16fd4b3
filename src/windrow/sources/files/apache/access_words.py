"""What the lines of one .htaccess scope say about access, taken one after the other. Used by `htaccess`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from windrow.sources.files.apache.access import Access, Hosts, Merging
from windrow.sources.files.apache.require_words import is_network, read_requirement, require_any
from windrow.sources.files.apache.requirement import Requirement, is_unknown
from windrow.sources.files.apache.syntax import Directive, Malformed, is_text

_MERGINGS: dict[str, Merging] = {"off": "off", "and": "and", "or": "or"}
_LIKE_ADDRESS = re.compile(r"[0-9.]+|.*[:/].*")  # to Apache; anything else is the name of a host
_ORDERS = {"deny,allow": False, "allow,deny": True, "mutual-failure": True}


@dataclass(slots=True)
class AccessDraft:
    """The words of one scope so far."""

    requires: list[Requirement] = field(default_factory=list)
    merging: Merging | None = None
    allows_first: bool | None = None
    allow: list[bool | None] = field(default_factory=list)
    deny: list[bool | None] = field(default_factory=list)
    satisfies_any: bool | None = None
    auth: dict[str, str] = field(default_factory=dict)
    is_broken: bool = False

    def take(self, line: Directive) -> bool:
        """Take one line in; return False for a line about something else."""
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
                self.allow.extend(_is_anybody(place) for place in places)
            case "deny", ["from", *places] if places:
                # Somebody may come from there.
                self.deny.extend(_is_anybody(place) or None for place in places)
            case "satisfy", ["all" | "any" as which]:
                self.satisfies_any = which == "any"
            case _:
                raise Malformed(f"{name} {' '.join(words)} is not understood")

    @property
    def unknowns(self) -> int:
        """How many words so far depend on what cannot be told from here."""
        hosts = (*self.allow, *self.deny)
        return hosts.count(None) + sum(is_unknown(requirement) for requirement in self.requires)

    def finish(self) -> Access:
        """Return what was said in all."""
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


def _is_anybody(place: str) -> bool | None:
    """Say whether somebody from nowhere in particular is meant; None where the web server alone knows."""
    if place.startswith("env="):
        return None
    is_address = _LIKE_ADDRESS.fullmatch(place) is not None
    if "#" in place or (is_address and not is_network(place)):
        raise Malformed(f"{place} is no address")
    return place == "all"


def is_flag(word: str) -> bool:
    """Say whether a word turns something on or off."""
    return word.lower() in {"on", "off"}
