"""Faults of dates: granularity that is not what Identify says, datestamps in other shapes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.servers.fault import Asked, Fault, Identity, Refused
from tests.servers.http import Reply, Request

_DAY_LENGTH = len("YYYY-MM-DD")


@dataclass
class ClaimsSeconds(Fault):
    """Identify says seconds; a request with seconds is refused."""

    def identity(self, identity: Identity) -> Identity:
        return replace(identity, granularity="YYYY-MM-DDThh:mm:ssZ")

    def reinterpret(self, asked: Asked) -> Asked:
        if any(len(asked.arguments.get(name, "")) > _DAY_LENGTH for name in ("from", "until")):
            raise Refused("badArgument", "Invalid date format, YYYY-MM-DD expected")
        return asked


@dataclass
class ClaimsDays(Fault):
    """Identify says days; a request with days is refused."""

    def identity(self, identity: Identity) -> Identity:
        return replace(identity, granularity="YYYY-MM-DD")

    def reinterpret(self, asked: Asked) -> Asked:
        if any(len(asked.arguments.get(name, "")) == _DAY_LENGTH for name in ("from", "until")):
            raise Refused("badArgument", "Invalid date format, YYYY-MM-DDThh:mm:ssZ expected")
        return asked


@dataclass
class OddGranularity(Fault):
    """A granularity that the protocol does not have."""

    granularity: str = "yyyy-mm-ddThh:mm:ssz"

    def identity(self, identity: Identity) -> Identity:
        return replace(identity, granularity=self.granularity)


@dataclass
class NakedStamps(Fault):
    """Datestamps without the Z."""

    def stamp(self, text: str) -> str:
        return text.removesuffix("Z")


@dataclass
class CompactStamps(Fault):
    """Datestamps as 20100113."""

    def stamp(self, text: str) -> str:
        return text[:_DAY_LENGTH].replace("-", "")


@dataclass
class StampsWithNewlines(Fault):
    """White space around every datestamp."""

    def stamp(self, text: str) -> str:
        return f"\n          {text}\n        "


@dataclass
class NoEarliest(Fault):
    """Identify has no earliestDatestamp."""

    def identity(self, identity: Identity) -> Identity:
        return replace(identity, earliest=None)


@dataclass
class WrongEarliest(Fault):
    """An earliestDatestamp that is not true: by default later than most records."""

    earliest: str | None = None

    def identity(self, identity: Identity) -> Identity:
        latest = max(each.stamp for each in self.server.items)
        return replace(identity, earliest=self.earliest or f"{latest:%Y-%m-%dT%H:%M:%SZ}")


@dataclass
class DatesFail(Fault):
    """A request with one of `arguments` brings an error page; of dates `length` characters long, if given."""

    status: int = 500
    arguments: tuple[str, ...] = ("from", "until")
    length: int | None = None
    is_reset: bool = False  # no page, but a connection that breaks

    def intercept(self, request: Request) -> Reply | None:
        dates = [request.arguments[name] for name in self.arguments if name in request.arguments]
        if not any(self.length in (None, len(date)) for date in dates):
            return None
        page = b"<!DOCTYPE html><html><head><title>Application error</title></head></html>"
        return Reply(self.status, page, content_type="text/html", reset=self.is_reset)
