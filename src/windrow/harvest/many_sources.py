"""Harvests of several sources at a time, with one stream per host.

A source that fails does not stop the others. Apart from `collections`, which loads Tantivy: a harvest
without an index needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from windrow.errors import WindrowError
from windrow.harvest.options import Stopper
from windrow.model.run import Run

if TYPE_CHECKING:
    from concurrent.futures import Future

_POLL_SECONDS = 0.2


def harvest_many(
    names: Sequence[str], harvest: Callable[[str], Run], *, jobs: int, stopper: Stopper
) -> dict[str, Run | WindrowError]:
    """Harvest each named source; return its run, or the error that prevented it, by name."""
    if len(names) == 1:
        return {names[0]: _harvest_safely(harvest, names[0])}
    from concurrent.futures import ThreadPoolExecutor, wait  # noqa: PLC0415 - not needed for one source

    results: dict[str, Run | WindrowError] = {}
    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="harvest") as pool:
        futures: dict[Future[Run | WindrowError], str] = {
            pool.submit(_harvest_safely, harvest, name): name for name in names
        }
        pending = set(futures)
        while pending:
            done, pending = wait(pending, timeout=_POLL_SECONDS)
            results.update((futures[future], future.result()) for future in done)
            if stopper.is_stopping:
                for future in pending:
                    future.cancel()
                pending = {future for future in pending if not future.cancelled()}
    return {name: results[name] for name in names if name in results}


def _harvest_safely(harvest: Callable[[str], Run], name: str) -> Run | WindrowError:
    try:
        return harvest(name)
    except WindrowError as exc:
        return exc
