"""Content negotiation: Accept, Accept-Encoding and Accept-Language."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

_MAX_HEADER_LENGTH = 2000  # no client needs more; a longer header is ignored
_PAGES = ("text/html", "application/xhtml+xml")
_DATA = ("text/xml", "application/xml")
_ENCODINGS = ("zstd", "gzip")  # in order of preference where both are equally acceptable


@lru_cache(maxsize=512)
def prefers_page(accept: bytes) -> bool:
    """Return whether a client prefers HTML to XML, as browsers do. Harvesters accept anything, or XML."""
    weights = dict(_parse_qualities(accept))
    page = max((weights[kind] for kind in _PAGES if kind in weights), default=0.0)
    return page > max(_quality_of_media_type(kind, weights) for kind in _DATA)


def _quality_of_media_type(kind: str, weights: dict[str, float]) -> float:
    for pattern in (kind, f"{kind.partition('/')[0]}/*", "*/*"):
        if pattern in weights:
            return weights[pattern]
    return 0.0


@lru_cache(maxsize=512)
def best_media_type(accept: bytes, offered: tuple[str, ...]) -> str:
    """Return the preferred offered type; the first of equals, also where none is acceptable."""
    weights = dict(_parse_qualities(accept))
    return max(offered, key=lambda kind: _quality_of_media_type(kind, weights))


@lru_cache(maxsize=512)
def best_encoding(accept_encoding: bytes) -> str:
    """Return "zstd", "gzip" or "". An encoding that is not listed is not acceptable."""
    weights = dict(_parse_qualities(accept_encoding))
    anything = weights.get("*", 0.0)
    ranked = [(weights.get(name, anything), name) for name in _ENCODINGS]
    best = max(ranked, key=lambda entry: entry[0])  # the first of equals
    return best[1] if best[0] > 0 else ""


@lru_cache(maxsize=512)
def best_language(accept_language: bytes, offered: tuple[str, ...], usual: str) -> str:
    """Return the preferred offered language; the usual one where none is acceptable."""
    weights: dict[str, float] = {}
    for name, weight in _parse_qualities(accept_language):
        code = name.partition("-")[0]  # sv-FI matches sv
        weights[code] = max(weight, weights.get(code, 0.0))
    ranked = [code for code in weights if code in offered]
    best = max(ranked, key=lambda code: weights[code], default=usual)  # the first of equals
    return best if weights.get(best, 0.0) > 0 else usual


def _parse_qualities(header: bytes) -> Iterator[tuple[str, float]]:
    """Yield each item of a header with its q value; a malformed one counts as 1, as an absent one does."""
    if len(header) > _MAX_HEADER_LENGTH:
        return
    for item in header.decode("latin-1").lower().split(","):
        name, *parameters = (part.strip() for part in item.split(";"))
        quality = 1.0
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip() == "q":
                quality = _parse_quality(value.strip())
        if name:
            yield name, quality


def _parse_quality(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 1.0
    return min(max(value, 0.0), 1.0) if value == value else 0.0  # noqa: PLR0124 - not a number
