"""What asks repositories: clients that behave as their sources are configured."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from windrow.config.masking import mask_for_source
from windrow.config.passwords import find_password
from windrow.config.schema import SourceSettings
from windrow.config.source_kinds import RepositorySettings, kind_of
from windrow.errors import Interrupted, UpstreamBusy, UsageError
from windrow.net.client import HttpClient
from windrow.net.settings import HttpSettings, user_agent
from windrow.sources.oai import OaiClient

if TYPE_CHECKING:
    from windrow.config.schema import Config
    from windrow.net.politeness import Hosts, Wait
    from windrow.store.store import Store
    from windrow.wiring.library import Library
    from windrow.wiring.source_kinds import Steps

# A server that asks for time does answer, so it gets the time it asks for (`max_wait` at once).
ATTEMPTS = 2
TIMEOUT_SECONDS = 30.0
MOST_WAITS = 50  # for one request
LATER = "Try again then; the server asked for that time."


def make_client(
    library: Library,
    settings: SourceSettings,
    *,
    sleep: Callable[[float], None] = time.sleep,
    on_wait: Callable[[Wait], None] | None = None,
    ignore_retry_after: bool = False,
    waits: int | None = None,
) -> OaiClient:
    """Give a client for a source. Clients of one library share their manners towards hosts.

    `waits` is how often one request may be asked to come back later, where that is not `attempts`.
    """
    as_repository(settings)
    http = make_http(
        settings,
        contact=library.config.library.contact,
        environ=library.environ,
        store=library.store,
        hosts=library.hosts,
        sleep=sleep,
        on_wait=on_wait,
        ignore_retry_after=ignore_retry_after,
        waits=waits,
    )
    return make_oai_client(settings, http, environ=library.environ)


def as_repository(settings: SourceSettings) -> RepositorySettings:
    """Return the settings of an OAI-PMH repository; UsageError for a source of another kind."""
    if not isinstance(settings, RepositorySettings):
        raise UsageError(
            f"{settings.name} is {kind_of(settings).label}: there is no repository to be asked",
            hint=f"`windrow harvest {settings.name}` looks at it, with --full at everything anew.",
        )
    return settings


@contextmanager
def asking(
    library: Library | None,
    config: Config,
    settings: SourceSettings,
    steps: Steps,
    *,
    environ: Mapping[str, str],
) -> Iterator[OaiClient]:
    """Give a client for a source that may not exist yet. Ctrl-C ends the asking, and nothing else.

    A person waits: silence that a nightly run sits out is reported soon.
    """
    settings = replace(
        settings,
        attempts=min(settings.attempts, ATTEMPTS),
        timeout=min(settings.timeout, TIMEOUT_SECONDS),
    )
    if library is not None:
        client = make_client(library, settings, on_wait=steps.wait, waits=MOST_WAITS)
    else:
        contact = config.library.contact
        http = make_http(settings, contact=contact, environ=environ, on_wait=steps.wait, waits=MOST_WAITS)
        client = make_oai_client(settings, http, environ=environ)
    try:
        yield client
    except UpstreamBusy as exc:
        exc.hint = exc.hint.replace(UpstreamBusy.hint, LATER)  # there is no flag here that overrides it
        raise
    except KeyboardInterrupt:
        raise Interrupted("interrupted; nothing was changed") from None
    finally:
        steps.done()
        client.close()


def make_oai_client(settings: SourceSettings, http: HttpClient, *, environ: Mapping[str, str]) -> OaiClient:
    """Return a client for the repository of a source, which sends its secrets and shows none of them."""
    redact = mask_for_source(settings, environ).text
    return OaiClient(settings.url, http, query=settings.secret_query or "", redact=redact)


def make_http(
    settings: SourceSettings,
    *,
    contact: str,
    environ: Mapping[str, str],
    store: Store | None = None,
    hosts: Hosts | None = None,
    sleep: Callable[[float], None] = time.sleep,
    on_wait: Callable[[Wait], None] | None = None,
    ignore_retry_after: bool = False,
    waits: int | None = None,
) -> HttpClient:
    """Give an HTTP client that behaves as a source is configured."""
    return HttpClient(
        HttpSettings(
            timeout_seconds=settings.timeout,
            deadline_seconds=settings.deadline,
            max_response_bytes=settings.max_response,
            attempts=settings.attempts,
            waits=waits,
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
            secret_path=settings.secret_path,
            public_query=settings.public_query,
        ),
        memory=store.memory if store else None,
        hosts=hosts,
        sleep=sleep,
        on_wait=on_wait,
    )
