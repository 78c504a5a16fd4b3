"""For all tests: how many examples are drawn at random, and which modules run first, and where.

A module runs in one worker, so that what its tests share is made once. Those that take longest come first:
whatever begins last is short, and no worker is left waiting for another.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.skips import describe_skips
from tests.thorough import tries

LONG = (
    "tests/flows/test_rebuild_under_load.py",
    "tests/flows/test_real_cron.py",
    "tests/docs/test_walkthroughs.py",
    "tests/docs/test_howtos.py",
    "tests/browser/test_hostile_pages.py",
    "tests/flows/test_serve.py",
    "tests/browser/",
    "tests/flows/",
    "tests/docs/",
    "tests/contracts/",
    "tests/cli/",
)

# No test is timed. A submission is judged by the same examples each time; a developer's run draws others.
settings.register_profile(
    "windrow",
    max_examples=tries(100),
    deadline=None,
    derandomize=os.environ.get("WINDROW_REQUIRE_ALL") == "1",
)
settings.load_profile("windrow")
# Where Python is told to keep no bytecode, each of the many processes that tests start would compile it all.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Find tests without a search for cycles, a fifth of the work: all that is made now stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(trylast=True)  # what shuffles has shuffled
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes long in front; all else stays in the order it has."""
    items.sort(key=lambda item: _place(item.nodeid))


def _place(name: str) -> int:
    return next((place for place, start in enumerate(LONG) if name.startswith(start)), len(LONG))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Hand whole modules to workers, in the order they stand in, unless somebody wants it otherwise."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped and why, one line a reason."""
    reports = terminalreporter.stats.get("skipped", [])
    terminalreporter.section("skipped tests", sep="-")
    for line in describe_skips(report.longrepr[2] for report in reports):
        terminalreporter.write_line(line)
