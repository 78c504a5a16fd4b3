"""What the lines of one .htaccess scope say about access, taken one after the other. Used by `htaccess`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from windrow.sources.files.apache.access import Access, Hosts, Merging
from windrow.sources.files.apache.require_words import read_requirement, require_any
from windrow.sources.files.apache.requirement import Requirement
from windrow.sources.files.apache.syntax import Directive, Malformed

# These change nothing about who may come in.
_HARMLESS = frozenset({"authname", "authbasicauthoritative", "authzsendforbiddenonfailure"})
_MERGINGS: dict[str, Merging] = {"off": "off", "and": "and", "or": "or"}
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

    def take(self, line: Directive) -> None:
        """Take one line in. A line that does not bear on access changes nothing."""
        match line.name:
            case "require":
                self.requires.append(read_requirement(line.words))
            case "order" | "allow" | "deny" | "satisfy":
                self._take_hosts(line.name, [word.lower() for word in line.words])
            case name if name.startswith("auth") and name not in _HARMLESS:
                self._take_auth(name, line.words)

    def _take_auth(self, name: str, words: Sequence[str]) -> None:
        match name, words:
            case "authtype", [kind]:
                self.auth[name] = kind.lower()
            case "authbasicprovider", [*_]:
                self.auth[name] = " ".join(words).lower()
            case "authuserfile" | "authgroupfile", [path] if path:
                self.auth[name] = path
            case "authmerging", [how] if how.lower() in _MERGINGS:
                self.merging = _MERGINGS[how.lower()]
            case _:
                self.is_broken = True

    def _take_hosts(self, name: str, words: list[str]) -> None:
        match name, words:
            case "order", [order] if order in _ORDERS:
                self.allows_first = _ORDERS[order]
            case "allow", ["from", *places] if places:
                self.allow.extend(_is_anybody(place) for place in places)
            case "deny", ["from", *places] if places:
                self.deny.extend(_is_anybody(place) for place in places)
            case "satisfy", ["all" | "any" as which]:
                self.satisfies_any = which == "any"
            case _:
                raise Malformed(f"{name} {' '.join(words)}")

    def finish(self) -> Access:
        """Give what was said in all."""
        return Access(
            requirement=require_any(self.requires) if self.requires else None,
            merging=self.merging or "off",
            hosts=self._hosts(),
            auth_type=self.auth.get("authtype"),
            provider=self.auth.get("authbasicprovider"),
            user_file=self.auth.get("authuserfile"),
            group_file=self.auth.get("authgroupfile"),
            # Said without a requirement, `Off` ends the outer one, and the web server answers 500.
            is_broken=self.is_broken or (self.merging == "off" and not self.requires),
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
    return None if place.startswith("env=") else place == "all"
