"""The ground of the web site experiment: nginx and the repository over the same folder, near or far.

After `website_server` and `windrow`, before the part `modoai`. Where Windrow cannot offer the folder, the
reason is kept and the others still run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

from bench import measure, process_tree, servers, website, website_server, windrow
from bench.errors import ContestantError
from bench.website_server import Traffic

TICK_SECONDS = 1.1  # HTTP and OAI-PMH tell times apart by the second
FIRST_SCAN, IDLE_SCAN, TOUCHED_SCAN = "everything new", "nothing new", "a quarter touched"


class Side(Protocol):
    """A server that counts what is asked of it."""

    def used(self) -> process_tree.Used:
        """What it has used since it started."""
        ...

    def traffic(self) -> Traffic:
        """What it has answered since it started."""
        ...


@dataclass(frozen=True, slots=True)
class Repository:
    """`windrow serve` over the folder; its access log is in the combined format."""

    server: servers.Server
    log: Path

    def used(self) -> process_tree.Used:
        """What it has used since it started."""
        return self.server.used()

    def traffic(self) -> Traffic:
        """What it has answered since it started."""
        urlopen(urljoin(self.server.url, "/health"), timeout=30).close()  # all before it is in the log then
        # 127.0.0.1 - - [date] "GET /oai/… HTTP/1.1" 200 1234 "-" "agent"
        lines = [line.split('"') for line in self.log.read_text().splitlines()]
        sizes = [line[2].split()[1] for line in lines if " /oai" in line[1]]
        return Traffic(len(sizes), sum(int(size) for size in sizes if size.isdigit()))


@dataclass(slots=True)
class Ground:
    """Both servers and their addresses. `fault` says why there is no repository."""

    site: website.Website
    web: website_server.WebServer
    web_url: str
    folder: Path
    publisher: Path
    oai: Repository | None = None
    oai_url: str = ""
    fault: str = ""
    scans: dict[str, measure.Result] = field(default_factory=dict)

    def touch(self) -> set[str]:
        """Change a quarter of the site, let the list and the repository know, and give the paths."""
        time.sleep(TICK_SECONDS)
        paths = self.site.touch()
        self.web.write_seed()
        time.sleep(
            TICK_SECONDS
        )  # or what was written in the second of the look counts as news next time, too
        self.scan(TOUCHED_SCAN)
        time.sleep(TICK_SECONDS)
        return paths

    def scan(self, name: str) -> None:
        """Let the repository look at the folder, timed under this name."""
        if self.fault:
            return
        scratch = self.folder / "scan"
        scratch.mkdir(exist_ok=True)
        usage = measure.run(windrow.command(self.publisher, "harvest", "--json"), scratch)
        result = self.scans.setdefault(name, measure.Result(name))
        result.fault = result.fault or usage.reason
        result.runs.append(usage)
        self.fault = usage.reason and f"fails: the scan: {usage.reason}"


@contextmanager
def prepared(site: website.Website, folder: Path) -> Iterator[Ground]:
    """Serve the site both ways until the block ends."""
    with ExitStack() as stack:
        web = stack.enter_context(website_server.serve(site, folder / "nginx"))
        ground = Ground(site, web, f"http://127.0.0.1:{web.port}", folder, folder / "publisher")
        try:
            windrow.publish(ground.publisher, site.folder, website.PUBLIC_URL)
            ground.scan(FIRST_SCAN)
            ground.scan(IDLE_SCAN)
            log = folder / "oai.log"
            serving = windrow.serving(ground.publisher, folder / "serve", "--access-log", str(log))
            ground.oai = Repository(stack.enter_context(serving), log)
            ground.oai_url = ground.oai.server.url
        except ContestantError as exc:
            ground.fault = f"fails: {exc}"
        yield ground


@contextmanager
def distant(ground: Ground, seconds: float) -> Iterator[Ground]:
    """Give the same ground with a round trip of so many seconds between it and who asks."""
    if not seconds:
        yield ground
        return
    with ExitStack() as stack:
        web_url = stack.enter_context(_delayed(ground.web_url, seconds, ground.folder / "delay-web"))
        oai_url = ground.oai_url and stack.enter_context(
            _delayed(ground.oai_url, seconds, ground.folder / "delay-oai")
        )
        yield replace(ground, web_url=web_url, oai_url=oai_url)


@contextmanager
def _delayed(url: str, seconds: float, folder: Path) -> Iterator[str]:
    parts = urlsplit(url)
    command = [sys.executable, "-m", "bench.delay", str(parts.port), str(seconds)]
    with servers.running(command, folder) as server:
        yield server.url + parts.path
