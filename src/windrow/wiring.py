"""Builds the concrete objects from the configuration; the only file that names a back end."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.config.describe import sample
from windrow.config.find import find_library
from windrow.config.load import load
from windrow.config.passwords import find_password
from windrow.config.schema import FILE_NAME, Config, SourceSettings
from windrow.errors import NotFound, UsageError

if TYPE_CHECKING:
    from windrow.harvest.observer import Observer
    from windrow.harvest.options import HarvestOptions
    from windrow.harvest.stopping import Stopper
    from windrow.model.run import Run
    from windrow.net.client import HttpClient
    from windrow.net.politeness import Hosts, Wait
    from windrow.sources.oai import OaiClient
    from windrow.store.store import Store


class Library:
    """One folder: its configuration now, its store when it is first needed."""

    def __init__(self, config: Config, *, environ: Mapping[str, str]) -> None:
        self.config = config
        self._environ = environ
        self._store: Store | None = None
        self._hosts: Hosts | None = None

    @property
    def folder(self) -> Path:
        """Where the library lives."""
        return self.config.path

    @property
    def store(self) -> Store:
        """The store, opened on first use and brought up to date."""
        if self._store is None:
            from windrow.store.store import open_store  # noqa: PLC0415 - SQLAlchemy is slow to import

            self._store = open_store(self.folder)
        return self._store

    def source(self, name: str) -> SourceSettings:
        """Give the settings of a source, or say which there are."""
        found = self.config.sources.get(name)
        if found is None:
            known = ", ".join(sorted(self.config.sources)) or "none yet"
            raise NotFound(f"there is no source {name!r}", hint=f"The sources of this library: {known}.")
        return found

    def client(
        self,
        settings: SourceSettings,
        *,
        sleep: Callable[[float], None] | None = None,
        on_wait: Callable[[Wait], None] | None = None,
        ignore_retry_after: bool = False,
    ) -> OaiClient:
        """Give a client for a source. Clients of one library share their manners towards hosts."""
        from windrow.net.politeness import Hosts  # noqa: PLC0415
        from windrow.sources.oai import OaiClient  # noqa: PLC0415

        self._hosts = self._hosts or Hosts()
        http = make_http(
            settings,
            contact=self.config.library.contact,
            environ=self._environ,
            store=self.store,
            hosts=self._hosts,
            sleep=sleep,
            on_wait=on_wait,
            ignore_retry_after=ignore_retry_after,
        )
        return OaiClient(settings.url, http)

    def harvest(
        self,
        name: str,
        options: HarvestOptions,
        *,
        observer: Observer,
        stopper: Stopper,
        ignore_retry_after: bool = False,
    ) -> Run:
        """Harvest one source once."""
        from windrow.harvest.runner import Runner  # noqa: PLC0415

        settings = self.source(name)
        client = self.client(
            settings,
            sleep=stopper.sleep,
            on_wait=lambda wait: observer.waiting(name, wait),
            ignore_retry_after=ignore_retry_after,
        )
        runner = Runner(
            settings, folder=self.folder, store=self.store, client=client, observer=observer, stopper=stopper
        )
        return runner.run(options)

    def close(self) -> None:
        """Let go of the store."""
        if self._store is not None:
            self._store.close()
            self._store = None


def make_http(
    settings: SourceSettings,
    *,
    contact: str,
    environ: Mapping[str, str],
    store: Store | None = None,
    hosts: Hosts | None = None,
    sleep: Callable[[float], None] | None = None,
    on_wait: Callable[[Wait], None] | None = None,
    ignore_retry_after: bool = False,
) -> HttpClient:
    """Give an HTTP client that behaves as a source is configured."""
    import time  # noqa: PLC0415

    from windrow.net.client import HttpClient  # noqa: PLC0415
    from windrow.net.settings import HttpSettings, user_agent  # noqa: PLC0415

    return HttpClient(
        HttpSettings(
            timeout_seconds=settings.timeout,
            deadline_seconds=settings.deadline,
            max_response_bytes=settings.max_response,
            attempts=settings.attempts,
            backoff_seconds=settings.backoff,
            max_wait_seconds=settings.max_wait,
            delay_seconds=settings.delay,
            user_agent=user_agent(contact or None),
            headers=settings.headers,
            username=settings.username,
            password=find_password(settings, environ=environ),
            proxy=settings.proxy,
            verify_tls=settings.verify_tls,
            ca_file=settings.ca_file,
            ignore_retry_after=ignore_retry_after,
        ),
        memory=store.memory if store else None,
        hosts=hosts,
        sleep=sleep or time.sleep,
        on_wait=on_wait,
    )


def open_library(
    explicit: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> Library:
    """Open the library that was named, or that is at hand."""
    environ = os.environ if environ is None else environ
    folder = find_library(explicit, environ, Path.cwd())
    return Library(load(folder, environ=environ, flags=flags or {}), environ=environ)


def create_library(folder: Path) -> Path:
    """Make a new library in a folder; what is in the folder already stays as it is."""
    from windrow.store.store import create_store  # noqa: PLC0415

    if (folder / FILE_NAME).exists():
        raise UsageError(f"{folder} is a library already", hint="`windrow doctor` looks it over.")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; a library is a folder")
    folder.mkdir(parents=True, exist_ok=True)
    create_store(folder).close()
    (folder / FILE_NAME).write_text(sample(folder.resolve().name), encoding="utf-8")
    return folder
