"""Media types as sets: image/jpeg is the set mime:image:jpeg, inside mime:image, inside mime.

A setSpec has fewer characters than a media type. The others are written as ~ and two hexadecimal digits, so
image/svg+xml is mime:image:svg~2Bxml, and the way back is exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

ROOT = "mime"
ROOT_NAME = "Files by media type"
_OTHER = re.compile(r"[^A-Za-z0-9_.!*'()-]")  # what the protocol's schema allows, less our own ~
_CODED = re.compile(r"~([0-9A-F]{2})")


@lru_cache(maxsize=1024)
def set_of(media_type: str) -> str:
    """Give the setSpec of a media type."""
    parts = (_OTHER.sub(lambda found: f"~{ord(found[0]):02X}", part) for part in media_type.split("/", 1))
    return ":".join((ROOT, *parts))


def type_of(spec: str) -> str:
    """Give the media type, or the family of them, that a setSpec of ours stands for; "" for all of them."""
    return "/".join(_CODED.sub(lambda found: chr(int(found[1], 16)), part) for part in spec.split(":")[1:])


def named_sets(specs: Iterable[str]) -> list[tuple[str, str]]:
    """Give these sets and those they lie in, each with its name, the outermost first."""
    found = {ROOT: ROOT_NAME}
    for spec in sorted(specs):
        root, family, *rest = spec.split(":")
        if root == ROOT:
            found.setdefault(f"{root}:{family}", type_of(f"{root}:{family}"))
            if rest:
                found[spec] = type_of(spec)
    return sorted(found.items())
