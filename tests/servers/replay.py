"""Recorded exchanges of real repositories, served again over HTTP exactly as they came."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from urllib.parse import parse_qsl, urlsplit

from tests.servers.http import Reply, Request, ScriptedServer

Question = tuple[tuple[str, str], ...]


class ReplayServer(ScriptedServer):
    """Serves the exchanges that `exchanges.dev.tsv` in `folder` lists, or those of one `host` only.

    A request is known by its query pairs in any order. Where the same one was recorded several times, the
    recordings come in their order and the last one goes on. What was never asked gets 404.
    """

    def __init__(self, folder: Path, *, host: str | None = None) -> None:
        super().__init__(self._replay, path="/oai")
        self._turn = Lock()
        self._recordings = _load(folder, host)

    def _replay(self, request: Request) -> Reply:
        with self._turn:
            recordings = self._recordings.get(_question(request.arguments.items()))
            if recordings is None:
                return Reply(404, f"Never recorded: {request.query}\n".encode(), content_type="text/plain")
            return recordings.pop(0) if len(recordings) > 1 else recordings[0]


def _load(folder: Path, host: str | None) -> dict[Question, list[Reply]]:
    recordings: dict[Question, list[Reply]] = defaultdict(list)
    with (folder / "exchanges.dev.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            address = urlsplit(row["url"])
            if host is None or address.hostname == host:
                question = _question(parse_qsl(address.query, keep_blank_values=True))
                recordings[question].append(_recording(folder, row))
    return dict(recordings)


def _recording(folder: Path, row: dict[str, str]) -> Reply:
    body = (folder / row["file"]).read_bytes()
    return Reply(int(row["status"]), body, content_type=row["content_type"] or None)


def _question(pairs: Iterable[tuple[str, str]]) -> Question:
    return tuple(sorted(pairs))
