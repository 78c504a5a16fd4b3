"""The kinds of value that are command lines: split as a shell would, and never given to one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

from windrow.config import kinds
from windrow.config.addresses import mask_url
from windrow.config.kinds import Kind, SettingError

OURSELVES = "windrow"
_ADDRESS = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
# A job that began one of these would never end, or would be a job about jobs.
NO_JOBS = ("schedule", "worker", "serve", "demo", "init")


def split(line: str) -> tuple[str, ...]:
    """Give the words of a command line; SettingError where a quote is left open."""
    try:
        return tuple(shlex.split(line))
    except ValueError:
        raise SettingError("must be a command line, with every quote closed") from None


def join(words: tuple[str, ...]) -> str:
    """Write words as a command line."""
    return shlex.join(words)


def addresses_in(words: Iterable[str]) -> Iterator[str]:
    """Yield the addresses in the words of a command line. They may have keys in them."""
    for word in words:
        yield from _ADDRESS.findall(word)


def _show(words: Iterable[str]) -> str:
    return join(tuple(_ADDRESS.sub(lambda found: mask_url(found[0]), word) for word in words))


def _read_ours(value: object) -> str:
    words = split(kinds.TEXT.read(value))
    words = words[1:] if words[:1] == (OURSELVES,) else words
    if not words or words[0].startswith("-"):
        raise SettingError('must be a command line of windrow, such as "harvest theseus"')
    if words[0] in NO_JOBS:
        raise SettingError(f"must not begin with {words[0]}: that is nothing to do at certain times")
    return join(words)


def _read_foreign(value: object) -> tuple[str, ...]:
    words = split(kinds.TEXT.read(value))
    if not words or not words[0]:
        raise SettingError("must be a command line, such as '/usr/local/bin/tell --quiet'")
    return words


def _read_arguments(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not value or len(value) > kinds.MOST_LINES:
        raise SettingError(
            'must be a list: a program and its arguments, such as ["/usr/local/bin/fetch", "-q"]'
        )
    words = tuple(map(kinds.TEXT.read, value))
    if not words[0]:
        raise SettingError("must begin with a program")
    return words


OUR_COMMAND: Kind[str] = Kind("command line of windrow", _read_ours, show=lambda line: _show(split(line)))
COMMAND: Kind[tuple[str, ...]] = Kind("command line", _read_foreign, show=_show)
ARGUMENTS: Kind[tuple[str, ...]] = Kind(
    "program and its arguments", _read_arguments, lambda text: list(split(text)), _show
)
