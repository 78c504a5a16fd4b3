"""`windrow sitemap`: sitemaps as files, where a web server is to give them away itself."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.state import JSON, library, print_json, stopping_on_signals
from windrow.cli.terminal import plural, say
from windrow.cli.ticker import Ticker
from windrow.config.describe import help_text
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.faces.sitemaps.folder import Written
    from windrow.wiring import Library

app = typer.Typer(
    help="Where every record's page is, for search engines. `windrow serve` has the same at /sitemap.xml.",
    no_args_is_help=True,
)


@app.callback()
def nothing() -> None:
    """Keep the verb: a group with a single command would lose it."""


@app.command("write")
def write(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to; it is made if it is not there.")],
    url: Annotated[str | None, typer.Option("--url", help=help_text("serve.url"))] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Write sitemap.xml and the files it names to a folder; of those, only what changed since last time."""
    from windrow.store import leaves

    with library({"serve.url": url}) as opened, stopping_on_signals() as stopper:
        from windrow.faces.sitemaps.folder import write_folder
        from windrow.faces.sitemaps.making import Sitemaps, page_paths, vocabulary_paths
        from windrow.vocabularies.directory import Directory

        leaves.follow(opened.store, heed=stopper.check)
        ticker = Ticker("sitemaps", is_quiet=is_json)
        more = partial(vocabulary_paths, Directory(opened.store))
        sitemaps = Sitemaps(_public_url(opened), page_paths(opened.config.collections), more=more)

        def heed(done: int, total: int) -> None:
            stopper.check()
            ticker(done, total)

        try:
            done = write_folder(opened.store, sitemaps, folder, on_progress=heed)
        finally:
            ticker.clear()
    _show(done, folder, is_json=is_json)


def _public_url(opened: Library) -> str:
    url = opened.config.serve.url
    if not url:
        raise UsageError(
            "sitemaps name whole addresses, and this library's public one is not known",
            hint="Set url in [serve], or give it with --url.",
        )
    return url.rstrip("/")


def _show(done: Written, folder: Path, *, is_json: bool) -> None:
    if is_json:
        print_json({"files": done.files, "written": done.written, "removed": done.removed})
        return
    say(
        f"{folder / 'sitemap.xml'} names {plural(done.files, 'file')}: {done.written:,} new or changed",
        end="",
    )
    say(f", {done.removed:,} removed" if done.removed else "")
