"""What `--print-config` prints works: in a real nginx and a real Apache in front of a real server."""

from __future__ import annotations

import http.client
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path

import pytest

from tests.fixtures import missing
from tests.flows import crawled
from tests.flows.commanding import windrow
from tests.flows.harvesting import Shelf
from tests.flows.serving import Served, serving, stocked
from tests.servers.asgi import ask
from tests.unit.web.stage import BROWSER

PLACES = ("/usr/sbin", "/usr/local/sbin", "/usr/bin", "/opt/homebrew/bin")
NGINX = """\
daemon off;
master_process off;
pid {run}/nginx.pid;
error_log {run}/error.log;
events {{ worker_connections 64; }}
http {{
    client_body_temp_path {run}/body;
    proxy_temp_path {run}/proxy;
    fastcgi_temp_path {run}/fastcgi;
    uwsgi_temp_path {run}/uwsgi;
    scgi_temp_path {run}/scgi;
    access_log off;
    server {{
        listen 127.0.0.1:{port};
        root {run};
        {snippet}
    }}
}}
"""
APACHE = """\
ServerRoot {run}
ServerName localhost
PidFile {run}/apache.pid
ErrorLog {run}/error.log
{modules}
Listen 127.0.0.1:{port}
DocumentRoot {run}
{snippet}
"""
APACHE_MODULES = ("mpm_event", "authz_core", "proxy", "proxy_http")


def _program(*names: str) -> str:
    for name in names:
        for folder in (None, *PLACES):
            found = shutil.which(name, path=folder)
            if found:
                return found
    missing(f"{names[0]} is not on this machine")
    raise AssertionError  # not reached


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return stocked(tmp_path_factory.mktemp("library") / "theses", records=30)


def _snippet(shelf: Shelf, proxy: str, port: int, url: str) -> str:
    result = windrow(shelf, "serve", "--print-config", proxy, "--port", str(port), "--url", url)
    assert result.returncode == 0, result.stderr
    return result.stdout


@contextmanager
def _running(command: list[str], port: int, log: Path) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        while True:
            try:
                ask(port, "/robots.txt")
                break
            except (ConnectionError, http.client.HTTPException):
                said = log.read_text() if log.exists() else ""
                assert process.poll() is None, (process.communicate()[1], said)
        yield
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def _nginx(run: Path, port: int, snippet: str) -> Iterator[None]:
    config = run / "nginx.conf"
    config.write_text(NGINX.format(run=run, port=port, snippet=snippet))
    command = [_program("nginx"), "-e", str(run / "error.log"), "-p", str(run), "-c", str(config)]
    tested = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stderr
    with _running(command, port, run / "error.log"):
        yield


@contextmanager
def _apache(run: Path, port: int, snippet: str) -> Iterator[None]:
    program = _program("apache2", "httpd")
    modules = Path("/usr/lib/apache2/modules")
    if not modules.is_dir():
        missing("Apache's modules are not where they are looked for")
    loads = "\n".join(f"LoadModule {name}_module {modules}/mod_{name}.so" for name in APACHE_MODULES)
    config = run / "apache.conf"
    config.write_text(APACHE.format(run=run, port=port, modules=loads, snippet=snippet))
    tested = subprocess.run([program, "-t", "-f", str(config)], capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stderr
    with _running([program, "-X", "-f", str(config)], port, run / "error.log"):
        yield


PROXIES = {"nginx": _nginx, "apache": _apache}


@contextmanager
def _behind(proxy: str, shelf: Shelf, run: Path, path: str) -> Iterator[tuple[int, str, Served]]:
    """A server behind a proxy at a path; gives the proxy's port and the public address."""
    _program(*(("nginx",) if proxy == "nginx" else ("apache2", "httpd")))
    (run / "index.html").write_text("the site's own page")
    port = _free_port()
    url = f"http://127.0.0.1:{port}{path}"
    with (
        serving(shelf.folder, "--url", url, "--access-log", str(run / "access.log")) as server,
        PROXIES[proxy](run, port, _snippet(shelf, proxy, server.port, url)),
    ):
        yield port, url, server


@pytest.mark.parametrize("path", ["", "/library", "/a.b/c"])
@pytest.mark.parametrize("proxy", list(PROXIES))
def test_the_printed_lines_put_the_repository_behind_a_web_server(
    proxy: str, path: str, shelf: Shelf, tmp_path: Path
) -> None:
    with _behind(proxy, shelf, tmp_path, path) as (port, url, _):
        got = ask(port, f"{path}/oai?verb=Identify", headers={"X-Forwarded-For": "192.0.2.1"})
        assert f"<baseURL>{url}/oai</baseURL>" in got.text
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        posted = ask(port, f"{path}/oai/theses", "POST", body=b"verb=ListSets", headers=form)
        assert b"<ListSets>" in posted.body
        page = ask(port, f"{path}/oai", headers=BROWSER).text
        style = page.partition('<link rel="stylesheet" href="')[2].partition('"')[0]
        assert ask(port, style).headers["content-type"].startswith("text/css")
        moved = ask(port, f"{path}/oai/-/go?verb=Identify&set=")
        assert (moved.status, moved.headers["location"]) == (303, f"{path}/oai?verb=Identify")
        assert ask(port, f"{path}/oaix").status == 404
        for ours in ("/gateway/", "/sitemap.xml", "/search.csv", "/.well-known/resourcesync"):
            assert ask(port, path + ours).status == 200
        assert ask(port, "/index.html").text == "the site's own page"
    # The proxy's client is on this machine too, and so trusted to forward for somebody.
    assert (tmp_path / "access.log").read_text().startswith("192.0.2.1 - - [")


@pytest.mark.parametrize("proxy", list(PROXIES))
def test_every_odd_identifier_arrives_as_it_is(proxy: str, tmp_path: Path) -> None:
    stock = crawled.stocked(tmp_path / "odd", hay=0, oats=0)
    with _behind(proxy, Shelf(stock.folder), tmp_path, "/library") as (port, url, _):
        for path in stock.live:
            got = ask(port, f"/library{path}")
            assert (got.status, path) == (200, path)
            assert f'rel="canonical" href="{url}{path}"' in unescape(got.text)


@pytest.mark.parametrize("proxy", list(PROXIES))
def test_the_printed_lines_name_what_else_to_set(proxy: str, shelf: Shelf) -> None:
    said = _snippet(shelf, proxy, 8000, "https://www.example.edu")
    assert '#   url = "https://www.example.edu"' in said
    assert "#   # OAI-PMH: https://www.example.edu/oai" in said
