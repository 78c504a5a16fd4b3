from __future__ import annotations

import pytest

from windrow.config.fields import Field, fields_of
from windrow.config.schema import INNER, NAMED, SECTIONS, HarvestSettings
from windrow.config.source_kinds import RepositorySettings, all_kinds, find_field

KINDS = [each.settings for each in all_kinds().values()]
EVERY = [
    pytest.param(field, id=f"{kind.__name__}.{key}")
    for kind in (*SECTIONS.values(), *NAMED.values(), *INNER.values(), *KINDS)
    for key, field in fields_of(kind).items()
]


@pytest.mark.parametrize("field", EVERY)
def test_every_setting_has_a_default_a_type_and_a_help(field: Field) -> None:
    assert field.default
    assert field.kind.label
    assert field.help.endswith(".")
    assert field.help[0].isupper()


@pytest.mark.parametrize("field", EVERY)
def test_every_written_default_is_a_value_the_setting_can_have(field: Field) -> None:
    if field.written is not None:
        assert field.read(field.written) == field.kind.read(field.written)
    else:
        assert field.is_required or field.read("") is None


@pytest.mark.parametrize("field", EVERY)
def test_durations_and_sizes_name_their_units(field: Field) -> None:
    assert bool(field.kind.unit) == field.kind.label.startswith(("duration", "size", "whole", "date"))


def test_the_defaults_are_the_documented_ones() -> None:
    source = RepositorySettings(name="a", url="https://a.example.org/oai")
    assert (source.timeout, source.deadline, source.max_response) == (60.0, 900.0, 256_000_000)
    assert (source.attempts, source.backoff, source.max_wait, source.delay) == (5, 2.0, 300.0, 0.0)
    assert (source.kind, source.formats, source.sets, source.mode) == ("oai", ("oai_dc",), (), "auto")
    assert (source.window, source.granularity, source.reconcile) == ("none", "auto", 604800.0)
    assert source.enabled
    assert source.verify_tls
    assert HarvestSettings().jobs == 4


def test_a_source_without_an_address_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="url"):
        RepositorySettings(name="a")


def test_no_setting_ends_like_another_so_that_variables_of_sources_stay_apart() -> None:
    for kind in (*NAMED.values(), *KINDS):
        keys = list(fields_of(kind))
        assert [(a, b) for a in keys for b in keys if a.endswith(f"_{b}")] == []


def test_the_description_of_an_option_of_a_source_is_found_by_its_name() -> None:
    assert find_field("timeout").written == "60s"
    assert find_field("from").attribute == "from_"
    with pytest.raises(KeyError):
        find_field("form")
