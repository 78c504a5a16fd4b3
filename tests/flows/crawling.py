"""Crawls of sites on loopback, in this process."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.servers.website import Website
from windrow.harvest.options import Stopper
from windrow.harvest.web.crawl import Crawl, Ending
from windrow.harvest.web.settings import CrawlSettings
from windrow.model.run import Counters
from windrow.sources.web.fetch import FetchSettings
from windrow.sources.web.space import UrlSpace, read_rules
from windrow.store import runs, sources
from windrow.store.connection import Connection
from windrow.store.frontier import Frontier, Page
from windrow.store.store import Store, create_store

SOURCE = "site"
FETCH = FetchSettings(
    user_agent="Windrow/test (+robot@example.edu)", timeout_seconds=5, deadline_seconds=10, private=True
)


class Site:
    """A library with one web site as its source; each `crawl` is a run of its own."""

    def __init__(self, folder: Path, website: Website, *starts: str) -> None:
        self.store: Store = create_store(folder)
        self.website = website
        self.starts = [f"{website.url}{start}" for start in starts or ("/",)]
        with self.store.writing() as connection:
            self.source_id = sources.ensure(connection, SOURCE, self.starts[0]).id
        self.frontier = Frontier(self.source_id)
        self.ending: Ending | None = None
        self.counters = Counters()
        self.problems: dict[str, str] = {}

    def settings(
        self, *, allow: tuple[str, ...] = (), exclude: tuple[str, ...] = (), **changes: Any
    ) -> CrawlSettings:
        """Return settings without politeness, unless they are changed."""
        space = UrlSpace(
            self.starts, read_rules(None, allow, what="allow"), read_rules(None, exclude, what="exclude")
        )
        fetch = replace(FETCH, **changes.pop("fetch", {}))
        usual: dict[str, Any] = {"interval_seconds": 0.0, "connections": 8, "connections_per_host": 8}
        return CrawlSettings(space, fetch, **(usual | changes))

    @property
    def host(self) -> str:
        """The name of the first host, as addresses have it."""
        return self.website.url.removeprefix("http://")

    def prepare(self, settings: CrawlSettings, *, stopper: Stopper | None = None, **options: Any) -> Crawl:
        """Return a crawl that has not begun, as a run of its own."""
        with self.store.writing() as connection:
            run_id = runs.start(connection, self.source_id, "harvest", now=datetime.now(UTC), arguments={})
        self.counters = Counters()
        return Crawl(
            settings,
            store=self.store,
            source_id=self.source_id,
            run_id=run_id,
            stopper=stopper or Stopper(),
            counters=self.counters,
            **options,
        )

    def crawl(
        self, settings: CrawlSettings | None = None, *, is_full: bool = False, **changes: Any
    ) -> Counters:
        """Crawl until nothing is left to be asked for."""
        crawl = self.prepare(settings or self.settings(**changes), is_full=is_full)
        self.ending = asyncio.run(crawl.run())
        self.problems = {problem.code: problem.message for problem in crawl.report.problems()}
        return self.counters

    def asked_since(self, number: int) -> list[tuple[str, int]]:
        """Return what was asked for after so many requests, with its status; robots.txt is left out."""
        found = self.website.requests[number:]
        return [(each.path, each.status) for each in found if each.path != "/robots.txt"]

    def page(self, path: str) -> Page:
        """Return what the frontier knows of a path on the first host."""
        with self.store.reading() as connection:
            found = self.frontier.find(connection, f"{self.website.url}{path}")
        assert found is not None, path
        return found

    def records(self) -> dict[str, str]:
        """Return the live records, each with its payload."""
        with self.store.reading() as connection:
            return {
                name: _payload(connection, number)
                for number, name in connection.execute(
                    "SELECT id, identifier FROM record WHERE source_id = ? AND NOT is_deleted",
                    (self.source_id,),
                ).all()
            }

    def tombstones(self) -> set[str]:
        """Return the identifiers of records that are gone."""
        with self.store.reading() as connection:
            return set(
                connection.execute(
                    "SELECT identifier FROM record WHERE source_id = ? AND is_deleted", (self.source_id,)
                ).scalars()
            )


def _payload(connection: Connection, number: int) -> str:
    from windrow.store.records.record_reader import RecordReader

    payload = RecordReader().get(connection, [number])[number].payload("wir")
    return payload.data.decode() if payload else ""


def as_json(text: str) -> Any:
    """Return what a command printed with --json."""
    return json.loads(text)
