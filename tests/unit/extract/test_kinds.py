"""The table from media types to readers."""

from __future__ import annotations

import pytest

from windrow.extract.reader_registry import MODULES, find_reader
from windrow.model.file_content import PICTURES, is_pictured


@pytest.mark.parametrize("media_type", sorted(MODULES))
def test_every_kind_in_the_table_has_a_reader(media_type: str) -> None:
    reader = find_reader(media_type)

    assert reader is not None
    assert callable(reader.read)


def test_what_nobody_reads_has_no_reader() -> None:
    assert find_reader("application/x-executable") is None


def test_every_picture_but_those_that_nobody_here_can_draw_is_one_for_the_gallery() -> None:
    read = {media_type for media_type, module in MODULES.items() if module == "image"}
    assert set(PICTURES) == read - {"image/svg+xml", "image/heic"}
    assert all(map(is_pictured, PICTURES))
