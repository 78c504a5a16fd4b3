"""A portal with two vocabularies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.web.vocabulary.stage import Stage, staged


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("vocabularies")) as served:
        yield served
