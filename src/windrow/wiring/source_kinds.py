"""Kinds of sources in operation: the protocol they implement, and the kind of a source.

The other half is `config.source_kinds`: a kind's options and capabilities. A kind's description names the
object that implements `SourceKind`; `kind_for` imports it on first use. All operations on a source go
through its kind; no code compares names of kinds.
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

# The flags of `windrow harvest` that apply to some kinds only, by the options that they set.
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
    """The output of a command about a source: lines for people, values for programs (`--json`)."""

    values: Mapping[str, Any]
    lines: Sequence[Line] = ()
    findings: Sequence[Finding] = ()  # graded, shown above the lines
    hints: Sequence[str] = ()
    failure: WindrowError | None = None  # why it cannot be harvested; the command exits with its code
    has_problem: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """The result of probing in `windrow source add`: half a line, values for programs, hints."""

    words: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    hints: Sequence[str] = ()
    moved_to: str | None = None  # the target of permanent redirects


@dataclass(frozen=True, slots=True)
class Fact:
    """A line about a source in `source show`, and also in `/status` if it is public.

    With `values`, `words` is a message with their names in braces, for translation by pages.
    """

    label: str
    words: str
    is_public: bool = False
    values: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        written = {k: f"{v:,}" if isinstance(v, int) else v for k, v in self.values.items()}
        return self.words.format(**written) if written else self.words


class Steps(Protocol):
    """Shows a person the current step."""

    waits: list[Wait]

    def step(self, name: str) -> None:
        """Show the current step."""

    def wait(self, wait: Wait) -> None:
        """Show a wait; raise UpstreamBusy if it takes too long."""

    def done(self) -> None:
        """Remove what was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A request by a person about a source that need not be in a library, or not yet."""

    config: Config
    library: Library | None
    steps: Steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """The observer of a run, and its stop signal."""

    observer: Observer
    stopper: Stopper
    ignore_retry_after: bool = False


class SourceKind(Protocol[S_contra]):
    """The operations on sources of one kind. Subclass it: methods with a body here are optional."""

    def probe(self, settings: S_contra, asking: Asking) -> Probed:
        """Probe a source before it is added; raise if it cannot be used."""
        raise NotImplementedError

    def harvest(self, library: Library, settings: S_contra, options: HarvestOptions, watch: Watch) -> Run:
        """Harvest once, within `harvest.run.running`; raise only errors of the library itself."""
        raise NotImplementedError

    def preview(
        self, library: Library, settings: S_contra, options: HarvestOptions, steps: Steps
    ) -> Iterator[Shown]:
        """Show what a harvest would do, without storing anything."""
        raise NotImplementedError

    def trace(self, library: Library, settings: S_contra, identifier: str, steps: Steps | None) -> Trace:
        """Find out where a record is; the source is contacted only if `steps` is given."""
        from windrow.harvest.trace import trace  # noqa: PLC0415 - not needed everywhere

        return trace(library.store, settings, identifier, make_client=None)

    def check(self, settings: S_contra, asking: Asking, *, prefix: str | None = None) -> Shown:
        """Check a source for `windrow source check`; `prefix` is the metadata format to try."""
        found = self.probe(settings, asking)
        return Shown(values=found.values, lines=(Line(found.words),), hints=found.hints)

    def facts(self, library: Library, settings: S_contra) -> Sequence[Fact]:
        """Return facts specific to this kind of source, without contacting the source."""
        return ()

    def problems(self, library: Library, settings: S_contra) -> Iterator[tuple[str, str]]:
        """Yield problems for `windrow doctor`, each with its remedy, without contacting the source."""
        return iter(())

    def retry(
        self, library: Library, settings: S_contra, wanted: Sequence[QuarantineCase], watch: Watch
    ) -> tuple[Run | None, list[RetriedCase]]:
        """Retry quarantined records. Return the run, if there was one, and the outcome of each case."""
        kind = kind_of(settings)
        raise UsageError(
            f"{settings.name} is {kind.label}, of which single records cannot be asked for",
            hint=f"`windrow harvest {settings.name} --full` tries all of them again.",
        )

    def watchers(
        self, library: Library, settings: S_contra, stop: Event, on_changed: Callable[[Run], None]
    ) -> Sequence[Thread]:
        """Return unstarted threads that keep the library in step with a source while it is served."""
        return ()

    def deriver(self, library: Library, settings: S_contra) -> FormatDeriver | None:
        """Return the deriver that adds to the stored records at `/oai/NAME`, if any."""
        return None


def kind_for(settings: SourceSettings) -> SourceKind[Any]:
    """Return the implementation of a source's kind."""
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
    """Refuse flags of `windrow harvest` that do not apply to the source's kind."""
    kind = kind_of(settings)
    for key, flag in _FLAGS.items():
        if getattr(options, key) and key not in kind.harvest_options:
            raise UsageError(
                f"{settings.name} is {kind.label}, and {flag} means nothing there", hint=kind.harvest_hint
            )
