"""One office for all tests: none of them changes what is in the library."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.web.api.office import Office, opened


@pytest.fixture(scope="session", params=["memory", "tantivy"])
def office(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    with opened(tmp_path_factory.mktemp("office"), is_real=request.param == "tantivy") as made:
        yield made
