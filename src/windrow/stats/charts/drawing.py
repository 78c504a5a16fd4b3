"""Charts drawn: Vega-Lite to SVG and PNG on this machine, without a network. What was drawn is kept.

A specification holds its data, so the same one always gives the same picture: nothing that is kept grows old.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from threading import Lock

from windrow.stats.charts.frame import Spec
from windrow.stats.charts.practice import practice
from windrow.stats.cleaning import clean_svg, without_roles
from windrow.stats.engine import Engine
from windrow.stats.linking import unlinked, ways_of
from windrow.stats.palette import printed
from windrow.stats.words import ENGLISH, Numbers

MOST_KEPT = 200  # drawings, some 20 KB each
PNG_SCALE = 2.0


class Drawer:
    """Draws, and keeps what it drew. Used by many threads at once."""

    def __init__(self, engine: Engine | None = None, *, most: int = MOST_KEPT) -> None:
        self.engine = engine or Engine()
        self._most = most
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._turn = Lock()

    def svg(self, spec: Spec, *, numbers: Numbers = ENGLISH.numbers, name: str = "chart") -> str:
        """Give a chart as markup for a page, with ids that begin with `name`; CannotDraw where it fails."""

        def make() -> bytes:
            drawn = self.engine.ask(do="svg", spec=unlinked(spec), numbers=numbers)
            description = str(spec.get("description", ""))
            return clean_svg(drawn, name=name, description=description, ways=ways_of(spec)).encode()

        return self._known(make, spec, numbers, name).decode()

    def file(self, spec: Spec, *, numbers: Numbers = ENGLISH.numbers) -> bytes:
        """Give a chart as an SVG file: in the colours of the light scheme, on white."""
        paper = {**printed(spec), "background": "#ffffff"}

        def make() -> bytes:
            return without_roles(self.engine.ask(do="svg", spec=paper, numbers=numbers))

        return self._known(make, paper, numbers)

    def png(self, spec: Spec, *, numbers: Numbers = ENGLISH.numbers) -> bytes:
        """Give a chart as a PNG file, at twice its size."""
        drawn = self.file(spec, numbers=numbers)
        return self.engine.ask(do="png", svg=drawn.decode(), scale=PNG_SCALE)

    def warm(self) -> None:
        """Start the engine and let it practise before anybody waits for a chart; CannotDraw if it fails."""
        for place, spec in enumerate(practice()):
            if place and self.engine.is_closed:  # nobody wants it any more
                return
            self.engine.ask(do="svg", spec=unlinked(spec), numbers=ENGLISH.numbers)

    def _known(self, make: Callable[[], bytes], *what: object) -> bytes:
        key = sha256(json.dumps(what, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
        with self._turn:
            found = self._kept.get(key)
        made = make() if found is None else found
        with self._turn:
            self._kept[key] = made
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made
