"""The one tree of errors. Each knows its exit code, its HTTP status and a hint for a person.

WindrowError
├── UsageError            what was asked for makes no sense          exit 2
│   ├── ConfigError       windrow.toml or an option is wrong
│   ├── LibraryMissing    no library where we looked
│   └── NotFound          no such source, record, run …
├── StoreError            the library cannot be read or written      exit 1
│   ├── StoreFull         no space left
│   └── StoreVersion      written by a newer Windrow
├── SourceBusy            another process is harvesting this source  exit 75
├── UpstreamError         the source did not do its part             exit 1
│   ├── UpstreamBusy      it asked us to come back later             exit 75
│   ├── Unreachable       no answer: name, connection, TLS, timeout
│   ├── HttpRefused       an HTTP status that ends the request
│   ├── TooLarge          more bytes than the limit allows
│   ├── NotOai            an answer that is not OAI-PMH
│   ├── BadXml            an answer that no repair makes whole
│   └── OaiError          an OAI-PMH error, spoken properly
├── HostError             the host's scheduler did not do its part   exit 1
├── CannotDraw            a chart cannot be drawn here               exit 1
├── Undelivered           a message did not reach whom it is for     exit 1
└── Interrupted           Ctrl-C                                     exit 130
"""

from __future__ import annotations

from typing import ClassVar


class WindrowError(Exception):
    """Something went wrong that a person can be told about."""

    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500
    hint: str = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        if hint is not None:
            self.hint = hint


class UsageError(WindrowError):
    """What was asked for makes no sense."""

    exit_code = 2
    http_status = 400


class ConfigError(UsageError):
    """The configuration is wrong."""


class LibraryMissing(UsageError):
    """There is no library where we looked."""

    hint = "Make one with `windrow init NAME`, or point to one with --library DIR."


class NotFound(UsageError):
    """There is no such source, record, run or quarantined item."""

    http_status = 404


class StoreError(WindrowError):
    """The library cannot be read or written."""

    http_status = 503


class StoreFull(StoreError):
    """There is no space left where the library lives."""

    hint = "Free some space and run the same command again: it goes on from the last page stored."


class StoreVersion(StoreError):
    """The library was written by a newer Windrow."""

    hint = "Upgrade Windrow, then try again. Nothing was changed."


class SourceBusy(WindrowError):
    """Another process is harvesting this source."""

    exit_code = 75
    http_status = 503
    hint = "Wait until it is done, or stop that process; a dead one's claim lapses by itself."


class UpstreamError(WindrowError):
    """The source did not do its part."""

    http_status = 502


class UpstreamBusy(UpstreamError):
    """The source asked us to come back later.

    `seconds` is how long from now; None when it did not say.
    """

    exit_code = 75
    hint = "Windrow waits until then by itself; --ignore-retry-after overrides."

    def __init__(self, message: str, *, seconds: float | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.seconds = seconds
        if hint is None and seconds is None:
            self.hint = "It did not say until when; the next harvest tries again."


class Unreachable(UpstreamError):
    """No answer: the name, the connection, TLS or the time limit failed."""

    hint = "Check the address and the network; `windrow source check URL` probes it."


class HttpRefused(UpstreamError):
    """An HTTP status that ends the request. `status` is the number."""

    def __init__(self, message: str, *, status: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class TooLarge(UpstreamError):
    """The answer has more bytes than the limit allows."""

    hint = "Raise `max_response` for this source if the answer is honest."


class NotOai(UpstreamError):
    """The answer is not OAI-PMH. `body` is what came instead."""

    hint = "Is this the OAI-PMH base URL? `windrow source check URL` shows what it answers."

    def __init__(self, message: str, *, body: bytes = b"", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.body = body


class BadXml(UpstreamError):
    """The answer is not well-formed and no repair makes it whole. `body` is what came."""

    def __init__(self, message: str, *, body: bytes = b"", is_truncated: bool = False) -> None:
        super().__init__(message)
        self.body = body
        self.is_truncated = is_truncated


class OaiError(UpstreamError):
    """An OAI-PMH error, spoken properly. `code` is the protocol's word for it."""

    def __init__(self, code: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(f"{code}: {message}" if message else code, hint=hint)
        self.code = code


class HostError(WindrowError):
    """The host's scheduler did not do its part; what it has is as it was."""

    hint = "Leave out --host: then `windrow serve` or `windrow worker` runs the job."


class CannotDraw(WindrowError):
    """Charts cannot be drawn here; the tables are whole without them."""

    hint = "Install Windrow's dependencies again: vl-convert-python draws the charts."


class Undelivered(WindrowError):
    """A message did not reach whom it is for. With `is_partial` some of them have it."""

    http_status = 502

    def __init__(self, message: str, *, hint: str | None = None, is_partial: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.is_partial = is_partial


class Interrupted(WindrowError):
    """The person pressed Ctrl-C, or the system asked us to stop."""

    exit_code = 130
