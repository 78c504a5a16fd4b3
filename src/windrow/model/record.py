"""What a source said about one thing, as it was cut out of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Record(NamedTuple):  # not a dataclass: harvesting makes millions, and this is made twice as fast
    """One entry of a list: an identifier with its payload, or a tombstone, or only a header.

    `payload` holds the bytes inside `<metadata>` as they came (UTF-8); None for tombstones and headers.
    `declarations` are the namespace declarations in scope there, as they would stand in a start tag.
    """

    identifier: str
    stamp: str  # the provider's datestamp, as it came
    sets: tuple[str, ...]
    is_deleted: bool
    payload: bytes | None = None
    about: bytes | None = None
    declarations: bytes = b""


@dataclass(frozen=True, slots=True)
class Reject:
    """A piece of a page that cannot be kept as a record: why, and its bytes."""

    reason: str
    raw: bytes
    identifier: str | None = None
