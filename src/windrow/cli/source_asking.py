"""A repository asked from the command line: with which settings, how patiently, and shown on one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from windrow.cli.state import library
from windrow.cli.terminal import hide, hint, printable, shorten, terminal_width
from windrow.config.addresses import mask_url
from windrow.config.find import VARIABLE
from windrow.errors import LibraryMissing, NotFound, UpstreamBusy

if TYPE_CHECKING:
    from windrow.config.schema import Config, SourceSettings
    from windrow.net.politeness import Wait
    from windrow.sources.oai import OaiClient
    from windrow.wiring import Library

MAX_WAITED_SECONDS = 600.0  # for one command
_ASKED = "asked"  # the name of a source that exists for one question


@dataclass(slots=True)
class Steps:
    """Shows what is being asked: one line that changes on a terminal, a line a step elsewhere."""

    is_quiet: bool = False
    waits: list[Wait] = field(default_factory=list)
    max_waited_seconds: float = MAX_WAITED_SECONDS

    def step(self, name: str) -> None:
        """Say what is asked now."""
        self._show(f"{name} …")

    def wait(self, wait: Wait) -> None:
        """Show a wait that can be felt; raise UpstreamBusy where waiting has taken too long already."""
        from windrow.net.client import ASKED_TO_WAIT
        from windrow.wiring.asking import LATER

        self.waits.append(wait)
        waited = sum(each.seconds for each in self.waits if each.reason == ASKED_TO_WAIT)
        if wait.reason == ASKED_TO_WAIT and waited > self.max_waited_seconds:
            raise UpstreamBusy(
                f"{wait.url}: the server asks for {wait.seconds:.0f} s more, {waited:.0f} s in all",
                seconds=wait.seconds,
                hint=LATER,
            )
        if wait.seconds >= 1:
            self._show(f"waiting {wait.seconds:.0f} s: {wait.reason}")

    def done(self) -> None:
        """Take the line away."""
        if not self.is_quiet and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _show(self, words: str) -> None:
        if self.is_quiet:
            return
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K" + shorten(printable(words), terminal_width() - 1))
            sys.stderr.flush()
        else:
            hint(printable(words))


@contextmanager
def asking(
    opened: Library | None, config: Config, settings: SourceSettings, steps: Steps
) -> Iterator[OaiClient]:
    """Give a client for a repository that may not be a source yet, with its secrets kept off the terminal."""
    from windrow.wiring import asking as wired

    hide_secrets(config)
    with wired.asking(opened, config, settings, steps, environ=os.environ) as client:
        yield client


def hide_secrets(config: Config) -> None:
    """Keep the secrets of a configuration off the terminal."""
    from windrow.config.masking import mask_for

    hide(mask_for(config, os.environ))


def prospective(folder: Path | None, name: str, table: Mapping[str, object]) -> Config:
    """Give the configuration as it would be with one more source; without a library, with that one alone."""
    from windrow.config.document import Document, read_document
    from windrow.config.load import settle
    from windrow.config.schema import FILE_NAME, SOURCES

    document = read_document(folder / FILE_NAME) if folder else Document(Path.cwd() / FILE_NAME, "", {})
    values: dict[str, Any] = deepcopy(dict(document.values))
    values.setdefault(SOURCES, {})[name] = dict(table)
    return settle(replace(document, values=values), environ=os.environ)


def named_or_new(opened: Library | None, target: str) -> tuple[Config, SourceSettings]:
    """Give the settings for a source's name, for the address of one, or for an address nobody knows yet."""
    is_address = "://" in target
    known = opened.config.sources if opened else {}
    for name, settings in known.items():
        if opened is not None and (target == name or (is_address and settings.url == target)):
            return opened.config, settings
    if not is_address:
        sources = f"; the sources of this library: {', '.join(sorted(known)) or 'none yet'}" if opened else ""
        raise NotFound(
            f"{mask_url(target)!r} is neither a source nor an address",
            hint=f"An address begins with https://{sources}.",
        )
    name = next(
        name for name in (_ASKED, *(f"{_ASKED}{n}" for n in range(len(known) + 1))) if name not in known
    )
    config = prospective(opened.folder if opened else None, name, {"url": target})
    return config, config.sources[name]


@contextmanager
def library_if_any(ctx: typer.Context) -> Iterator[Library | None]:
    """Open the library at hand; None where there is none and none was named."""
    is_named = ctx.find_root().params.get("library_") or os.environ.get(VARIABLE)
    with ExitStack() as stack:
        opened = None
        try:
            opened = stack.enter_context(library())
        except LibraryMissing:
            if is_named:
                raise
        yield opened
