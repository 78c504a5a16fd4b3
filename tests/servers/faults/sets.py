"""Faults of sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tests.servers.fault import Fault, OnOne
from tests.servers.http import Reply, Request
from tests.servers.items import Item


@dataclass
class SetTwice(Fault):
    """The first set is listed again under another spec, with the same name."""

    def sets(self, sets: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        return [*sets, (f"copy_of_{sets[0][0]}", sets[0][1])]


@dataclass
class SetsReversed(Fault):
    """Children before their parents, last things first."""

    def sets(self, sets: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        return list(reversed(sets))


@dataclass
class ManySets(OnOne):
    """One record is in nineteen sets."""

    count: int = 19

    def item(self, item: Item) -> Item:
        if not self.is_struck(item):
            return item
        return replace(item, sets=tuple(f"com_{number}" for number in range(self.count)))


@dataclass
class NoSets(Fault):
    """The repository has no sets."""

    def sets(self, sets: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        return []


@dataclass
class EndlessSets(Fault):
    """Every page of ListSets has a token for another: what is on page `number` is `listed(number)`."""

    listed: Callable[[int], Sequence[str]] = lambda number: ("law", "art") if number % 2 else ("art", "law")
    token: Callable[[int], str] = lambda number: f"page-{number + 1}"

    def intercept(self, request: Request) -> Reply | None:
        if request.arguments.get("verb") != "ListSets":
            return None
        number = int(request.arguments.get("resumptionToken", "page-1").rpartition("-")[2])
        sets = "".join(f"<set><setSpec>{spec}</setSpec></set>" for spec in self.listed(number))
        end = f"<resumptionToken>{self.token(number)}</resumptionToken>"
        xml = f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListSets>{sets}{end}</ListSets></OAI-PMH>'
        return Reply(body=xml.encode())
