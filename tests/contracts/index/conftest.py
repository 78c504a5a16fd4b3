"""Every test of the protocol runs once for each back end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.contracts.index.back_ends import BACK_ENDS, BackEnd
from windrow.index.protocol import Index
from windrow.index.tantivy.rows import Entry


@pytest.fixture(params=BACK_ENDS, ids=lambda back_end: back_end.name)
def make_index(request: pytest.FixtureRequest) -> Callable[[Sequence[Entry]], Index]:
    assert isinstance(request.param, BackEnd)
    return request.param.make
