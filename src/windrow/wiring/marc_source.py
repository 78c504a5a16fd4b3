"""The kind of source that is files of MARC records: how it is probed, harvested, previewed and traced."""

# ruff: noqa: ARG002 - files do not need every argument of the protocol

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.config.source_kinds import MARC_FORMATS, MarcSettings
from windrow.harvest.intake import Intake
from windrow.harvest.run import running
from windrow.harvest.trace import Answer, Trace
from windrow.model.record import Record, Reject
from windrow.model.run import Severity
from windrow.sources.marc_reader import MarcFiles
from windrow.wiring.source_kinds import Asking, Fact, Line, Probed, Shown, SourceKind, Steps, Watch

if TYPE_CHECKING:
    from windrow.harvest.options import HarvestOptions
    from windrow.model.run import Run
    from windrow.wiring.library import Library

(_PREFIX,) = MARC_FORMATS
PAGE_RECORDS = 500  # records in one transaction
PREVIEWED_RECORDS = 1000  # records read before a source is added
_EXAMPLES = 3


class MarcRecords(SourceKind[MarcSettings]):
    """Files of MARC records."""

    def probe(self, settings: MarcSettings, asking: Asking) -> Probed:
        files = _files(settings)
        listed = len(files.listed())
        found = list(islice(files.read(), PREVIEWED_RECORDS))
        records = sum(isinstance(each, Record) for each in found)
        more = "at least " if len(found) == PREVIEWED_RECORDS else ""
        words = f"{listed:,} {'file' if listed == 1 else 'files'}, {more}{records:,} records"
        hints = [f"{each}." for each in files.troubles[:_EXAMPLES]]
        if len(found) > records:
            hints.append(f"{len(found) - records:,} of these are no records, or have no control number.")
        values = {"files": listed, "records": records, "rejected": len(found) - records}
        return Probed(words=words, values=values, hints=hints)

    def harvest(self, library: Library, settings: MarcSettings, options: HarvestOptions, watch: Watch) -> Run:
        """Read all files; records that are in none of them any more are deleted."""
        observer, stopper = watch.observer, watch.stopper
        arguments = {} if options.limit is None else {"limit": str(options.limit)}
        with running(
            library.store, settings, "harvest", arguments=arguments, observer=observer, stopper=stopper
        ) as attempt:
            files, intake = _files(settings), Intake(attempt=attempt)
            entries = islice(files.read(), options.limit)
            while page := list(islice(entries, PAGE_RECORDS)):
                attempt.check()
                records = [each for each in page if isinstance(each, Record)]
                with intake.storing() as connection:
                    rejects = [each for each in page if isinstance(each, Reject)]
                    intake.put(connection, _PREFIX, records, rejects)
                observer.advanced(settings.name, attempt.counters, None)
            for trouble in files.troubles:
                attempt.note("unread", f"{trouble}. Nothing is taken for gone.")
            if files.repeated:
                words = f"{files.repeated:,} records have the number of another one, which counts"
                attempt.note("repeated", words, weight=Severity.NOTE)
            if not files.troubles and options.limit is None:
                self._finish(intake, files)
        library.store.settle()
        return attempt.run

    def _finish(self, intake: Intake, files: MarcFiles) -> None:
        with intake.storing() as connection:
            gone = intake.live(connection, _PREFIX) - files.names
            stamp = f"{intake.now():%Y-%m-%dT%H:%M:%SZ}"
            intake.bury(connection, [Record(name, stamp, (), True) for name in sorted(gone)])
            intake.complete(connection, [_PREFIX])

    def preview(
        self, library: Library, settings: MarcSettings, options: HarvestOptions, steps: Steps
    ) -> Iterator[Shown]:
        """Count the records without storing anything."""
        files = _files(settings)
        records = rejected = 0
        for each in islice(files.read(), options.limit):
            is_record = isinstance(each, Record)
            records, rejected = records + is_record, rejected + (not is_record)
        lines = [Line(settings.name, "bold"), Line(f"  {files.files:,} files, {records:,} records")]
        if rejected:
            lines.append(Line(f"  {rejected:,} without a control number, or no records", "warn"))
        lines += [Line(f"  {each}", "warn") for each in files.troubles]
        values = {"source": settings.name, "files": files.files, "records": records, "rejected": rejected}
        yield Shown(values=values | {"troubles": files.troubles}, lines=lines)

    def trace(self, library: Library, settings: MarcSettings, identifier: str, steps: Steps | None) -> Trace:
        found = super().trace(library, settings, identifier, steps)
        if steps is None:
            return found
        entries = _files(settings).read()
        record = next(
            (each for each in entries if isinstance(each, Record) and each.identifier == identifier), None
        )
        return replace(found, answers=(Answer(_PREFIX, record, is_absent=record is None),))

    def facts(self, library: Library, settings: MarcSettings) -> Sequence[Fact]:
        """Return where the files are; shown to the owner only."""
        return [Fact("export", str(settings.export))]


def _files(settings: MarcSettings) -> MarcFiles:
    return MarcFiles(Path(settings.export or ""), settings.url)


FILES = MarcRecords()
