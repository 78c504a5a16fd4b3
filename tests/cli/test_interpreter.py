"""What commands change about their interpreter does not outlive them where tests run them in one process."""

from __future__ import annotations

import gc
import sys

from tests.cli.sourcing import Cli


def test_cycles_are_searched_for_again_after_a_command_that_lets_that_be(cli: Cli) -> None:
    before = gc.get_threshold(), sys.getswitchinterval()
    assert cli("rebuild").code == 0
    assert (gc.get_threshold(), sys.getswitchinterval()) == before
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
