"""What a crawl goes by."""

from __future__ import annotations

import pytest

from windrow.harvest.web.settings import CrawlSettings
from windrow.sources.web.fetch import FetchSettings
from windrow.sources.web.space import UrlSpace


@pytest.mark.parametrize(
    ("host", "seconds"),
    [
        ("www.example.edu", 5.0),
        ("www.example.edu:8080", 5.0),
        ("other.example.edu:8080", 1.0),
        ("other.example.edu", 60.0),
        ("[2001:db8::1]", 7.0),
        ("[2001:db8::1]:8080", 7.0),
    ],
)
def test_a_host_has_its_own_pause_at_any_port(host: str, seconds: float) -> None:
    own = {"www.example.edu": 5.0, "other.example.edu:8080": 1.0, "[2001:db8::1]": 7.0}
    settings = CrawlSettings(UrlSpace([]), FetchSettings("Windrow/test"), host_intervals=own)
    assert settings.interval(host) == seconds


def test_a_host_may_be_revisited_sooner_than_others() -> None:
    settings = CrawlSettings(UrlSpace([]), FetchSettings("Windrow/test"), host_revisits={"a.example": 3.0})
    assert settings.revisit("a.example:8080") == 3.0
    assert settings.revisit("b.example") == settings.revisit_seconds
