"""Each format's samples, and the document each of them is: small records of our own making."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.formats.portrait import portrait
from windrow.formats.registry import read, registry

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "formats"
FORMATS = ("generic", *(reader.name for reader in registry(with_plugins=False).readers))
SAMPLES = sorted(sample for name in FORMATS for sample in (GOLDEN / name).glob("*.xml"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.parent.name}-{sample.stem}")
def test_a_sample_reads_as_the_document_written_beside_it(sample: Path) -> None:
    expected = json.loads(sample.with_suffix(".json").read_text(encoding="utf-8"))
    assert portrait(read(sample.read_bytes(), b"", sample.parent.name)) == expected


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_sample(name: str) -> None:
    assert any(sample.parent.name == name for sample in SAMPLES)
