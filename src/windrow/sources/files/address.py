"""A file's public address, which is its identifier, and the way back from an address to the file."""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

_SAFE = "/~!$&'()*+,;=:@"  # RFC 3986, 3.3: what may stand in a path as it is


def address_of(url: str, path: str) -> str:
    """Give the address of the file at a path, under the address of its folder."""
    return url + quote(path, safe=_SAFE)


def path_of(url: str, address: str) -> str | None:
    """Give the path of the file with this address; None for an address that no file here can have.

    Only the one spelling that `address_of` gives counts: every file has exactly one identifier.
    """
    if not address.startswith(url):
        return None
    try:
        path = unquote_to_bytes(address[len(url) :]).decode()
    except UnicodeError:
        return None
    return path if path and address_of(url, path) == address else None
