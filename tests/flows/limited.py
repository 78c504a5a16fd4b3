"""Commands that run another where it cannot write: read-only mounts, missing permissions, full disks.

Mounts are seen by nobody else, and end with the command.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.fixtures import missing
from tests.flows.commanding import WAIT_SECONDS, environment

_MAIN = "from windrow.cli.main import main; main()"
_RIGHTS = "-dac_override,-dac_read_search"  # what lets root write where permissions do not


def _mounted(script: str, *arguments: str) -> list[str]:
    command = ["unshare", "--mount", "sh", "-c", f'{script} && shift {len(arguments)} && exec "$@"', "sh"]
    tried = subprocess.run([*command, *arguments, "true"], capture_output=True, check=False)
    if tried.returncode:
        missing(f"mounts are not allowed here: {tried.stderr.decode()}")
    return [*command, *arguments]


def read_only(folder: Path) -> list[str]:
    """The folder is on a file system that is read-only."""
    return _mounted('mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"', str(folder))


def full(folder: Path, size: str) -> list[str]:
    """The folder is on a disk of its own that has only so much room."""
    return _mounted('mount -t tmpfs -o size="$2" none "$1"', str(folder), size)


def unprivileged() -> list[str]:
    """Permissions hold, whoever runs the tests."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--bounding-set={_RIGHTS}", f"--inh-caps={_RIGHTS}"]


def run(within: Sequence[str], *arguments: str, output: str = "") -> subprocess.CompletedProcess[str]:
    """Run Windrow within such a command; what it prints goes to a file, where one is named."""
    command = [*within, sys.executable, "-c", _MAIN, *arguments]
    with open(output or os.devnull, "wb") as file:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=file if output else subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=WAIT_SECONDS,
            env=environment(),
            check=False,
        )
