"""Builds the concrete objects from the configuration; the only file that names a back end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.config.find import find_library
from windrow.config.load import load
from windrow.config.passwords import find_password
from windrow.config.schema import FILE_NAME, FILES, OAI, Config, SourceSettings
from windrow.errors import NotFound, UsageError, WindrowError

if TYPE_CHECKING:
    from threading import Event, Timer

    from windrow.faces.app import App
    from windrow.faces.oai.derived import Deriver
    from windrow.faces.shared.access_log import AccessLog
    from windrow.faces.shared.staleness import Staleness
    from windrow.faces.shared.visits import Visits
    from windrow.harvest.collection_steps import CollectionSteps
    from windrow.harvest.files import FilesRunner
    from windrow.harvest.keeping_fresh import FreshKeeper
    from windrow.harvest.keeping_index import IndexKeeper
    from windrow.harvest.keeping_leaves import LeafKeeper
    from windrow.harvest.keeping_records import RecordKeeper
    from windrow.harvest.observer import Observer
    from windrow.harvest.options import HarvestOptions
    from windrow.harvest.refreshing import Refresher
    from windrow.harvest.runner import Runner
    from windrow.harvest.stopping import Stopper
    from windrow.index.feeder import Fed, Progress, Stopping
    from windrow.index.generations import Generations
    from windrow.index.live import LiveIndex
    from windrow.model.run import Run
    from windrow.net.client import HttpClient
    from windrow.net.politeness import Hosts, Wait
    from windrow.schedule.child import Sink
    from windrow.schedule.runner import Runner as JobRunner
    from windrow.schedule.taking import Finished
    from windrow.schedule.telling import Teller
    from windrow.sources.files.published import PublishedFolder
    from windrow.sources.oai import OaiClient
    from windrow.stats.drawing import Drawer
    from windrow.store.store import Store

LAST_WORDS_SECONDS = 30.0  # in which people are still told of runs when a runner ends
JOB_CHILD = "windrow.cli.job_child"  # the module that runs the command line of a job
INDEX = "index"  # the folder in the library's that the index lives in
CALM_SECONDS = 1.0  # after a server is ready, before it does what can wait


class Library:
    """One folder: its configuration now, its store when it is first needed."""

    def __init__(self, config: Config, *, environ: Mapping[str, str]) -> None:
        self.config = config
        self._environ = environ
        self._store: Store | None = None
        self._hosts: Hosts | None = None
        self._index: LiveIndex | None = None
        self._drawer: Drawer | None = None
        self._warming: Timer | None = None
        self._visits: list[Visits] = []
        self._staleness: list[Staleness] = []

    @property
    def folder(self) -> Path:
        """Where the library lives."""
        return self.config.path

    @property
    def store(self) -> Store:
        """The store, opened on first use and brought up to date."""
        if self._store is None:
            from windrow.store.store import open_store  # noqa: PLC0415

            self._store = open_store(self.folder)
        return self._store

    @property
    def index(self) -> LiveIndex:
        """The index, always in its newest state; empty as long as there is none."""
        if self._index is None:
            from windrow.index.live import LiveIndex  # noqa: PLC0415 - Tantivy is not needed everywhere

            self._index = LiveIndex(self.folder / INDEX)
        return self._index

    @property
    def drawer(self) -> Drawer:
        """What draws the charts of all pages."""
        if self._drawer is None:
            from windrow.stats.drawing import Drawer  # noqa: PLC0415

            self._drawer = Drawer()
        return self._drawer

    @property
    def generations(self) -> Generations:
        """Where the index lies."""
        from windrow.index.generations import Generations  # noqa: PLC0415

        return Generations(self.folder / INDEX)

    def follow_index(
        self,
        *,
        owner: str = "windrow index",
        is_rebuilding: bool = False,
        is_waiting: bool = True,
        on_progress: Progress | None = None,
        stopper: Stopping | None = None,
    ) -> Fed:
        """Bring the index up to date with the store, or build it anew."""
        from windrow.index.feeder import follow  # noqa: PLC0415

        if not is_rebuilding:
            self.index.look()  # only who reads the index notices that it is damaged, and notes it
        done = follow(
            self.store,
            self.generations,
            owner=owner,
            is_rebuilding=is_rebuilding,
            is_waiting=is_waiting,
            on_progress=on_progress,
            stopper=stopper,
        )
        self.index.look()
        return done

    def follow_leaves(self, *, stopper: Stopping | None = None) -> int:
        """Bring the lists for crawlers up to date with the store; give how many changes that took."""
        from windrow.store.leaves import follow  # noqa: PLC0415

        return follow(self.store, heed=stopper.check if stopper else lambda: None)

    def source(self, name: str) -> SourceSettings:
        """Give the settings of a source, or say which there are."""
        found = self.config.sources.get(name)
        if found is None:
            known = ", ".join(sorted(self.config.sources)) or "none yet"
            raise NotFound(f"there is no source {name!r}", hint=f"The sources of this library: {known}.")
        return found

    def members(self, name: str = "") -> list[SourceSettings]:
        """Give the enabled sources of a collection, the one source of that name, or, without one, all."""
        sources, collection = self.config.sources, self.config.collections.get(name)
        if collection is None and name:
            if name in sources:
                return [sources[name]]
            known = ", ".join([*sorted(self.config.collections), *sorted(sources)]) or "none yet"
            raise NotFound(f"there is no collection {name!r}", hint=f"Collections and sources: {known}.")
        names = sources if collection is None else collection.sources
        return [sources[each] for each in names if sources[each].enabled]

    def collection_steps(
        self,
        name: str = "",
        *,
        observer: Observer,
        stopper: Stopper,
        on_progress: Progress | None = None,
    ) -> CollectionSteps:
        """Give what takes in, builds and activates a collection, or, without a name, the whole library."""
        from windrow.harvest.collection_steps import CollectionSteps, Member  # noqa: PLC0415

        return CollectionSteps(
            self.store,
            self.generations,
            name=name,
            members=[Member(each.name, each.kind == FILES) for each in self.members(name)],
            harvest=lambda source, options: self.harvest(source, options, observer=observer, stopper=stopper),
            jobs=self.config.harvest.jobs,
            stopper=stopper,
            on_progress=on_progress,
        )

    def client(
        self,
        settings: SourceSettings,
        *,
        sleep: Callable[[float], None] | None = None,
        on_wait: Callable[[Wait], None] | None = None,
        ignore_retry_after: bool = False,
    ) -> OaiClient:
        """Give a client for a source. Clients of one library share their manners towards hosts."""
        if settings.kind == FILES:
            raise UsageError(
                f"{settings.name} is a folder: there is no repository to be asked",
                hint=f"`windrow harvest {settings.name}` looks at its files, with --full at each anew.",
            )
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
        """Harvest one source once, and bring the virtual sets up to date with it."""
        settings = self.source(name)
        self.check_sets()
        if settings.kind == FILES:
            run = self.files_runner(settings, observer=observer, stopper=stopper).run(options)
        else:
            run = self._runner(settings, observer, stopper, ignore_retry_after).run(options)
        self.follow_sets()
        return run

    def _runner(
        self, settings: SourceSettings, observer: Observer, stopper: Stopper, ignore_retry_after: bool
    ) -> Runner:
        from windrow.harvest.runner import Runner  # noqa: PLC0415

        client = self.client(
            settings,
            sleep=stopper.sleep,
            on_wait=lambda wait: observer.waiting(settings.name, wait),
            ignore_retry_after=ignore_retry_after,
        )
        return Runner(
            settings, folder=self.folder, store=self.store, client=client, observer=observer, stopper=stopper
        )

    def refresh(
        self,
        name: str,
        *,
        observer: Observer,
        stopper: Stopper,
        limit: int | None = None,
        seconds: float | None = None,
    ) -> Run | None:
        """Ask a source again for its stale records that somebody looked at; None where none of them wait."""
        from windrow.harvest import refreshing  # noqa: PLC0415

        return self._refresher(self.source(name), observer, stopper).run(
            limit=limit or refreshing.MOST_A_ROUND, seconds=seconds or refreshing.LONGEST_ROUND_SECONDS
        )

    def _refresher(self, settings: SourceSettings, observer: Observer, stopper: Stopper) -> Refresher:
        from dataclasses import replace  # noqa: PLC0415

        from windrow.harvest.provider_robots import LARGEST_BYTES, ProviderRobots  # noqa: PLC0415
        from windrow.harvest.refreshing import Refresher  # noqa: PLC0415
        from windrow.harvest.work import utc_now  # noqa: PLC0415
        from windrow.store.robots import RobotsMemory  # noqa: PLC0415

        client = self.client(
            settings, sleep=stopper.sleep, on_wait=lambda wait: observer.waiting(settings.name, wait)
        )
        http = make_http(
            replace(settings, max_response=LARGEST_BYTES),
            contact=self.config.library.contact,
            environ=self._environ,
            store=self.store,
            hosts=self._hosts,
            sleep=stopper.sleep,
        )
        return Refresher(
            settings,
            folder=self.folder,
            store=self.store,
            client=client,
            robots=ProviderRobots(http, RobotsMemory(self.store), now=utc_now),
            observer=observer,
            stopper=stopper,
        )

    def merge(self, name: str, old: str, new: str) -> Run:
        """Let an identifier of a source lead to another record of it from now on."""
        from windrow.harvest.merging import merge  # noqa: PLC0415

        run = merge(self.store, self.source(name), old, new)
        self.follow_sets()
        return run

    def unmerge(self, name: str, old: str) -> None:
        """Let an identifier of a source stand for itself again."""
        from windrow.harvest.merging import unmerge  # noqa: PLC0415

        unmerge(self.store, self.source(name), old)

    def check_sets(self) -> None:
        """See that the queries of virtual sets have no mistakes; ConfigError before anything is done."""
        if self.config.oai_sets:
            from windrow.harvest.virtual_sets import read_definitions  # noqa: PLC0415

            read_definitions(self.config.oai_sets.values())

    def follow_sets(self, *, is_remapped: bool = False) -> None:
        """Bring the members of virtual sets up to date; all of them anew where documents read differently."""
        from windrow.store import virtual_sets  # noqa: PLC0415

        with self.store.reading() as connection:
            if not self.config.oai_sets and not virtual_sets.definitions(connection):
                return
        if is_remapped:
            with self.store.writing() as connection:
                virtual_sets.restart(connection)
        from windrow.harvest.virtual_sets import follow  # noqa: PLC0415

        follow(self.store, self.config.oai_sets.values())

    def published(self, settings: SourceSettings) -> PublishedFolder:
        """Give the folder that a source is."""
        from windrow.sources.files.published import published_folder  # noqa: PLC0415

        return published_folder(settings, library=self.folder)

    def files_runner(
        self,
        settings: SourceSettings,
        *,
        observer: Observer | None = None,
        stopper: Stopper | None = None,
    ) -> FilesRunner:
        """Give what harvests the folder that a source is."""
        from windrow.harvest.files import FilesRunner  # noqa: PLC0415

        return FilesRunner(self.published(settings), store=self.store, observer=observer, stopper=stopper)

    def keep_fresh(
        self, stop: Event, *, on_changed: Callable[[Run], None] = lambda _: None
    ) -> list[FreshKeeper]:
        """Give a thread for each enabled folder, to keep the library in step with it until `stop` is set."""
        from windrow.harvest.keeping_fresh import FreshKeeper  # noqa: PLC0415
        from windrow.harvest.stopping import Stopper  # noqa: PLC0415

        return [
            FreshKeeper(
                self.published(settings),
                self.files_runner(settings, stopper=Stopper(stop)),
                stop=stop,
                poll_seconds=settings.poll,
                on_changed=on_changed,
            )
            for settings in self.config.sources.values()
            if settings.kind == FILES and settings.enabled
        ]

    def teller(self) -> Teller:
        """Give what tells people of runs of jobs, as windrow.toml has it at that moment."""
        from windrow.schedule.telling import Teller  # noqa: PLC0415

        return Teller(lambda: load(self.folder, environ=self._environ), self.store, environ=self._environ)

    @contextmanager
    def job_runner(
        self,
        *,
        owner: str,
        most: int | None = None,
        echoes: tuple[Sink, Sink] | None = None,
        on_finished: Callable[[Finished], None] = lambda _: None,
    ) -> Iterator[JobRunner]:
        """Give what runs the jobs of this library as windrow.toml has them at any time, and tells people.

        In the end whoever is still to be told is told, for a while.
        """
        from dataclasses import replace  # noqa: PLC0415

        from windrow.schedule.hiring import hire  # noqa: PLC0415
        from windrow.schedule.masking import mask_for  # noqa: PLC0415
        from windrow.schedule.telling_desk import TellingDesk  # noqa: PLC0415

        def read() -> Config:
            return load(self.folder, environ=self._environ)

        def finished(done: Finished) -> None:
            on_finished(done)
            telling(done)

        telling = TellingDesk(self.teller())
        settings = self.config.schedule
        runner = hire(
            self.folder,
            self.store,
            replace(settings, jobs=most or settings.jobs),
            lambda: read().jobs,
            owner=owner,
            module=JOB_CHILD,
            make_mask=lambda: mask_for(read(), self._environ),
            environ=self._environ,
            echoes=echoes,
            on_finished=finished,
        )
        try:
            yield runner
        finally:
            telling.close(LAST_WORDS_SECONDS)

    def app(self, url: str, *, access_log: AccessLog | None = None) -> App:
        """Give the library as an ASGI application, for this public address of it."""
        from windrow.faces.oai.repository import OaiRepository  # noqa: PLC0415
        from windrow.faces.public import make_app, public_faces  # noqa: PLC0415

        repository = OaiRepository(self.store, self.config, base_url=url, derivers=self.derivers())
        repository.prepare()
        public = public_faces(
            self.config,
            self.index,
            self.store,
            url=url,
            drawer=self.drawer,
            looked_at=self._note_stale().looked_at,
        )
        return make_app(
            self.config,
            repository,
            url=url,
            look=self._look,
            access_log=access_log,
            public=public,
            visits=self._count_visits(url),
        )

    def _count_visits(self, url: str) -> Visits:
        from urllib.parse import urlsplit  # noqa: PLC0415

        from windrow.faces.shared.visits import Visits  # noqa: PLC0415

        own_host = urlsplit(url).hostname or ""
        self._visits.append(Visits(self.store, own_host=own_host, keep_days=self.config.crawlers.keep_days))
        return self._visits[-1]

    def _note_stale(self) -> Staleness:
        from windrow.faces.shared.staleness import Staleness  # noqa: PLC0415

        self._staleness.append(Staleness(self.store, self.config.sources))
        return self._staleness[-1]

    def warm_up(self) -> Timer:
        """Let the first chart not wait for what draws it to start. Returns at once; ends with the library."""
        from threading import Timer  # noqa: PLC0415

        self._warming = Timer(CALM_SECONDS, self._warm)
        self._warming.daemon = True
        self._warming.start()
        return self._warming

    def _warm(self) -> None:
        from windrow.model.query import Everything  # noqa: PLC0415

        with suppress(WindrowError):  # whoever asks for a chart will be told
            if self.index.count(Everything()):
                self.drawer.warm()

    def derivers(self) -> Mapping[str, Deriver]:
        """What sources do for their repositories beyond what is stored, by their names."""
        folders = (each for each in self.config.sources.values() if each.kind == FILES)
        return {settings.name: self._deriver(settings) for settings in folders}

    def _deriver(self, settings: SourceSettings) -> Deriver:
        from windrow.sources.files.derive import FileDeriver  # noqa: PLC0415
        from windrow.store.folder_knowledge import FolderKnowledge  # noqa: PLC0415

        known = FolderKnowledge(self.store, settings.name)
        return FileDeriver(self.published(settings), find_guards=known.guards, find_fresh=known.looked_at)

    @contextmanager
    def keeping(self, *, is_watching: bool = True) -> Iterator[object]:
        """Keep the library fresh while the block lasts. Of all processes that serve it, one does this.

        Without `is_watching`, folders are left alone, and what is taken in by others is still followed.
        """
        from threading import Event  # noqa: PLC0415

        from windrow.harvest.keeping_sets import SetKeeper  # noqa: PLC0415

        stop = Event()
        keepers = [
            *(self.keep_fresh(stop) if is_watching else ()),
            SetKeeper(self.follow_sets, stop=stop),
            self._index_keeper(stop, owner="windrow serve"),
            self._leaf_keeper(stop),
            *self._record_keepers(stop),
        ]
        for keeper in keepers:
            keeper.start()
        try:
            with self._running_jobs():
                yield keepers
        finally:
            stop.set()
            for keeper in keepers:
                keeper.join()

    @contextmanager
    def _running_jobs(self) -> Iterator[None]:
        """Run the jobs that are due while the block lasts, unless that is left to `windrow worker`."""
        if not self.config.schedule.in_serve:
            yield
            return
        from threading import Thread  # noqa: PLC0415

        with self.job_runner(owner="windrow serve") as runner:
            thread = Thread(target=runner.run, name="jobs", daemon=True)
            thread.start()
            try:
                yield
            finally:
                runner.stop()
                thread.join()

    def _record_keepers(self, stop: Event) -> list[RecordKeeper]:
        """Give a thread that refreshes stale records, if any source wants that."""
        wanting = {
            name
            for name, each in self.config.sources.items()
            if each.refresh_after is not None and each.enabled and each.kind == OAI
        }
        if not wanting:
            return []
        from windrow.harvest.keeping_records import RecordKeeper  # noqa: PLC0415
        from windrow.harvest.observer import Nobody  # noqa: PLC0415
        from windrow.harvest.stopping import Stopper  # noqa: PLC0415
        from windrow.store import refreshes  # noqa: PLC0415

        def waiting() -> list[str]:
            with self.store.reading() as connection:
                return [name for name in refreshes.waiting(connection) if name in wanting]

        def refresh(name: str) -> Run | None:
            return self.refresh(name, observer=Nobody(), stopper=Stopper(stop))

        return [RecordKeeper(waiting, refresh, stop=stop)]

    def index_once(self) -> None:
        """Bring index and leaves up to date in threads of their own, a single time. Returns at once."""
        import atexit  # noqa: PLC0415
        from threading import Event  # noqa: PLC0415

        stop = Event()
        keepers = (
            self._index_keeper(stop, owner="an application", is_once=True),
            self._leaf_keeper(stop, is_once=True),
        )

        def end() -> None:
            """Let no thread be inside Tantivy when the interpreter goes."""
            stop.set()
            for keeper in keepers:
                keeper.join()

        for keeper in keepers:
            keeper.start()
        atexit.register(end)

    def _leaf_keeper(self, stop: Event, *, is_once: bool = False) -> LeafKeeper:
        from windrow.harvest.keeping_leaves import LeafKeeper  # noqa: PLC0415
        from windrow.harvest.stopping import Stopper  # noqa: PLC0415

        def follow() -> int:
            return self.follow_leaves(stopper=Stopper(stop))

        return LeafKeeper(follow, stop=stop, is_once=is_once)

    def _index_keeper(self, stop: Event, *, owner: str, is_once: bool = False) -> IndexKeeper:
        from windrow.harvest.keeping_index import IndexKeeper  # noqa: PLC0415
        from windrow.harvest.stopping import Stopper  # noqa: PLC0415

        def follow() -> Fed:
            return self.follow_index(owner=owner, is_waiting=False, stopper=Stopper(stop))

        return IndexKeeper(follow, stop=stop, is_once=is_once)

    def _look(self) -> Mapping[str, object]:
        """See that the library can be read."""
        from windrow.store.migrations import version  # noqa: PLC0415

        with self.store.reading() as connection:
            return {"schema": version(connection)}

    def close(self) -> None:
        """Let go of the store, and of what draws; what was counted is written first."""
        for visits in self._visits:
            visits.close()
        for staleness in self._staleness:
            staleness.close()
        if self._warming is not None:
            self._warming.cancel()
        if self._drawer is not None:
            self._drawer.engine.close()
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


def create_library(folder: Path, *, name: str | None = None) -> Path:
    """Make a new library in a folder, of whose name it is; what is in the folder already stays as it is."""
    from windrow.config.describe import sample  # noqa: PLC0415
    from windrow.store.store import create_store  # noqa: PLC0415

    if (folder / FILE_NAME).exists():
        raise UsageError(f"{folder} is a library already", hint="`windrow doctor` looks it over.")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; a library is a folder")
    folder.mkdir(parents=True, exist_ok=True)
    create_store(folder).close()
    (folder / FILE_NAME).write_text(sample(name or folder.resolve().name), encoding="utf-8")
    return folder
