"""Runs one command and writes down what it used: `python -I -S launcher.py USAGE COMMAND…`.

A process of its own, as small as Python gets: Linux counts what the parent held at the moment of exec
towards the child's peak memory, so a fat parent would hide a lean child.
"""

from __future__ import annotations

import os
import sys
import time


def main(usage: str, *command: str) -> None:
    """Write `wall cpu peak exit` of the command, children it waited for included, into the file `usage`."""
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            os.execvp(command[0], command)
        finally:
            os._exit(127)  # no such command: the shell's number for it
    _, status, used = os.wait4(child, 0)
    wall = time.monotonic() - started
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    with open(usage, "w", encoding="ascii") as out:
        out.write(f"{wall} {used.ru_utime + used.ru_stime} {peak} {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
