"""Settings: sensible, and silent about secrets."""

from __future__ import annotations

import pytest

from windrow.errors import ConfigError
from windrow.net import HttpSettings, user_agent


def test_what_is_secret_is_not_in_the_repr() -> None:
    shown = repr(
        HttpSettings(
            username="hush0", password="hush1", headers=(("X-Key", "hush2"),), proxy="http://p:hush3@proxy:1"
        )
    )
    assert "hush" not in shown


def test_the_user_agent_carries_a_contact() -> None:
    assert user_agent("mailto:me@example.org").endswith(" (+mailto:me@example.org)")


@pytest.mark.parametrize("name", ["timeout_seconds", "deadline_seconds", "max_response_bytes", "attempts"])
def test_a_limit_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        HttpSettings(**{name: 0})  # type: ignore[arg-type]
