"""A real Apache on the loopback, for comparing its answers with ours."""

from __future__ import annotations

import os
import select
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from tests.fixtures import missing

MODULES = Path("/usr/lib/apache2/modules")
NEEDED = (
    *("mpm_prefork", "access_compat", "auth_basic", "authn_core", "authn_file", "authz_core", "authz_host"),
    *("authz_user", "authz_groupfile", "mime", "autoindex", "version", "cgi", "rewrite", "alias"),
    *("headers", "expires", "setenvif", "env", "dir", "filter", "deflate", "negotiation", "include"),
    *("actions", "substitute", "authz_owner"),
)
CONFIGURATION = """\
ServerRoot {place}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {place}/pid
ErrorLog {place}/errors
DefaultRuntimeDir {place}
{modules}
{person}
StartServers 1
MaxKeepAliveRequests 0
TypesConfig /dev/null
DocumentRoot {root}
<Directory />
  AllowOverride None
</Directory>
<Directory {root}>
  AllowOverride All
  Options All
  Require all granted
</Directory>
"""


class Apache:
    """A running server: what it answers for a path and somebody's credentials."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=30)

    def get(self, path: str, authorization: str | None) -> tuple[int, bytes]:
        headers = {"User-Agent": "stranger"}
        headers |= {} if authorization is None else {"Authorization": authorization}
        for _ in range(2):  # some answers are no HTTP, and may spoil the connection for the next one
            try:
                self._connection.request("GET", "/" + quote(path), headers=headers)
                answer = self._connection.getresponse()
                return answer.status, answer.read()
            except (HTTPException, ConnectionError):
                self._connection.close()
        return 0, b""

    def __enter__(self) -> Apache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()


@contextmanager
def folder_for_all() -> Iterator[Path]:
    """Give a folder that the server's own user can reach; those of pytest are for us alone."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place).resolve()


@contextmanager
def serve(root: Path, place: Path) -> Iterator[Apache]:
    """Serve a folder; what the server needs to write goes into another."""
    program = shutil.which("apache2")
    if program is None or not MODULES.is_dir():
        missing("no Apache is installed")
    configuration = place / "httpd.conf"
    command = [str(program), "-f", str(configuration), "-k"]
    for _ in range(5):  # the port may be taken between our look and its use
        port = _free_port()
        configuration.write_text(_configuration(root, place, port))
        # It comes back once it listens: connections wait in line from then on.
        started = subprocess.run([*command, "start"], capture_output=True, check=False)
        if started.returncode == 0:
            break
    else:
        raise AssertionError(started.stderr.decode())
    with Apache(port) as server:
        server.get("", None)  # once it answers, it has said who it is
        ended = os.pidfd_open(int((place / "pid").read_text()))
        try:
            yield server
        finally:
            subprocess.run([*command, "stop"], capture_output=True, check=True)
            select.select([ended], [], [])  # until then it may write into its folder
            os.close(ended)


def _configuration(root: Path, place: Path, port: int) -> str:
    modules = [name for name in NEEDED if (MODULES / f"mod_{name}.so").exists()]
    lines = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in modules)
    person = "User nobody\nGroup nogroup" if os.geteuid() == 0 else ""
    return CONFIGURATION.format(root=root, place=place, port=port, modules=lines, person=person)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
