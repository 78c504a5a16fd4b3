"""The repository on the wire: nginx, a child of ours on a loopback port, serving a `pages.Site`.

Static files from a C server leave the machine to the harvesters. The access log counts their requests.
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
# The map's key is every argument that matters; anything it does not name is answered 400.
CONFIG = """\
daemon off;
master_process off;
pid {run}/nginx.pid;
error_log {run}/error.log warn;
events {{ worker_connections 64; }}
http {{
    client_body_temp_path {run}/body;
    proxy_temp_path {run}/proxy;
    fastcgi_temp_path {run}/fastcgi;
    uwsgi_temp_path {run}/uwsgi;
    scgi_temp_path {run}/scgi;
    log_format line '$status $body_bytes_sent $request_uri';
    access_log {run}/access.log line;
    default_type 'text/xml; charset=utf-8';
    types {{ }}
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    map "$arg_verb:$arg_metadataPrefix:$arg_resumptionToken:$arg_from" $answer {{
        default "";
        "Identify:::" /Identify.xml;
        "ListSets:::" /ListSets.xml;
        "ListMetadataFormats:::" /ListMetadataFormats.xml;
        "ListRecords:oai_dc::" /p0.xml;
        "~^ListRecords:oai_dc::." /nothing.xml;
        "~^ListRecords::(?<page>p[0-9]+):$" /$page.xml;
    }}
    server {{
        listen {host}:{port};
        root {site};
        location = /oai {{
            if ($answer = "") {{ return 400; }}
            try_files $answer =404;
        }}
        location = /mark {{ return 204; }}
        location / {{ return 404; }}
    }}
}}
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
        # nginx logs in the order in which it finishes: once the mark is answered, all before it is written.
        _ask(self.port, "/mark")
        return sum(" /oai" in line for line in self.log.read_text().splitlines())


def executable() -> str:
    """Give the path of nginx, or raise SetupError."""
    found = shutil.which("nginx") or next((place for place in PLACES if Path(place).exists()), None)
    if found is None:
        raise SetupError("The bench serves its pages with nginx; install it with `apt-get install nginx`.")
    return found


@contextmanager
def serve(site: Site, run: Path) -> Iterator[Served]:
    """Serve a site until the block ends; `run` is a folder for the configuration and the logs."""
    run.mkdir(parents=True, exist_ok=True)
    process, port = _start(site, run)
    try:
        yield Served(site, port, run / "access.log")
    finally:
        _stop(process)


def _start(site: Site, run: Path) -> tuple[subprocess.Popen[bytes], int]:
    for _ in range(PORT_TRIES):  # somebody may take the port between our finding it and nginx's binding it
        port = _free_port()
        config = run / "nginx.conf"
        config.write_text(CONFIG.format(run=run, host=HOST, port=port, site=site.folder))
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
