"""The table from media types to readers."""

from __future__ import annotations

import pytest

from windrow.extract.kinds import MODULES, is_known, media_types, reader_of


@pytest.mark.parametrize("media_type", sorted(MODULES))
def test_every_kind_in_the_table_has_a_reader(media_type: str) -> None:
    reader = reader_of(media_type)

    assert reader is not None
    assert callable(reader.read)


def test_what_nobody_reads_has_no_reader() -> None:
    assert reader_of("application/x-executable") is None
    assert not is_known("application/x-executable")


def test_a_kind_is_known_by_the_module_that_reads_it() -> None:
    assert "text/html" in media_types("html")
    assert is_known("text/html")
