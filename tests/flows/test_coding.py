"""Compressed answers: said and done, said or done, broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flows.faulting import Expected, check_fault
from windrow.model.run import Outcome

FAULTS = {
    "gzip": Expected(),
    "gzip without a word": Expected(),
    "gzip in name only": Expected(),
    "broken gzip": Expected(Outcome.FAILED, stored=0, requests=7, says="the compressed answer is cut short"),
    "deflate with zlib": Expected(),
    "deflate raw": Expected(),
    "zstd": Expected(),
    "zstd without a word": Expected(),
}


@pytest.mark.parametrize("name", FAULTS)
def test_no_coding_loses_a_record_without_a_word(tmp_path: Path, name: str) -> None:
    check_fault(tmp_path, name, FAULTS[name])
