"""A request to stop is heard in every pause and between pages."""

from __future__ import annotations

import threading

import pytest

from windrow.errors import Interrupted
from windrow.harvest.options import Stopper


def test_nobody_stops_before_somebody_asks() -> None:
    stopper = Stopper()
    stopper.check()
    stopper.sleep(0)
    stopper.sleep(-5)
    assert not stopper.is_stopping


def test_a_request_to_stop_is_raised_at_the_next_check() -> None:
    stopper = Stopper()
    stopper.stop()
    stopper.stop()
    assert stopper.is_stopping
    with pytest.raises(Interrupted, match="what was stored stays"):
        stopper.check()


def test_a_pause_ends_when_somebody_asks_to_stop() -> None:
    stopper = Stopper()
    asking = threading.Thread(target=stopper.stop)
    asking.start()
    with pytest.raises(Interrupted):
        stopper.sleep(86_400)
    asking.join()
