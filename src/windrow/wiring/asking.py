"""What asks repositories: clients that behave as their sources are configured."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from windrow.config.masking import mask_for_source
from windrow.config.passwords import find_password
from windrow.config.schema import FILES, SourceSettings
from windrow.errors import UsageError
from windrow.net.client import HttpClient
from windrow.net.settings import HttpSettings, user_agent
from windrow.sources.oai import OaiClient

if TYPE_CHECKING:
    from windrow.net.politeness import Hosts, Wait
    from windrow.store.store import Store
    from windrow.wiring.library import Library


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
    if settings.kind == FILES:
        raise UsageError(
            f"{settings.name} is a folder: there is no repository to be asked",
            hint=f"`windrow harvest {settings.name}` looks at its files, with --full at each anew.",
        )
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
            public_query=settings.public_query,
        ),
        memory=store.memory if store else None,
        hosts=hosts,
        sleep=sleep,
        on_wait=on_wait,
    )
