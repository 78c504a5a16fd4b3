"""The tree of errors. Each class has an exit code, an HTTP status and a hint for the user.

WindrowError
├── UsageError            the request makes no sense                 exit 2
│   ├── ConfigError       windrow.toml or an option is wrong
│   ├── LibraryMissing    no library was found
│   ├── QueryTooCostly    a search that would take too long
│   ├── Unsortable        results cannot be sorted as requested
│   │   ├── TooManyToSort there are too many of them
│   │   └── ValueMissing  one has no value of the sort key
│   ├── Unscannable       a field whose terms cannot be listed
│   ├── NotExpressible    a query that CQL or RPN cannot express
│   ├── BadPqf            a text that is not a PQF query
│   ├── RpnError          a Z39.50 request that cannot be executed
│   └── NotFound          no such source, record, run …
├── StoreError            the library cannot be read or written      exit 1
│   ├── StoreFull         no space left
│   ├── StoreReadOnly     it can be read but not changed
│   └── StoreVersion      written by a newer Windrow
├── SourceBusy            another process is harvesting this source  exit 75
├── UpstreamError         the source failed                          exit 1
│   ├── UpstreamBusy      it asked to be contacted later             exit 75
│   ├── PrivateAddress    a host of a private network that is not allowed
│   ├── Unreachable       no answer: name, connection, TLS, timeout
│   ├── HttpRefused       an HTTP status that ends the request
│   ├── TooLarge          more bytes than the limit allows
│   ├── NotOai            an answer that is not OAI-PMH
│   ├── BadXml            an answer that cannot be repaired
│   └── OaiError          an error reported by OAI-PMH
├── HostError             the host's scheduler failed                exit 1
├── CannotDraw            a chart cannot be drawn here               exit 1
├── Undelivered           a notification was not delivered           exit 1
└── Interrupted           Ctrl-C                                     exit 130
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import ClassVar


def install_hint(extra: str = "") -> str:
    """Return how to install the packages of an extra; without one, those of Windrow itself.

    It names no entry of a package index: Windrow is installed from a copy of the project.
    """
    what = f"'.[{extra}]'" if extra else "."
    return f"In the folder of your copy of Windrow: pip install {what}"


class WindrowError(Exception):
    """The base class of all errors with a message for the user."""

    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500
    hint: str = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        if hint is not None:
            self.hint = hint

    @property
    def sentences(self) -> str:
        """The message and the hint as whole sentences, for answers over HTTP."""
        words = str(self)
        return f"{words[:1].upper()}{words[1:]}".rstrip(".") + f". {self.hint}".rstrip()


class UsageError(WindrowError):
    """The request makes no sense."""

    exit_code = 2
    http_status = 400


class ConfigError(UsageError):
    """The configuration is wrong."""


class LibraryMissing(UsageError):
    """No library was found."""

    hint = "Make one with `windrow init NAME`, or point to one with --library DIR."


class QueryTooCostly(UsageError):
    """A search was refused before it started because it would take too long. `reason` names the cause."""

    REASONS: ClassVar[dict[str, tuple[str, str]]] = {
        "patterns": (
            "this search would take too long: its wildcards, tildes and ranges stand for too many words",
            "Write more letters before the first * or ?, name a field as in title:forest*, or use fewer of"
            " them at once.",
        ),
        "words": (
            "this search would take too long: it has too many words that many records have",
            "Leave out common words, or ask for fewer alternatives at once.",
        ),
        "phrases": (
            "this search would take too long: its phrases are of words that too many records have",
            "Ask for fewer phrases at once, for rarer words, or for less between them.",
        ),
        "event": (
            "what is asked of one event comes to too many cases",
            "Ask for less at a time inside event:( … ).",
        ),
    }

    def __init__(self, reason: str) -> None:
        what, to_do = self.REASONS[reason]
        super().__init__(what, hint=to_do)
        self.reason = reason


class Unsortable(UsageError):
    """The results cannot be sorted as requested."""


class TooManyToSort(Unsortable):
    """There are more results than can be sorted."""

    hint = "Narrow the search, or take the results as they come."


class ValueMissing(Unsortable):
    """A result has no value of a sort key, and the request allows no results without one."""

    hint = "Say what becomes of results without a value, such as missingLow."


class Unscannable(UsageError):
    """The terms of a field cannot be listed, neither as words nor as whole values."""


class NotExpressible(UsageError):
    """The query cannot be expressed in CQL or RPN."""


class BadPqf(UsageError):
    """The text is not a query in PQF."""

    hint = 'PQF looks like this: @and @attr 1=4 harvest @attr 1=1003 "van gogh".'


class RpnError(UsageError):
    """A Z39.50 request cannot be executed: the Bib-1 condition and the part it is about."""

    def __init__(self, condition: int, about: str = "") -> None:
        name = getattr(condition, "name", "").lower().replace("_", " ")
        words = f"{name or 'this'} is not possible" + (f": {about}" if about else "")
        super().__init__(words, hint=f"This is diagnostic {int(condition)} of Bib-1.")
        self.condition = condition
        self.about = about


class NotFound(UsageError):
    """There is no such source, record, run or quarantined item."""

    http_status = 404


class StoreError(WindrowError):
    """The library cannot be read or written."""

    http_status = 503


class StoreFull(StoreError):
    """There is no space left on the library's disk."""

    hint = "Free some space and run the same command again: it goes on from the last page stored."


class StoreReadOnly(StoreError):
    """The library can be read but not changed here."""

    hint = (
        "To change it, run the command as a user who may write there, or make the folder writable. Searching,"
        " exporting and serving work as it is."
    )


class StoreVersion(StoreError):
    """The library was written by a newer Windrow."""

    hint = "Upgrade Windrow, then try again. Nothing was changed."


class SourceBusy(WindrowError):
    """Another process is harvesting this source."""

    exit_code = 75
    http_status = 503
    hint = "Wait until it is done, or stop that process; a dead one's claim lapses by itself."


class UpstreamError(WindrowError):
    """The source failed."""

    http_status = 502


class PrivateAddress(UpstreamError):
    """The host is in a private network, which is allowed only for a web site with `private = true`."""

    hint = "If the site is meant to be harvested, say so: private = true, or --private."


class UpstreamBusy(UpstreamError):
    """The source asked to be contacted later.

    `seconds` is the delay from now; None if the source did not specify one.
    """

    exit_code = 75
    hint = "Windrow waits until then by itself; --ignore-retry-after overrides."

    def __init__(self, message: str, *, seconds: float | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.seconds = seconds
        if hint is None and seconds is None:
            self.hint = "It did not say until when; the next harvest tries again."


class Unreachable(UpstreamError):
    """There is no answer: the name, the connection, TLS or the time limit failed."""

    hint = "Check the address and the network; `windrow source check URL` probes it."


class HttpRefused(UpstreamError):
    """An HTTP status ended the request. `status` is the number."""

    def __init__(self, message: str, *, status: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class TooLarge(UpstreamError):
    """The answer has more bytes than the limit allows."""

    hint = "Raise `max_response` for this source if the answer is honest."


class NotOai(UpstreamError):
    """The answer is not OAI-PMH. `body` is what was received instead."""

    hint = "Is this the OAI-PMH base URL? `windrow source check URL` shows what it answers."

    def __init__(self, message: str, *, body: bytes = b"", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.body = body


class HeadersOnly(NotOai):
    """ListRecords was answered with a list of headers, as for ListIdentifiers."""

    hint = "Setting `mode` to one-by-one fetches each record by itself."


class BadXml(UpstreamError):
    """The answer is not well-formed and cannot be repaired. `body` is what was received."""

    def __init__(self, message: str, *, body: bytes = b"", is_truncated: bool = False) -> None:
        super().__init__(message)
        self.body = body
        self.is_truncated = is_truncated


class OaiError(UpstreamError):
    """The source reported an OAI-PMH error. `code` is the error code of the protocol."""

    def __init__(self, code: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(f"{code}: {message}" if message else code, hint=hint)
        self.code = code


class HostError(WindrowError):
    """The host's scheduler failed; its entries are unchanged."""

    hint = "Leave out --host: then `windrow serve` or `windrow worker` runs the job."


class CannotDraw(WindrowError):
    """Charts cannot be drawn here; the tables are complete without them."""

    hint = "Install Windrow's dependencies again: vl-convert-python draws the charts."


class Undelivered(WindrowError):
    """A notification was not delivered. With `is_partial`, some recipients have it."""

    http_status = 502

    def __init__(self, message: str, *, hint: str | None = None, is_partial: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.is_partial = is_partial


class Interrupted(WindrowError):
    """The user pressed Ctrl-C, or the system asked the process to stop."""

    exit_code = 130


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FREE_SPACE = "Free some space and run the same command again."
_PERMISSION = "Choose a place of your own, or get the permission to write to {folder}."
# Why something cannot be written, and what to do about it; {folder} is the target folder.
_REASONS = {
    errno.EACCES: ("you have no permission to write there", _PERMISSION),
    errno.EPERM: ("the system does not allow it", _PERMISSION),
    errno.EROFS: ("its file system is read-only", "Choose a place on a file system that is writable."),
    errno.ENOSPC: ("the disk is full", _FREE_SPACE),
    errno.EDQUOT: ("your disk quota is used up", _FREE_SPACE),
    errno.EFBIG: ("the file would be larger than the system allows", "Choose another file system."),
    errno.ENOENT: ("its folder does not exist", "Make that first: mkdir -p {folder}"),
    errno.ENOTDIR: ("a part of its path is a file, and no folder", "Check the path."),
    errno.EEXIST: ("there is a file of that name", "Choose another name, or move the file away."),
    errno.EISDIR: ("it is a folder", "Name a file."),
    errno.ENAMETOOLONG: ("its name is too long", "Choose a shorter one."),
    errno.ELOOP: ("its path is a circle of links", "Check the path."),
    errno.EIO: ("the disk reports an error", "Check the disk: it may be failing."),
    errno.EMFILE: ("too many files are open", "Let the process open more: ulimit -n."),
    errno.ENFILE: ("too many files are open", "Try again when other programs have closed some."),
}


def explain_write(exc: OSError, path: Path | str) -> tuple[str, str]:
    """Return why a path cannot be written, and what to do about it."""
    known = ((exc.strerror or str(exc)), "Check the path, and that you may write there.")
    words, hint = _REASONS.get(exc.errno or 0, known)
    place = Path(path).absolute()
    return words, hint.format(folder=place if os.path.isdir(place) else place.parent)


def unwritable(path: Path | str, exc: OSError, error: type[WindrowError] = StoreError) -> WindrowError:
    """Return the error for a path that cannot be written; StoreFull if the disk is full."""
    words, hint = explain_write(exc, path)
    kind = StoreFull if exc.errno in _FULL else error
    return kind(f"cannot write {path}: {words}", hint=hint)
