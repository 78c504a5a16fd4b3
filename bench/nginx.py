"""What is on the wire: nginx, a child of ours on a loopback port; here with a `pages.Site` as a repository.

Static files from a C server leave the machine to the harvesters. The access log counts their requests.
`website_server` starts it with a configuration of its own.
"""

from __future__ import annotations

import http.client
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.errors import SetupError
from bench.pages import Site

HOST = "127.0.0.1"
READY_SECONDS = 10.0
STOP_SECONDS = 10.0
PORT_TRIES = 5
PLACES = ("/usr/sbin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx")  # often not on a user's PATH

# No master process: one pid to stop, and no change of user that would lock a root-owned folder away.
COMMON = """\
daemon off;
master_process off;
pid {run}/nginx.pid;
error_log {run}/error.log warn;
events {{ worker_connections {connections}; }}
http {{
    client_body_temp_path {run}/body;
    proxy_temp_path {run}/proxy;
    fastcgi_temp_path {run}/fastcgi;
    uwsgi_temp_path {run}/uwsgi;
    scgi_temp_path {run}/scgi;
    log_format line '$status $body_bytes_sent $request_uri';
    access_log {run}/access.log line;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    server {{
        listen {host}:{port};
        location = /mark {{ return 204; }}
{locations}
    }}
{maps}
}}
"""
# The map's key is every argument that matters; anything it does not name is answered 400.
MAP = """\
    map "$arg_verb:$arg_metadataPrefix:$arg_resumptionToken:$arg_from" $answer {
        default "";
        "Identify:::" /Identify.xml;
        "ListSets:::" /ListSets.xml;
        "ListMetadataFormats:::" /ListMetadataFormats.xml;
        "ListRecords:oai_dc::" /p0.xml;
        "~^ListRecords:oai_dc::." /nothing.xml;
        "~^ListRecords::(?<page>p[0-9]+):$" /$page.xml;
    }
"""
LOCATIONS = """\
        root {site};
        default_type 'text/xml; charset=utf-8';
        types {{ }}
        location = /oai {{
            if ($answer = "") {{ return 400; }}
            try_files $answer =404;
        }}
        location / {{ return 404; }}
"""


@dataclass(frozen=True, slots=True)
class Served:
    """A site that can be harvested now."""

    site: Site
    port: int
    log: Path

    @property
    def url(self) -> str:
        """The OAI-PMH base URL."""
        return f"http://{HOST}:{self.port}/oai"

    def requests(self) -> int:
        """Count the OAI-PMH requests answered so far."""
        return sum(" /oai" in line for line in read_log(self.port, self.log))


def executable() -> str:
    """Give the path of nginx, or raise SetupError."""
    found = shutil.which("nginx") or next((place for place in PLACES if Path(place).exists()), None)
    if found is None:
        raise SetupError("The bench serves its pages with nginx; install it with `apt-get install nginx`.")
    return found


@contextmanager
def serve(site: Site, run: Path) -> Iterator[Served]:
    """Serve a site until the block ends; `run` is a folder for the configuration and the logs."""
    with started(run, locations=LOCATIONS.format(site=site.folder), maps=MAP) as (_pid, port):
        yield Served(site, port, run / "access.log")


@contextmanager
def started(run: Path, *, locations: str, maps: str = "", connections: int = 64) -> Iterator[tuple[int, int]]:
    """Run nginx with these locations until the block ends; give its process number and its port."""
    run.mkdir(parents=True, exist_ok=True)
    blanks = {"run": run, "host": HOST, "connections": connections, "locations": locations, "maps": maps}
    process, port = _start(run, blanks)
    try:
        yield process.pid, port
    finally:
        _stop(process)


def read_log(port: int, log: Path) -> list[str]:
    """Give the lines of the access log, every request that was answered before this call among them."""
    # nginx logs in the order in which it finishes: once the mark is answered, all before it is written.
    _ask(port, "/mark")
    return log.read_text().splitlines()


def _start(run: Path, blanks: dict[str, object]) -> tuple[subprocess.Popen[bytes], int]:
    for _ in range(PORT_TRIES):  # somebody may take the port between our finding it and nginx's binding it
        port = _free_port()
        config = run / "nginx.conf"
        config.write_text(COMMON.format(port=port, **blanks))
        # -e: without it nginx complains about the system's own log file before it has read ours.
        command = [executable(), "-e", str(run / "error.log"), "-c", str(config), "-p", str(run)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if _is_ready(process, port):
            return process, port
        _stop(process)
    reason = (run / "error.log").read_text().strip() if (run / "error.log").exists() else ""
    raise SetupError(f"nginx did not start: {reason[-500:] or 'it did not say why'}")


def _is_ready(process: subprocess.Popen[bytes], port: int) -> bool:
    deadline = time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            _ask(port, "/mark")
        except OSError:
            time.sleep(0.02)
        else:
            return process.poll() is None
    return False


def _ask(port: int, path: str) -> None:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", path)
        connection.getresponse().read()
    finally:
        connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
