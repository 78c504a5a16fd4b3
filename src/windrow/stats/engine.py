"""The JavaScript engine that draws charts, in a process of its own."""

from __future__ import annotations

import json
import logging

from windrow.errors import CannotDraw
from windrow.side_process import SideProcess

JOB_SECONDS = 30.0  # a chart takes a twentieth of one; what takes so long never ends
IDLE_SECONDS = 600.0  # what was drawn is kept, so that most libraries seldom need the 100 MB of it
_CHILD = "windrow.stats.engine_child"
logger = logging.getLogger("windrow.stats")


class Engine(SideProcess):
    """Draws one chart at a time."""

    def __init__(self, *, seconds: float = JOB_SECONDS, idle_seconds: float = IDLE_SECONDS) -> None:
        super().__init__(_CHILD, seconds=seconds, idle_seconds=idle_seconds)

    def ask(self, **job: object) -> bytes:
        """Give what came of a job; CannotDraw where nothing did."""
        word, body = self.exchange(json.dumps(job).encode() + b"\n")
        if word == b"ok":
            return body
        if self.is_closed:
            raise CannotDraw("charts are not drawn any more")
        logger.warning("a chart could not be drawn: %s", body.decode("utf-8", "replace"))
        raise CannotDraw("a chart could not be drawn")
