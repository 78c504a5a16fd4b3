"""`windrow harvest --dry-run`: what the first request of each list answers. Nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from windrow.cli.folder_view import FolderPreview, preview_folder
from windrow.cli.source_asking import MOST_WAITS, Steps
from windrow.cli.state import print_json
from windrow.cli.terminal import plural, printable, say
from windrow.config.schema import FILES

if TYPE_CHECKING:
    from windrow.harvest.options import HarvestOptions
    from windrow.harvest.preview import Preview
    from windrow.wiring import Library


def preview(library: Library, names: Sequence[str], options: HarvestOptions, *, is_json: bool) -> int:
    """Show what each list would begin with; give the exit code."""
    from windrow.harvest import preview as looking
    from windrow.wiring.asking import make_client

    steps = Steps(is_quiet=is_json)
    found: list[Preview | FolderPreview] = []
    for name in names:
        settings = library.source(name)
        if settings.kind == FILES:
            found.append(preview_folder(library, settings, options, is_quiet=is_json))
            continue
        client = make_client(library, settings, on_wait=steps.wait, waits=MOST_WAITS)
        try:
            for item in looking.preview(settings, options, store=library.store, client=client):
                found.append(item)
                steps.done()
                if not is_json:
                    _show(item)
        finally:
            steps.done()
            client.close()
    if is_json:
        print_json([asdict(item) for item in found])
    else:
        say("Nothing was stored.", style="dim")
    return 1 if any(item.problem for item in found) else 0


def _show(item: Preview) -> None:
    from windrow.harvest.windows import Stretch

    say(f"{item.source}: {printable(f'{item.format} {item.spec}'.strip())}", style="bold")
    say(f"  {printable(item.url)}", style="dim")
    begin = (
        "would go on where an earlier run stopped, from" if item.is_resumed else "would ask for records from"
    )
    say(f"  {begin} {Stretch(item.since, item.until)}" + _windows(item))
    if item.problem:
        say(f"  {printable(item.problem)}", style="bad")
    elif item.promised == 0:
        say("  nothing new")
    elif item.promised is None:
        say(f"  {plural(item.page_size, 'record')} on the first page; how many in all is not said")
    else:
        pages = f", {item.page_size:,} on the first page" if item.has_more else ", on one page"
        say(f"  {plural(item.promised, 'record')}{pages}")


def _windows(item: Preview) -> str:
    return f", the first of {item.windows:,} windows" if item.windows > 1 else ""
