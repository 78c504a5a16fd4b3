"""The kind of source that is files of MARC records, as library systems export them: its options."""

# ruff: noqa: ARG002 - methods that override those of all kinds

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from windrow.config import kinds
from windrow.config.fields import optional
from windrow.config.schema import SourceSettings
from windrow.config.source_kinds import KindDescription, Place

MARC = "marc"
MARC_FORMATS = ("marcxml",)  # what the library keeps of each record


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MarcSettings(SourceSettings):
    """Files of MARC records."""

    export: str | None = optional(
        kinds.PATH,
        "Of MARC records: a file of them, or a folder of such files (.mrc, .marc, .xml), on this machine.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marc(KindDescription[MarcSettings]):
    def default_url(self, name: str, given: Mapping[str, object]) -> str | None:
        """Files on this machine have no public address; their records are named by the source."""
        return f"urn:windrow:marc:{name}"

    def settle(self, source: MarcSettings) -> MarcSettings:
        return replace(source, formats=MARC_FORMATS)

    def problems(
        self, source: MarcSettings, given: Collection[str], library: Path
    ) -> Iterable[tuple[str, str]]:
        if not source.export:
            yield "kind", 'is "marc", which needs files as well: add export = "/srv/catalogue"'

    def place(self, source: MarcSettings) -> Place:
        return MARC, str(Path(source.export or "").resolve())

    def shown_place(self, source: MarcSettings) -> str:
        return str(source.export)

    def from_argument(self, given: str | None, url: str | None) -> dict[str, object]:
        found: dict[str, object] = {} if url is None else {"url": url}
        return found if given is None else {**found, "export": str(Path(given).absolute())}


MARC_FILES = _Marc(
    name=MARC,
    label="an export of MARC records",
    plural="exports of MARC records",
    settings=MarcSettings,
    behaviour="windrow.wiring.marc_files:FILES",
    argument="path",
    is_complete=True,
    mapped=MARC_FORMATS,
)
