"""Whether a password is the one in a web server's password file, and who is in which group.

Used by `guards`. Nothing of the files is kept: each question reads them anew, so that a changed
password holds at once. What is kept is whether a password fits a hash, because some hashes are slow
on purpose.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import secrets
from functools import lru_cache

from windrow.sources.files.apache.apr_md5 import apr_md5
from windrow.sources.files.apache.reading import read_regular

MOST_BYTES = 1 << 22
MOST_VERDICTS = 1000
LONGEST_PASSWORD_BYTES = 1024
COSTLIEST_BCRYPT = 17  # what the htpasswd program allows
BCRYPT_BYTES = 72  # what follows does not count

_LOG = logging.getLogger(__name__)
_verdicts: dict[tuple[bytes, bytes], bool] = {}


def has_password(file: str, username: str, password: str) -> bool:
    """Say whether the file has this user with this password. A file that cannot be read has nobody."""
    secret = password.encode("utf-8", "surrogateescape")
    if not username or ":" in username or "\n" in username or len(secret) > LONGEST_PASSWORD_BYTES:
        return False
    hashed = _line_of(_read(file), username.encode("utf-8", "surrogateescape"))
    return hashed is not None and _fits(hashed.partition(b":")[0].strip(), secret)


def groups_of(file: str, username: str) -> frozenset[str]:
    """Give the groups a user is in. A file that cannot be read has none."""
    found: set[str] = set()
    for line in _read(file).decode("utf-8", "surrogateescape").split("\n"):
        group, colon, members = line.partition(":")
        if colon and username in members.split():
            found.add(group.strip())
    return frozenset(found)


def _read(file: str) -> bytes:
    try:
        return read_regular(file, most_bytes=MOST_BYTES)
    except (OSError, ValueError) as exc:
        _LOG.warning("the password or group file %s cannot be read: %s", file, exc)
        return b""


def _line_of(data: bytes, user: bytes) -> bytes | None:
    """Give what follows the first line's `user:`."""
    start = b"\n" + user + b":"
    data = b"\n" + data
    at = data.find(start)
    if at < 0 or user.startswith(b"#"):
        return None
    return data[at + len(start) :].partition(b"\n")[0]


def _fits(hashed: bytes, password: bytes) -> bool:
    """Say whether a password fits a hash. Plain and old crypt(3) hashes fit nothing: they are not safe."""
    if hashed.startswith(b"{SHA}"):
        digest = hashlib.sha1(password, usedforsecurity=False).digest()
        return hmac.compare_digest(base64.b64encode(digest), hashed[5:])
    key = (hashed, hashlib.blake2b(password, key=_process_key(), digest_size=32).digest())
    verdict = _verdicts.get(key)
    if verdict is None:
        verdict = _fits_slowly(hashed, password)
        while len(_verdicts) >= MOST_VERDICTS:
            _verdicts.pop(next(iter(_verdicts), key), None)
        _verdicts[key] = verdict
    return verdict


@lru_cache(maxsize=1)
def _process_key() -> bytes:
    """Give the secret of this process: what is kept in memory is no use to anybody who reads it."""
    return secrets.token_bytes(32)


def _fits_slowly(hashed: bytes, password: bytes) -> bool:
    if hashed.startswith(b"$apr1$"):
        return hmac.compare_digest(apr_md5(password, hashed), hashed)
    if hashed.startswith((b"$2y$", b"$2b$", b"$2a$")):
        return _fits_bcrypt(hashed, password)
    return False


def _fits_bcrypt(hashed: bytes, password: bytes) -> bool:
    try:
        import bcrypt  # noqa: PLC0415 - an optional package
    except ImportError:
        _LOG.warning(
            "a password file has bcrypt hashes, which match nothing: `pip install bcrypt` to read them"
        )
        return False
    cost = hashed[4:6]
    if not cost.isdigit() or int(cost) > COSTLIEST_BCRYPT:
        return False
    try:
        return bcrypt.checkpw(password[:BCRYPT_BYTES], hashed)
    except ValueError:  # not a hash after all
        return False
