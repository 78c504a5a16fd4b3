"""An upgrade under a running server: the server leaves the index to the new version, and says so once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tests.flows.commanding import WAIT_SECONDS, environment
from tests.flows.serving import Served, serving, stocked
from tests.flows.test_resume import until
from windrow.index.generations import Generations
from windrow.index.tantivy.live_index import LiveIndex

_NEWER = (
    "from windrow.index.tantivy import layout; layout.ROWS_REVISION += 1;"
    " from windrow.cli.main import main; main()"
)


def index_with_a_newer_version(folder: Path) -> bool:
    """Bring the index up to date as the next version of Windrow would; give whether it had to be built."""
    line = [sys.executable, "-c", _NEWER, "--library", str(folder), "index", "--json"]
    done = subprocess.run(
        line, capture_output=True, text=True, timeout=WAIT_SECONDS, env=environment(), check=True
    )
    built: bool = json.loads(done.stdout)["built"]
    return built


class Log:
    """What a server writes on stderr, read without waiting for more."""

    def __init__(self, server: Served) -> None:
        assert server.process.stderr is not None
        self._handle = server.process.stderr.fileno()
        self.text = b""
        os.set_blocking(self._handle, False)

    def tells(self, words: bytes) -> bool:
        """Whether it has written these words by now."""
        with suppress(BlockingIOError):
            while part := os.read(self._handle, 65_536):
                self.text += part
        return words in self.text


def test_a_server_and_jobs_of_a_newer_version_do_not_take_turns_in_building(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "library", records=30)
    generations = Generations(shelf.folder / "index")
    with serving(shelf.folder) as server:
        index = LiveIndex(generations.folder)
        until(lambda: index.is_ready)
        log = Log(server)
        assert index_with_a_newer_version(shelf.folder)
        of_the_newer = generations.current()
        until(lambda: log.tells(b"Restart this process"))
        assert not index_with_a_newer_version(shelf.folder)
        assert generations.current() == of_the_newer
        assert b"restarting the server" in server.ask("/status").body
        assert server.ask("/api/v1/search?q=*").status == 200
        server.stop()
        assert log.tells(b"")
        assert log.text.count(b"another version of Windrow") == 1
    with serving(shelf.folder):
        until(lambda: generations.current() != of_the_newer)
