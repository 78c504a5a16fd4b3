"""Leaves after `kill -9`: whatever was done is whole, and the next process goes on from there."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.store.shelf import Shelf, gone, live
from windrow.store.published import list_pages
from windrow.store.published.list_pages import PAGE_RECORDS
from windrow.store.store import create_store

_CHILD = """
import os, signal, sys
from pathlib import Path
from windrow.store.published import list_pages
from windrow.store.store import open_store

left = int(sys.argv[2])

def heed():
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

list_pages.BATCH_RECORDS = 37
list_pages.update_list_pages(open_store(Path(sys.argv[1])), heed=heed)
"""


@pytest.mark.parametrize("batches", [1, 6, 13])
def test_a_process_that_was_killed_is_gone_on_from(tmp_path: Path, batches: int) -> None:
    store = create_store(tmp_path)
    shelf = Shelf(store)
    shelf.write(*[live(f"n{number}") for number in range(2 * PAGE_RECORDS + 50)])
    shelf.write(*[gone(f"n{number}") for number in range(0, 2 * PAGE_RECORDS, 5)])
    store.close()
    child = subprocess.run([sys.executable, "-c", _CHILD, str(tmp_path), str(batches)], check=False)
    assert child.returncode == -signal.SIGKILL
    assert list_pages.update_list_pages(store) > 0
    with store.reading() as connection:
        found = list_pages.list_pages(connection, shelf.source_id)
        assert [(leaf.total, leaf.live) for leaf in found] == [(200, 160), (200, 160), (50, 50)]
        assert len(list_pages.list_entries(connection, found)) == 370
        assert list_pages.is_complete(connection)
    store.close()
