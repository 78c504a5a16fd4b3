"""An application as `windrow serve` has it, over a repository that a test can make say anything."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.servers.asgi import AsgiServer
from windrow.demo.thesis_repository import Repository as Demo
from windrow.errors import NotFound
from windrow.web.app import FrontEnd, ServerOptions, WebApplication
from windrow.web.front_ends import HealthCheck
from windrow.web.http.access_log import AccessLog
from windrow.web.http.http_request import HttpRefusal, Request
from windrow.web.http.http_response import Response, text_response
from windrow.web.layout.site import SiteAddress, serve_asset
from windrow.web.oai.oai_front_end import OaiFrontEnd
from windrow.web.robots_txt import RobotsTxt

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
Pairs = Sequence[tuple[str, str]]


@dataclass
class Repository:
    """The demo's theses at "" and "demo"; notes what it was asked. `say` answers instead, where given."""

    demo: Demo = field(default_factory=lambda: Demo(120, page_size=20))
    say: Callable[[Pairs], bytes] | None = None
    is_always_slow: bool = False
    asked: list[tuple[str, list[tuple[str, str]], tuple[str, str] | None]] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)

    def meant(self, name: str, pairs: Pairs) -> Pairs:
        return pairs

    def is_slow(self, name: str, pairs: Pairs) -> bool:
        return self.is_always_slow

    def answer(self, name: str, pairs: Pairs, *, credentials: tuple[str, str] | None) -> bytes:
        self.asked.append((name, list(pairs), credentials))
        self.threads.append(threading.get_ident())
        if name not in ("", "demo"):
            raise NotFound(f"there is no source or collection {name!r}")
        return self.say(pairs) if self.say else self.demo.answer(list(pairs))


def look() -> Mapping[str, object]:
    return {}


async def home(request: Request, rest: str) -> Response:
    """A first page, and nothing anywhere else."""
    if rest.strip("/"):
        raise HttpRefusal(404, "There is nothing at this address.")
    return text_response(200, "home")


@contextmanager
def staged(
    repository: Repository | None = None,
    *,
    manners: ServerOptions | None = None,
    path: str = "",
    look: Callable[[], Mapping[str, object]] = look,
    access_log: AccessLog | None = None,
    clock: Callable[[], float] = lambda: 0.0,
    protocol: Any = "auto",
) -> Iterator[AsgiServer]:
    """Serve it; `path` is where it is for the world."""
    with AsgiServer(protocol=protocol) as server:
        site = SiteAddress(f"https://library.example{path}", "Theses & more")
        faces: dict[str, FrontEnd] = {
            "": home,
            "oai": OaiFrontEnd(repository or Repository(), site=site),
            "static": serve_asset,
            "health": HealthCheck(look),
            "robots.txt": RobotsTxt(f"{site.url}/oai"),
        }
        server.application = WebApplication(
            faces, site=site, manners=manners, access_log=access_log, clock=clock
        )
        yield server
