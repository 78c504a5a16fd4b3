"""No fault is forgotten: each has its expectation in the file of its theme."""

from __future__ import annotations

from tests.flows import (
    test_coding,
    test_dates,
    test_hostile,
    test_markup,
    test_records,
    test_sets,
    test_tokens,
    test_transport,
    test_windows,
)
from tests.servers.faults import FAULTS

THEMES = (
    test_coding,
    test_dates,
    test_hostile,
    test_markup,
    test_records,
    test_sets,
    test_tokens,
    test_transport,
    test_windows,
)


def test_every_fault_of_the_test_servers_is_harvested_once() -> None:
    harvested = [name for theme in THEMES for name in theme.FAULTS]
    assert sorted(harvested) == sorted(FAULTS)
