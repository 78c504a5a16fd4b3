"""What the flows share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from windrow.extract.pool import Pool


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """A process that reads documents."""
    made = Pool(1)
    yield made
    made.close()
