"""What other programs read from the same files: pdfinfo, exiftool, file."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.fixtures import missing

WAIT_SECONDS = 120


def pdfinfo(path: Path) -> dict[str, str]:
    """What a PDF says of itself, by pdfinfo's names."""
    lines = _run("pdfinfo", "-isodates", "-enc", "UTF-8", str(path)).splitlines()
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def exiftool(paths: Sequence[Path], *tags: str) -> list[dict[str, str]]:
    """What files say of themselves: for each of them tags with what they are worth, as text."""
    wanted = [f"-{tag}" for tag in tags]
    found = json.loads(_run("exiftool", "-json", "-n", *wanted, *map(str, paths)))
    return [{name: str(value) for name, value in each.items()} for each in found]


def encodings(paths: Sequence[Path]) -> list[str]:
    """The encoding of each file, as `file` guesses it."""
    return _run("file", "--brief", "--mime-encoding", *map(str, paths)).splitlines()


def _run(program: str, *arguments: str) -> str:
    if shutil.which(program) is None:
        missing(f"{program} is not installed")
    # They complain of broken files, and say all the same what they could read of them.
    done = subprocess.run(
        [program, *arguments],
        capture_output=True,
        timeout=WAIT_SECONDS,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return done.stdout.decode("utf-8", "replace")
