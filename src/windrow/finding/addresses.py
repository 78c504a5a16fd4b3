"""Where a record's page is, from its source and its identifier."""

from __future__ import annotations

from urllib.parse import quote

# Slashes of an identifier stay as they are, but for those that a browser or a proxy would tidy away.
_TIDIED = ("//", "/./", "/../")


def record_path(source: str, identifier: str, *, under: str = "/record") -> str:
    """Give the path of a record's page; read back, it is the same source and identifier."""
    framed = f"/{identifier}/"
    is_plain = not any(part in framed for part in _TIDIED)
    written = quote(identifier, safe="/:@!$&'()*+,;=" if is_plain else ":@!$&'()*+,;=", errors="replace")
    return f"{under}/{quote(source, safe='', errors='replace')}/{written}"
