"""The frontier: what a page costs must not grow with the number of pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from windrow.store.connection import Connection, Rows
from windrow.store.frontier import NEVER, Found, Frontier, Ordering, PageState, Visit
from windrow.store.store import create_store


def test_no_statement_of_a_visit_reads_every_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}
    plain = Connection.execute

    def noting(self: Connection, statement: str, parameters: Any = None) -> Rows:
        if statement.lstrip().startswith("SELECT"):
            asked[statement] = parameters
        return plain(self, statement, parameters)

    store, frontier = create_store(tmp_path), Frontier(1)
    with store.writing() as connection:
        monkeypatch.setattr(Connection, "execute", noting)
        frontier.add(connection, [Found(f"http://a/{n}", "a", "a/") for n in range(20)])
        (page,) = frontier.claim(connection, 1, 1, ordering=Ordering.BREADTH, under_way={})
        frontier.is_digest_known(connection, "d", but=page.id)
        frontier.record_with_digest(connection, "d", but=page.id)
        frontier.addresses_of(connection, "i")
        frontier.find(connection, page.url)
        frontier.finish(connection, [Visit(page.id, PageState.DONE, NEVER, "ok", digest="d")])
        frontier.release(connection, 1, page.host_id, next_at=0.0, is_idle=True)
        monkeypatch.undo()
        plans = {
            statement: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
            for statement, values in asked.items()
        }
    store.close()
    assert len(plans) >= 8
    pages = [step for steps in plans.values() for step in steps if "crawl_page" in step or " p " in step]
    assert [step for step in pages if "INDEX" not in step] == []
    assert [step for step in pages if step.endswith("(source_id=?)")] == []


def test_the_same_content_is_found_under_another_address(tmp_path: Path) -> None:
    store, frontier = create_store(tmp_path), Frontier(1)
    with store.writing() as connection:
        frontier.add(connection, [Found(f"http://a/{n}", "a", "a/") for n in range(3)])
        first, second, third = (frontier.find(connection, f"http://a/{n}") for n in range(3))
        assert first is not None
        assert second is not None
        assert third is not None
        visit = Visit(first.id, PageState.DONE, NEVER, "record", digest="d", identifier="i")
        frontier.finish(connection, [visit])
        assert frontier.is_digest_known(connection, "d", but=second.id)
        assert not frontier.is_digest_known(connection, "d", but=first.id)
        assert frontier.record_with_digest(connection, "d", but=second.id) == "i"
        assert frontier.record_with_digest(connection, "e", but=second.id) is None
    store.close()


def test_counting_a_page_of_a_prefix_returns_the_counts(tmp_path: Path) -> None:
    store, frontier = create_store(tmp_path), Frontier(1)
    with store.writing() as connection:
        assert frontier.count_prefix(connection, "a/", has_record=[True], is_repeat=[False]) == (1, 1, 0, "")
        assert frontier.count_prefix(connection, "a/", has_record=[False], is_repeat=[True]) == (2, 1, 1, "")
        frontier.close_prefix(connection, "a/", "trap-repeats")
        counts = frontier.count_prefix(connection, "a/", has_record=[False], is_repeat=[False])
        assert counts == (3, 1, 0, "trap-repeats") == frontier.prefix_counts(connection, "a/")
    store.close()


def test_pages_of_a_prefix_that_are_counted_together_count_as_one_after_the_other(tmp_path: Path) -> None:
    store, frontier = create_store(tmp_path), Frontier(1)
    seen = [True, True, False, True, True, True, False, False, True]
    with store.writing() as connection:
        for number, is_repeat in enumerate(seen):
            one = frontier.count_prefix(connection, "a/", has_record=[number % 2 == 0], is_repeat=[is_repeat])
            together = frontier.count_prefix(
                connection,
                f"{number}/",
                has_record=[each % 2 == 0 for each in range(number + 1)],
                is_repeat=seen[: number + 1],
            )
            assert together == one
        for part in (seen[:2], seen[2:6], seen[6:]):
            in_parts = frontier.count_prefix(connection, "b/", has_record=[False] * len(part), is_repeat=part)
        assert in_parts == (9, 0, 1, "")
    store.close()
