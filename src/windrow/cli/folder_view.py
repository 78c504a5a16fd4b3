"""A folder for people: what of it is visible, and what a harvest would do. For the commands of sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from windrow.cli.summary import size
from windrow.cli.terminal import plural, printable, say
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.config.schema import SourceSettings
    from windrow.harvest.options import HarvestOptions
    from windrow.sources.files.published import PublishedFolder
    from windrow.wiring import Library

_SHOWN_TYPES = 5


@dataclass(slots=True)
class Survey:
    """What a folder shows."""

    files: int = 0
    bytes: int = 0
    protected: int = 0  # seen only by those who have a password
    types: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)
    not_understood: list[str] = field(default_factory=list)  # lines of .htaccess files that hide files

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain values, the commonest media type first."""
        return asdict(self) | {"types": dict(self.types.most_common())}


def survey(folder: PublishedFolder) -> Survey:
    """Look at everything in a folder; UsageError where there is no such folder."""
    from windrow.sources.files.describe import type_of
    from windrow.sources.files.walk import NotUnderstood, Withheld, walk

    if not folder.root.is_dir():
        raise UsageError(
            f"{folder.root} is not a folder that can be read", hint="Check the path, and who may read it."
        )
    found = Survey()

    def note(path: str, error: Exception) -> None:
        if isinstance(error, NotUnderstood):
            found.not_understood.append(printable(str(error)))
        elif not isinstance(error, Withheld):
            found.unreadable.append(printable(path))

    for file in walk(folder.root, folder.rules, on_error=note):
        found.files += 1
        found.bytes += file.size
        found.protected += bool(file.guards)
        found.types[type_of(file)] += 1
    return found


def in_words(told: Mapping[str, Any]) -> str:
    """Give a survey in half a line."""
    words = f"{plural(told['files'], 'file')}, {size(told['bytes'])}"
    if told["protected"]:
        words += f", {told['protected']:,} of them protected"
    return words


def show_survey(folder: PublishedFolder, found: Survey) -> None:
    """Print what a folder shows."""
    say(f"{folder.root} as {printable(folder.url)}", style="bold")
    say(f"  {in_words(found.as_dict())}")
    for media_type, count in found.types.most_common(_SHOWN_TYPES):
        say(f"  {count:>9,}  {media_type}")
    if len(found.types) > _SHOWN_TYPES:
        say(f"             and {len(found.types) - _SHOWN_TYPES:,} more media types")
    for path in found.unreadable[:_SHOWN_TYPES]:
        say(f"  could not be looked at: {path or 'the folder itself'}", style="bad")
    for line in found.not_understood[:_SHOWN_TYPES]:
        say(f"  not shown: what this may apply to: {line}", style="warn")
    if len(found.not_understood) > _SHOWN_TYPES:
        say(f"  and {len(found.not_understood) - _SHOWN_TYPES:,} more such lines; --json lists all")


@dataclass(frozen=True, slots=True)
class FolderPreview:
    """What a harvest of a folder would do."""

    source: str
    folder: str
    new: int
    changed: int
    gone: int
    unchanged: int
    problem: str = ""


def preview_folder(
    library: Library, settings: SourceSettings, options: HarvestOptions, *, is_quiet: bool
) -> FolderPreview:
    """Look at a folder without storing anything; say what there is."""
    from windrow.wiring.folders import folder_runner

    look = folder_runner(library, settings).look(options)
    counters = look.counters
    made = FolderPreview(
        settings.name,
        str(look.folder.root),
        counters.added,
        counters.changed,
        counters.deleted,
        counters.unchanged,
        "; ".join(problem.message for problem in look.problems if problem.weight.value != "note"),
    )
    if not is_quiet:
        say(made.source, style="bold")
        say(f"  {made.folder}", style="dim")
        say(f"  {made.new:,} new, {made.changed:,} changed, {made.gone:,} gone, {made.unchanged:,} unchanged")
        if made.problem:
            say(f"  {printable(made.problem)}", style="bad")
    return made
