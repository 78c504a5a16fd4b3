"""The library inside another Python application, as the documentation shows it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from tests.docs.markdown import page
from tests.flows.commanding import WAIT_SECONDS, environment
from tests.flows.serving import NAME, stocked
from tests.flows.test_resume import until
from tests.servers.asgi import AsgiServer
from tests.unit.web.stage import BROWSER
from windrow.index.tantivy.live_index import LiveIndex

_BRIEF = """
import asyncio, sys
from windrow.asgi import library_app

async def nothing(_message=None):
    return {"type": "lifespan.shutdown"}

app = library_app(sys.argv[1], url="http://127.0.0.1/")
asyncio.run(app({"type": "lifespan"}, nothing, nothing))
"""
HOW_TO = "docs/howto/mount-in-an-application.md"


def test_a_mounted_library_answers_under_its_path(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "library", records=30)
    with AsgiServer() as server:
        url = f"{server.url}/repository"
        server.application = _documented(str(shelf.folder), server.url)
        assert (
            f"<baseURL>{url}/oai/{NAME}</baseURL>" in server.ask(f"/repository/oai/{NAME}?verb=Identify").text
        )
        explorer = server.ask("/repository/oai", headers=BROWSER).text
        style = explorer.partition('<link rel="stylesheet" href="')[2].partition('"')[0]
        assert server.ask(style).status == 200
        until(lambda: server.ask("/repository/", headers=BROWSER).status == 200)
        assert server.ask("/repository/health").status == 200
        assert server.ask("/oai").status == 404


def test_a_mounted_library_makes_its_index_when_it_is_first_used(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "library", records=30)
    index = LiveIndex(shelf.folder / "index")
    with AsgiServer() as server:
        server.application = _documented(str(shelf.folder), server.url)
        assert not (shelf.folder / "index").exists()
        seen: list[int] = []

        def is_found() -> bool:
            seen.append(server.ask("/repository/search", headers=BROWSER).status)
            return seen[-1] == 200

        until(is_found)
        assert set(seen) <= {200, 503}
        assert index.newest().records == len(shelf.live(name=NAME))


def test_an_application_that_ends_while_it_makes_the_index_ends_in_peace(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "library", records=150)
    words = [sys.executable, "-c", _BRIEF, str(shelf.folder)]
    ended = subprocess.run(
        words, capture_output=True, text=True, timeout=WAIT_SECONDS, env=environment(), check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def _documented(folder: str, url: str) -> Any:
    """The application that the how-to makes, for another folder and address."""
    block = next(block for block in page(HOW_TO).blocks if block.language == "python")
    names: dict[str, Any] = {"Starlette": Starlette, "Mount": Mount}
    exec(block.text.replace("/srv/theses", folder).replace("https://www.library.example", url), names)
    return names["app"]
