"""`python -m bench.frontier_load FOLDER OUT URLS HOSTS`: the robot's frontier alone, in a process of its own.

Fills the frontier of a new library, then claims and finishes addresses as a crawl of many hosts does, with
one request to a host at a time. OUT gets what it took, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from itertools import islice
from pathlib import Path

from bench import process_tree
from windrow.store.crawl_workers import CrawlWorkers
from windrow.store.frontier import NEVER, Found, Frontier, Ordering, Page, PageState, Visit
from windrow.store.leases import own_claim
from windrow.store.store import Store, create_store

AT_ONCE = 500  # addresses added in one transaction, as a page with many links has
ROUNDS = 300  # of claiming and finishing
CLAIMED = 16  # at a time: what one process asks for
SOURCE_ID = 1
EARLY = 5_000  # addresses after which memory is looked at for the first time


def main(folder: str, out: str, urls: str, hosts: str) -> None:
    """Measure a frontier of so many addresses on so many hosts."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    store = create_store(Path(folder))
    frontier = Frontier(SOURCE_ID)
    try:
        measured = _fill(store, frontier, int(urls), int(hosts)) | _work(store, frontier, int(hosts))
    finally:
        store.close()
    measured["bytes"] = sum(path.stat().st_size for path in Path(folder).glob("windrow.db*"))
    Path(out).write_text(json.dumps(measured))


def _fill(store: Store, frontier: Frontier, urls: int, hosts: int) -> dict[str, float]:
    early, half, wanted = 0, 0, iter(range(urls))
    started = time.process_time()
    done = 0
    while numbers := list(islice(wanted, AT_ONCE)):
        with store.writing() as connection:
            frontier.add(connection, [_found(number, hosts) for number in numbers])
        done += len(numbers)
        if done >= EARLY and not early:
            early = _resident()
        if done >= urls // 2 and not half:
            half = _resident()
    used = time.process_time() - started
    return {"early": early, "half": half, "filled": _resident(), "added_a_second": urls / used}


def _work(store: Store, frontier: Frontier, hosts: int) -> dict[str, float]:
    with store.writing() as connection:
        worker = CrawlWorkers(frontier.source_id).join(connection, own_claim("bench"), interval=lambda _: 0.0)
    claims: list[float] = []
    claimed_pages, started = 0, time.process_time()
    for _ in range(min(ROUNDS, hosts)):
        with store.writing() as connection:
            began = time.perf_counter()
            pages = frontier.claim(
                connection, worker, CLAIMED, ordering=Ordering.BREADTH, under_way={}, per_host=lambda _: 1
            )
            claims.append(time.perf_counter() - began)
            claimed_pages += len(pages)
            frontier.finish(connection, [_visit(page) for page in pages])
            for page in pages:
                frontier.release(connection, worker, page.host_id, next_at=time.time(), is_idle=True)
    used = time.process_time() - started
    claims.sort()
    return {
        "claim_ms": claims[len(claims) // 2] * 1e3,
        "claim_ms_99": claims[len(claims) * 99 // 100] * 1e3,
        "claimed": claimed_pages,
        "worked_a_second": claimed_pages / used,
        "worked": _resident(),
    }


def _found(number: int, hosts: int) -> Found:
    host = f"www{number % hosts}.example.edu"
    url = f"http://{host}/courses/{number // hosts % 40}/page-{number}.html?language=sv"
    return Found(url, host, f"{host}/courses/{number // hosts % 40}/", depth=number // hosts % 9)


def _visit(page: Page) -> Visit:
    return Visit(
        page.id, PageState.DONE, NEVER, "ok", status=200, media_type="text/html", digest=f"{page.id:032}"
    )


def _resident() -> int:
    return process_tree.resident(os.getpid())


if __name__ == "__main__":
    main(*sys.argv[1:])
