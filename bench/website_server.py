"""The web site on the wire: nginx with the files, and beside them a page that lists every one.

After `website`; what wget is set on. The list lies outside the folder, so that it is no file of the site.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import nginx, process_tree, website

SEED = "/everything.html"
LOCATIONS = """\
        root {folder};
        types {{
            text/html html; image/gif gif; image/jpeg jpg; image/png png; application/pdf pdf; text/plain txt;
        }}
        location = {path} {{ alias {seed}; }}
"""


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a server has answered so far."""

    requests: int
    body_bytes: int

    def since(self, earlier: Traffic) -> Traffic:
        """Give what came after an earlier look."""
        return Traffic(self.requests - earlier.requests, self.body_bytes - earlier.body_bytes)


@dataclass(frozen=True, slots=True)
class WebServer:
    """nginx with a site."""

    site: website.Website
    seed: Path
    pid: int
    port: int
    log: Path

    def write_seed(self) -> None:
        """List the site anew: a page that is made when asked for is as new as the last change."""
        self.seed.write_bytes(website.seed_page(entry.path for entry in self.site.entries))

    def used(self) -> process_tree.Used:
        """What it has used since it started."""
        return process_tree.used(self.pid)

    def traffic(self) -> Traffic:
        """What it has answered since it started."""
        lines = [line.split(" ", 2) for line in nginx.read_log(self.port, self.log)]
        answers = [int(size) for _status, size, path in lines if path != "/mark"]
        return Traffic(len(answers), sum(answers))


@contextmanager
def serve(site: website.Website, run: Path) -> Iterator[WebServer]:
    """Serve a site until the block ends; `run` is a folder for the configuration, the list and the logs."""
    run.mkdir(parents=True, exist_ok=True)
    seed = run / "everything.html"
    locations = LOCATIONS.format(folder=site.folder, path=SEED, seed=seed)
    with nginx.started(run, locations=locations) as (pid, port):
        server = WebServer(site, seed, pid, port, run / "access.log")
        server.write_seed()
        yield server
