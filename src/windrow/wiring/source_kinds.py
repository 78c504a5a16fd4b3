"""Kinds of sources, as far as something is done with them: the protocol, and the kind of a source.

`config.source_kinds` has the other half: a kind's options and what it is capable of. The description of a
kind names the object that keeps to `SourceKind`; `kind_for` imports it when it is needed. Everything that is
done with a source asks its kind; nothing compares names of kinds.
"""

# ruff: noqa: ARG002 - methods that kinds override

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from windrow.config.schema import SourceSettings
from windrow.config.source_kinds import kind_of
from windrow.errors import ConfigError, UsageError, WindrowError

if TYPE_CHECKING:
    from windrow.config.schema import Config
    from windrow.harvest.options import HarvestOptions, Observer, Stopper
    from windrow.harvest.quarantine_retry import RetriedCase
    from windrow.harvest.trace import Trace
    from windrow.model.run import Run
    from windrow.net.politeness import Wait
    from windrow.sources.repository_findings import Finding
    from windrow.store.harvests.quarantine_cases import QuarantineCase
    from windrow.web.oai.offered_formats import FormatDeriver
    from windrow.wiring.library import Library

S_contra = TypeVar("S_contra", bound=SourceSettings, contravariant=True)

# The flags of `windrow harvest` that mean something to some kinds only, by the options that they set.
_FLAGS = {
    "since": "--from",
    "until": "--until",
    "sets": "--set",
    "formats": "--format",
    "is_one_by_one": "--one-by-one",
    "is_verifying": "--verify",
    "is_reconciling": "--reconcile",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line for people. Styles are those of the terminal: bold, dim, good, warn, bad."""

    words: str
    style: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a command shows of a source: lines for people, values for programs (`--json`)."""

    values: Mapping[str, Any]
    lines: Sequence[Line] = ()
    findings: Sequence[Finding] = ()  # graded, shown above the lines
    hints: Sequence[str] = ()
    failure: WindrowError | None = None  # why it cannot be harvested; the command exits with its code
    has_problem: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What `windrow source add` found out about a source: half a line, values for programs, hints."""

    words: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    hints: Sequence[str] = ()
    moved_to: str | None = None  # where permanent redirects lead


@dataclass(frozen=True, slots=True)
class Fact:
    """A line that `source show` has on a source, and `/status` too where it is for everybody.

    With `values`, `words` is a message with their names in braces, which pages translate if they know it.
    """

    label: str
    words: str
    is_public: bool = False
    values: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The words in English."""
        written = {k: f"{v:,}" if isinstance(v, int) else v for k, v in self.values.items()}
        return self.words.format(**written) if written else self.words


class Steps(Protocol):
    """Shows a person what is asked just now."""

    waits: list[Wait]

    def step(self, name: str) -> None:
        """Show what is asked now."""

    def wait(self, wait: Wait) -> None:
        """Show that the source is left alone for a while; raise UpstreamBusy where that takes too long."""

    def done(self) -> None:
        """Take away what was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question of a person about a source that may not be in a library yet, or be in none."""

    config: Config
    library: Library | None
    steps: Steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Who watches a run, and how it is stopped."""

    observer: Observer
    stopper: Stopper
    ignore_retry_after: bool = False


class SourceKind(Protocol[S_contra]):
    """What is done with the sources of one kind. Subclass it: what has a body here need not be written."""

    def probe(self, settings: S_contra, asking: Asking) -> Probed:
        """Look at a source before it is added; raise where it is of no use."""
        raise NotImplementedError

    def harvest(self, library: Library, settings: S_contra, options: HarvestOptions, watch: Watch) -> Run:
        """Harvest once, as `harvest.run.running` does runs; raise only what concerns the library itself."""
        raise NotImplementedError

    def preview(
        self, library: Library, settings: S_contra, options: HarvestOptions, steps: Steps
    ) -> Iterator[Shown]:
        """Show what a harvest would do, and store nothing."""
        raise NotImplementedError

    def trace(self, library: Library, settings: S_contra, identifier: str, steps: Steps | None) -> Trace:
        """Find out where a record is; the source is asked only where there are `steps`."""
        from windrow.harvest.trace import trace  # noqa: PLC0415 - not needed everywhere

        return trace(library.store, settings, identifier, make_client=None)

    def check(self, settings: S_contra, asking: Asking, *, prefix: str | None = None) -> Shown:
        """Look a source over for `windrow source check`; `prefix` is the metadata format to try."""
        found = self.probe(settings, asking)
        return Shown(values=found.values, lines=(Line(found.words),), hints=found.hints)

    def facts(self, library: Library, settings: S_contra) -> Sequence[Fact]:
        """Return what there is to say of a source beyond what holds for all kinds, without asking it."""
        return ()

    def problems(self, library: Library, settings: S_contra) -> Iterator[tuple[str, str]]:
        """Yield what `windrow doctor` reports, each with what to do about it; without asking the source."""
        return iter(())

    def retry(
        self, library: Library, settings: S_contra, wanted: Sequence[QuarantineCase], watch: Watch
    ) -> tuple[Run | None, list[RetriedCase]]:
        """Try again what is in quarantine; return the run, if it was one, and what became of each case."""
        kind = kind_of(settings)
        raise UsageError(
            f"{settings.name} is {kind.label}, of which single records cannot be asked for",
            hint=f"`windrow harvest {settings.name} --full` tries all of them again.",
        )

    def watchers(
        self, library: Library, settings: S_contra, stop: Event, on_changed: Callable[[Run], None]
    ) -> Sequence[Thread]:
        """Return threads, not yet started, that keep the library in step with a source while it is served."""
        return ()

    def deriver(self, library: Library, settings: S_contra) -> FormatDeriver | None:
        """Return what adds to the stored records at `/oai/NAME`, if anything does."""
        return None


def kind_for(settings: SourceSettings) -> SourceKind[Any]:
    """Return what does the work for the kind of a source."""
    return _behaviour(kind_of(settings).behaviour)


@cache
def _behaviour(where: str) -> SourceKind[Any]:
    module, _, name = where.partition(":")
    try:
        return cast("SourceKind[Any]", getattr(import_module(module), name))
    except (ImportError, AttributeError) as exc:
        raise ConfigError(
            f"the kind of source at {where} cannot be loaded: {exc}",
            hint="Reinstall the package that brings it, or remove it.",
        ) from exc


def refuse_meaningless(settings: SourceSettings, options: HarvestOptions) -> None:
    """Refuse the flags of `windrow harvest` that mean nothing to a kind."""
    kind = kind_of(settings)
    for key, flag in _FLAGS.items():
        if getattr(options, key) and key not in kind.harvest_options:
            raise UsageError(
                f"{settings.name} is {kind.label}, and {flag} means nothing there", hint=kind.harvest_hint
            )
