"""A page followed as a person would: its commands typed in order, its outputs compared with what comes.

Console blocks are run in one shell. Blocks marked `terminal=2` are a second terminal, in which the demo
repository runs. In a documented output, `…` stands for anything within a line, and alone for any lines.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.docs.markdown import Block, Page

_MARK = "@@ that was it:"
_PORT = re.compile(r"--port \d+")
_ELSEWHERE = "terminal=2"
# Lines that come now and then where there is no terminal: how many depends on the machine.
_PROGRESS = re.compile(r"[\w.-]+: [\d,]+( of [\d,]+)? (\(.+/s|entries, )")


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what the page says comes of it."""

    command: str
    expected: str


def follow(page: Page, folder: Path, addresses: Mapping[str, str]) -> None:
    """Do everything a page says, in a folder; fail where something else comes of it.

    `addresses` says what really stands for the addresses in the page; a second terminal adds its own.
    """
    known = dict(addresses)
    with _shell(folder) as shell, _terminal(folder) as other:
        for block in page.blocks:
            if _ELSEWHERE in block.words:
                known |= other.do(block)
            elif block.language == "console":
                for step in steps(block):
                    _take(page, shell, step, known)


def _take(page: Page, shell: Shell, step: Step, known: Mapping[str, str]) -> None:
    code, output = shell.run(_put(step.command, known))
    told = f"{page}: $ {step.command}\n{output}"
    assert code == 0, f"exit code {code} from {told}"
    assert is_like(output, _put(step.expected, known)), f"{told}\n-- but the page says --\n{step.expected}"


def steps(block: Block) -> list[Step]:
    """Give the commands of a console block with what stands below each."""
    found = re.split(r"^\$ ", block.text.replace("\\\n", " "), flags=re.MULTILINE)
    parted = (part.partition("\n") for part in found[1:])
    return [Step(command.strip(), expected) for command, _, expected in parted]


def is_like(output: str, expected: str) -> bool:
    """Whether an output is the documented one. Nothing documented means: anything."""
    if not expected.strip():
        return True
    lines = [
        "(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + " *\n"
        for line in expected.strip("\n").split("\n")
    ]
    return re.fullmatch("".join(lines), output.strip("\n") + "\n") is not None


def _put(text: str, known: Mapping[str, str]) -> str:
    for documented, real in known.items():
        text = text.replace(documented, real)
    return text


class Shell:
    """A shell that is told one command after another."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, command: str) -> tuple[int, str]:
        """Give the exit code of a command, and all it said."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{{ {command}\n}} < /dev/null\necho; echo '{_MARK}' $?\n")
        stdin.flush()
        said: list[str] = []
        for line in stdout:
            if line.startswith(_MARK):
                return int(line.removeprefix(_MARK)), "".join(said)
            said += [] if _PROGRESS.match(line) else [line]
        raise AssertionError(f"the shell ended at: {command}")


class Elsewhere:
    """The second terminal: one program that is started, then typed to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.process: subprocess.Popen[str] | None = None

    def do(self, block: Block) -> dict[str, str]:
        """Start the program, or type to it; give what the first line it says stands for in the page."""
        lines = block.text.splitlines()
        if lines[0].startswith("$ "):
            command = lines[0].removeprefix("$ ").replace("python ", f"exec {sys.executable} ", 1)
            command = _PORT.sub("--port 0", command)  # the documented one may be taken on this machine
            self.process = _start(["sh", "-c", command], self._folder)
            return {lines[1]: self._read()}
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(lines[0] + "\n")
        self.process.stdin.flush()
        assert [self._read() for _ in lines[1:]] == lines[1:]
        return {}

    def _read(self) -> str:
        assert self.process is not None
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


def _start(command: list[str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        cwd=folder,
        env=_environment(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )


def _environment(folder: Path) -> dict[str, str]:
    """What a new user has: the program on the path, and nothing set that would change it."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("WINDROW_", "COVERAGE"))
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return kept | {"PATH": path, "HOME": str(folder), "PYTHONUTF8": "1", "NO_COLOR": "1"}


@contextmanager
def _shell(folder: Path) -> Iterator[Shell]:
    with _start(["sh"], folder) as process:
        yield Shell(process)


@contextmanager
def _terminal(folder: Path) -> Iterator[Elsewhere]:
    terminal = Elsewhere(folder)
    try:
        yield terminal
    finally:
        if terminal.process is not None:
            with terminal.process:
                terminal.process.terminate()
