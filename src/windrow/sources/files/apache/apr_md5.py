"""The `$apr1$` password hash of Apache's htpasswd: MD5, salted and repeated a thousand times. Pure."""

from __future__ import annotations

from hashlib import md5

PREFIX = b"$apr1$"
ROUNDS = 1000
SALT_BYTES = 8

_LETTERS = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Which bytes of the digest make each four letters of the text.
_ORDER = ((0, 6, 12), (1, 7, 13), (2, 8, 14), (3, 9, 15), (4, 10, 5))


def apr_md5(password: bytes, hashed: bytes) -> bytes:
    """Give the whole hash of a password, with the salt of another hash."""
    salt = hashed.removeprefix(PREFIX).partition(b"$")[0][:SALT_BYTES]
    digest = _stretched(_first_digest(password, salt), password, salt)
    return PREFIX + salt + b"$" + _letters(digest)


def _first_digest(password: bytes, salt: bytes) -> bytes:
    mixed = _md5(password + salt + password)
    text = password + PREFIX + salt + (mixed * (len(password) // 16 + 1))[: len(password)]
    length = len(password)
    while length:  # one byte for each bit of the length, by its value
        text += b"\0" if length & 1 else password[:1]
        length >>= 1
    return _md5(text)


def _stretched(digest: bytes, password: bytes, salt: bytes) -> bytes:
    for turn in range(ROUNDS):
        digest = _md5(
            (password if turn & 1 else digest)
            + (salt if turn % 3 else b"")
            + (password if turn % 7 else b"")
            + (digest if turn & 1 else password)
        )
    return digest


def _letters(digest: bytes) -> bytes:
    text = b"".join(
        _base64(digest[first] << 16 | digest[second] << 8 | digest[third], letters=4)
        for first, second, third in _ORDER
    )
    return text + _base64(digest[11], letters=2)


def _base64(value: int, *, letters: int) -> bytes:
    return bytes(_LETTERS[value >> (6 * place) & 63] for place in range(letters))


def _md5(text: bytes) -> bytes:
    return md5(text, usedforsecurity=False).digest()
