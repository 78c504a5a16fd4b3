"""The zone of the machine, and clocks that agree."""

from __future__ import annotations

import pytest

from windrow.schedule.cadence import find_zone, hours_apart, machine_zone


@pytest.mark.parametrize(
    ("variable", "name"),
    [("Europe/Helsinki", "Europe/Helsinki"), (":America/New_York", "America/New_York"), ("Etc/UTC", "UTC")],
)
def test_the_machine_is_asked_for_its_zone(variable: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", variable)
    assert machine_zone() == name


@pytest.mark.parametrize("variable", ["EET-2EEST,M3.5.0/3,M10.5.0/4", "/nowhere", "..", ""])
def test_a_zone_without_a_name_is_looked_for_elsewhere(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", variable)
    assert find_zone(machine_zone())


def test_clocks_that_always_show_the_same_are_not_apart() -> None:
    assert hours_apart(find_zone("Europe/Helsinki"), find_zone("Europe/Mariehamn")) == {0}
    assert hours_apart(find_zone("Etc/UTC"), find_zone("UTC")) == {0}


def test_clocks_that_differ_for_a_part_of_the_year_are_apart() -> None:
    assert hours_apart(find_zone("Europe/Helsinki"), find_zone("UTC")) == {2, 3}
    assert hours_apart(find_zone("Asia/Kolkata"), find_zone("UTC")) == {5.5}
