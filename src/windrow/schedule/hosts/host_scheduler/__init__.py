"""Calls the programs of the host's schedulers: crontab, systemctl, launchctl, schtasks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from windrow.errors import HostError

_LIMIT_SECONDS = 30
_LONGEST_WORDS = 400
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program said."""

    code: int
    output: bytes
    words: str  # of its error output, on one line


def call(arguments: Sequence[str], given: bytes = b"", *, told: Mapping[str, str] = _NOTHING) -> Answer:
    """Run a program to its end; a `HostError` when it is not there, or does not end.

    `told` is set in its environment besides.
    """
    try:
        done = subprocess.run(
            arguments,
            input=given,
            capture_output=True,
            check=False,
            timeout=_LIMIT_SECONDS,
            env={**os.environ, "LC_ALL": "C", **told},  # its words are looked at
        )
    except FileNotFoundError as exc:
        raise HostError(f"There is no {arguments[0]} on this machine.") from exc
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise HostError(f"{arguments[0]} could not be run: {exc}.") from exc
    words = " ".join(done.stderr.decode("utf-8", "replace").split())[:_LONGEST_WORDS]
    return Answer(done.returncode, done.stdout, words)


def call_well(arguments: Sequence[str]) -> None:
    """Run a program that must end well."""
    answer = call(arguments)
    if answer.code:
        raise HostError(f"{arguments[0]} failed ({answer.code}): {answer.words or 'it did not say why'}.")
