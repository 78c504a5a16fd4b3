"""The library inside another Python application, as the documentation shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from tests.docs.markdown import page
from tests.flows.serving import NAME, stocked
from tests.servers.asgi import AsgiServer
from tests.unit.faces.stage import BROWSER

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
        assert server.ask("/repository/", headers=BROWSER).status == 200
        assert server.ask("/repository/health").status == 200
        assert server.ask("/oai").status == 404


def _documented(folder: str, url: str) -> Any:
    """The application that the how-to makes, for another folder and address."""
    block = next(block for block in page(HOW_TO).blocks if block.language == "python")
    names: dict[str, Any] = {"Starlette": Starlette, "Mount": Mount}
    exec(block.text.replace("/srv/theses", folder).replace("https://www.library.example", url), names)
    return names["app"]
