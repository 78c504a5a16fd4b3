"""Takes the time: runs the contestants in turn, round after round, and keeps what each run used.

In turn, because a busy minute of the machine then falls on everybody. The spread between the best and
the worst round of the same command is the machine's noise, and is shown beside every number.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.errors import ContestantError

LIMIT_SECONDS = 1800.0
LAUNCHER = Path(__file__).with_name("launcher.py")
PROJECT = Path(__file__).resolve().parents[1]  # where the bench's own commands are found as modules
# What would send the children elsewhere than to the loopback server, or make Windrow another Windrow.
UNWANTED = ("http_proxy", "https_proxy", "all_proxy")


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run used. `reason` says why it failed; empty when it did not.

    `requests`, `body_bytes` and the server's CPU are what it asked of somebody, where that was counted.
    """

    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int
    reason: str = ""
    requests: int = 0
    body_bytes: int = 0
    server_cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Contestant:
    """Something that is timed.

    `prepare` gets an empty folder and gives the command, untimed. `check` looks at the folder afterwards
    and says what is wrong with the result, or nothing. `absent` says why it cannot run on this machine.
    """

    name: str
    prepare: Callable[[Path], Sequence[str]]
    check: Callable[[Path], str] = lambda _folder: ""
    absent: str = ""


@dataclass(slots=True)
class Result:
    """Every good run of one contestant, and why there are no more; a run that lost records is none."""

    name: str
    runs: list[Usage] = field(default_factory=list)
    fault: str = ""

    @property
    def is_good(self) -> bool:
        """Whether there is a number that counts."""
        return not self.fault and bool(self.runs)

    @property
    def wall_seconds(self) -> float:
        """The best round."""
        return min(run.wall_seconds for run in self.runs)

    @property
    def median_seconds(self) -> float:
        """The wall time of the middle round."""
        return median(run.wall_seconds for run in self.runs)

    @property
    def cpu_seconds(self) -> float:
        """The best round."""
        return min(run.cpu_seconds for run in self.runs)

    @property
    def peak_bytes(self) -> int:
        """The worst round; of the largest process where there are several."""
        return max(run.peak_bytes for run in self.runs)

    @property
    def requests(self) -> int:
        """The round with the most."""
        return max(run.requests for run in self.runs)

    @property
    def body_bytes(self) -> int:
        """The round with the most."""
        return max(run.body_bytes for run in self.runs)

    @property
    def server_cpu_seconds(self) -> float:
        """The best round."""
        return min(run.server_cpu_seconds for run in self.runs)

    @property
    def spread(self) -> float:
        """How far the wall times of the same work lie apart: slowest through quickest."""
        return max(run.wall_seconds for run in self.runs) / self.wall_seconds


def compare(contestants: Sequence[Contestant], folder: Path, *, rounds: int) -> list[Result]:
    """Run all of them `rounds` times in turn; who fails once is out. Results keep the given order."""
    results = [Result(contestant.name, fault=contestant.absent) for contestant in contestants]
    for number in range(rounds):
        for contestant, result in zip(contestants, results, strict=True):
            if not result.fault:
                say(f"  round {number + 1}/{rounds}  {contestant.name} …")
                _attempt(contestant, result, folder / f"run-{contestant.name.replace(' ', '-')}")
    return results


def _attempt(contestant: Contestant, result: Result, folder: Path) -> None:
    folder.mkdir(parents=True)
    try:
        usage = run(contestant.prepare(folder), folder)
        result.fault = f"fails: {usage.reason}" if usage.reason else contestant.check(folder)
        if not result.fault:
            result.runs.append(usage)
    except ContestantError as exc:
        result.fault = f"fails: {exc}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(command: Sequence[str], folder: Path, *, limit_seconds: float = LIMIT_SECONDS) -> Usage:
    """Run a command to its end and give what it used; its output is left in `folder` as stdout and stderr."""
    launch = [sys.executable, "-I", "-S", str(LAUNCHER), str(folder / "usage"), *command]
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        process = subprocess.Popen(
            launch,
            stdout=out,
            stderr=err,
            stdin=subprocess.DEVNULL,
            env=environment(),
            cwd=PROJECT,
            start_new_session=True,
        )
        try:
            process.wait(limit_seconds)
        except subprocess.TimeoutExpired:
            return Usage(0, 0, 0, f"not done after {limit_seconds:.0f} s")
        finally:
            _end(process)
    return _read_usage(folder)


def environment() -> dict[str, str]:
    """Give our environment without what would change the course."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.lower() not in UNWANTED and not name.startswith(("WINDROW_", "PYTHON"))
    }


def last_line(output: bytes) -> str:
    """Give the end of what a command said: where Python and most others put the reason."""
    lines = [line.strip() for line in output[-4096:].decode(errors="replace").splitlines() if line.strip()]
    return lines[-1][:160] if lines else "said nothing"


def say(text: str) -> None:
    """Tell the person waiting; results go to stdout, everything else here."""
    print(text, file=sys.stderr, flush=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        # The launcher leads a session of its own, so its number is also that of the group of all it started.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read_usage(folder: Path) -> Usage:
    wall, cpu, peak, code = (folder / "usage").read_text().split()
    reason = "" if code == "0" else f"exit {code}: {last_line((folder / 'stderr').read_bytes())}"
    return Usage(float(wall), float(cpu), int(peak), reason)
