"""Addresses in other spellings are recognised as the same."""

from __future__ import annotations

import pytest

from windrow.config.network_values import comparable

ADDRESS = "https://hay.example/oai/request"


@pytest.mark.parametrize(
    "spelling",
    [
        "HTTPS://hay.example/oai/request",
        "https://HAY.Example/oai/request",
        "https://hay.example:443/oai/request",
        "https://hay.example./oai/request",
        "https://hay.example/oai/request/",
        "https://ali:sesame@hay.example/oai/request",
        "https://hay.example/oai/%72equest",
        " https://hay.example/oai/request ",
    ],
)
def test_spellings_of_one_address_compare_equal(spelling: str) -> None:
    assert comparable(spelling) == comparable(ADDRESS)


@pytest.mark.parametrize(
    "other",
    [
        "https://hay.example/oai",
        "https://hay.example/OAI/request",
        "https://hay.example:8443/oai/request",
        "https://hay.example/oai/request?repository=2",
        "https://straw.example/oai/request",
        "https://hay.example:port/oai/request",
    ],
)
def test_other_addresses_do_not(other: str) -> None:
    assert comparable(other)[1] != comparable(ADDRESS)[1]


def test_http_and_https_differ_in_the_scheme_alone() -> None:
    assert comparable("http://hay.example:80/oai/request")[1] == comparable(ADDRESS)[1]
    assert comparable("http://hay.example/oai/request")[0] != comparable(ADDRESS)[0]


def test_a_name_in_other_letters_is_the_one_it_stands_for() -> None:
    assert comparable("https://höö.example/oai") == comparable("https://xn--h-1gaa.example/oai")
