"""Where the pages of many records are, quickly: beside `addresses`, which says it for one."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.finding.addresses import record_path

# What stands for itself in an address; of it, what a browser or a proxy would tidy away.
_PLAIN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~:@!$()*+,;=/-"
_TIDIED = ("//", "/./", "/../")


def record_paths(source: str, identifiers: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Give the paths of records of one source: what they all begin with, and how each goes on.

    Nearly always the identifiers go on just as they are, and a look at all of them together tells.
    """
    start = record_path(source, "")
    together = f"/{'/ /'.join(identifiers)}/"
    odd = together.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    if len(odd) == max(len(identifiers) - 1, 0) and not any(part in together for part in _TIDIED):
        return start, identifiers
    return start, [record_path(source, each).removeprefix(start) for each in identifiers]


def are_plain(text: str, *, marks: str, count: int) -> bool:
    """Say whether identifiers written together go on in a path just as they are.

    Behind and between them stand marks, so many in all: letters that no address has.
    """
    odd = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    for mark in marks:
        text = text.replace(mark, f"/{mark}/")
    framed = f"/{text}/"
    return len(odd) == count and not any(part in framed for part in _TIDIED)
