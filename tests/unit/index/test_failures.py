"""What fails while the index is asked: whose fault it is, and who is told."""

from __future__ import annotations

import json

import pytest

from windrow.errors import StoreError, UsageError, WindrowError
from windrow.index.tantivy.damage import QueryGuard


class PanicException(BaseException):  # named as pyo3 names its own
    """As Tantivy's panics come."""


@pytest.mark.parametrize(
    ("failure", "told", "times"),
    [
        (PanicException("index out of bounds"), StoreError, 1),
        (ValueError("An IO error occurred: 'failed to read'"), StoreError, 1),
        (ValueError("An invalid argument was passed: 'Failed to lookup Doc #37.'"), StoreError, 1),
        (json.JSONDecodeError("Expecting value", "", 0), StoreError, 1),
        (StoreError("the disk is gone"), StoreError, 1),
        (ValueError("regex too large"), UsageError, 0),
        (UsageError("too deep"), UsageError, 0),
        (KeyboardInterrupt(), KeyboardInterrupt, 0),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_files_are_suspected_only_where_they_may_be_to_blame(
    failure: BaseException, told: type[BaseException], times: int
) -> None:
    suspected: list[bool] = []
    asking = QueryGuard(lambda: suspected.append(True))
    with pytest.raises(told) as caught, asking:
        raise failure
    assert len(suspected) == times
    assert caught.value is failure or caught.value.__cause__ is failure
    assert isinstance(caught.value, WindrowError | KeyboardInterrupt)


def test_a_block_in_which_nothing_fails_suspects_nothing_and_can_be_used_again() -> None:
    suspected: list[bool] = []
    asking = QueryGuard(lambda: suspected.append(True))
    for _ in range(2):
        with asking:
            pass
    assert suspected == []
