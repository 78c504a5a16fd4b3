"""The script that makes charts interactive: Vega in one file, made by vl-convert when it is first wanted."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from threading import Lock

from windrow.stats.engine import Engine

_SNIPPET = "export { vegaEmbed };"  # a module: as a plain script its many short names would meet others


@cache
def bundle_name() -> str:
    """Give a name that changes whenever the content would; empty where there can be none."""
    try:
        made_of = f"{version('vl-convert-python')} {_SNIPPET}"
    except PackageNotFoundError:
        return ""
    return f"vega.{sha256(made_of.encode()).hexdigest()[:12]}.js"


class Bundle:
    """The script, some 900 KB; to make it takes more than a second, once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._made = b""
        self._turn = Lock()

    def get(self) -> bytes:
        """Give it; CannotDraw where it cannot be made."""
        with self._turn:
            if not self._made:
                self._made = self._engine.ask(do="bundle", snippet=_SNIPPET)
            return self._made
