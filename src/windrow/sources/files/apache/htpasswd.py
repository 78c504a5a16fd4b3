"""Passwords and groups in Apache's files (htpasswd), and access to files that an .htaccess protects.

The files are read again for each request, so that a changed password takes effect at once. Only successful
and failed comparisons of passwords with hashes are cached, because some hashes are slow by design.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import os
import secrets
from functools import lru_cache
from hashlib import md5
from pathlib import Path

from windrow.sources.files.apache.access_control import Access, Person, holds
from windrow.sources.files.apache.htaccess_scope import SECTIONS, Scope, read_regular, scope_above
from windrow.sources.files.visibility import split_path

# The `$apr1$` password hash of Apache's htpasswd: MD5, salted and repeated a thousand times.

PREFIX = b"$apr1$"
ROUNDS = 1000
SALT_BYTES = 8

_LETTERS = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# The bytes of the digest that each four characters encode.
_ORDER = ((0, 6, 12), (1, 7, 13), (2, 8, 14), (3, 9, 15), (4, 10, 5))


def apr_md5(password: bytes, hashed: bytes) -> bytes:
    """Return the full hash of a password, with the salt of another hash."""
    salt = hashed.removeprefix(PREFIX).partition(b"$")[0][:SALT_BYTES]
    digest = _stretched(_first_digest(password, salt), password, salt)
    return PREFIX + salt + b"$" + _encode_digest(digest)


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


def _encode_digest(digest: bytes) -> bytes:
    text = b"".join(
        _base64(digest[first] << 16 | digest[second] << 8 | digest[third], letters=4)
        for first, second, third in _ORDER
    )
    return text + _base64(digest[11], letters=2)


def _base64(value: int, *, letters: int) -> bytes:
    return bytes(_LETTERS[value >> (6 * place) & 63] for place in range(letters))


def _md5(text: bytes) -> bytes:
    return md5(text, usedforsecurity=False).digest()


MAX_PASSWORD_FILE_BYTES = 1 << 22
MAX_REMEMBERED_CHECKS = 1000
MAX_PASSWORD_BYTES = 1024
MAX_BCRYPT_COST = 17  # the maximum of the htpasswd program
BCRYPT_BYTES = 72  # bcrypt ignores what follows

_LOG = logging.getLogger(__name__)
_remembered_checks: dict[tuple[bytes, bytes], bool] = {}


def has_password(file: str, username: str, password: str) -> bool:
    """Return whether the file has this user with this password. An unreadable file has no users."""
    secret = password.encode("utf-8", "surrogateescape")
    if not username or ":" in username or "\n" in username or len(secret) > MAX_PASSWORD_BYTES:
        return False
    hashed = _find_line(_read(file), username.encode("utf-8", "surrogateescape"))
    return hashed is not None and _matches_hash(hashed.partition(b":")[0].strip(), secret)


def user_groups(file: str, username: str) -> frozenset[str]:
    """Return the groups of a user. An unreadable file has none."""
    found: set[str] = set()
    for line in _read(file).decode("utf-8", "surrogateescape").split("\n"):
        group, colon, members = line.partition(":")
        if colon and username in members.split():
            found.add(group.strip())
    return frozenset(found)


def _read(file: str) -> bytes:
    try:
        return read_regular(file, most_bytes=MAX_PASSWORD_FILE_BYTES)
    except (OSError, ValueError) as exc:
        _LOG.warning("the password or group file %s cannot be read: %s", file, exc)
        return b""


def _find_line(data: bytes, user: bytes) -> bytes | None:
    """Return what follows `user:` in the first matching line."""
    start = b"\n" + user + b":"
    data = b"\n" + data
    at = data.find(start)
    if at < 0 or user.startswith(b"#"):
        return None
    return data[at + len(start) :].partition(b"\n")[0]


def _matches_hash(hashed: bytes, password: bytes) -> bool:
    """Return whether a password matches a hash; plain text and old crypt(3) hashes (unsafe) never do."""
    if hashed.startswith(b"{SHA}"):
        digest = hashlib.sha1(password, usedforsecurity=False).digest()
        return hmac.compare_digest(base64.b64encode(digest), hashed[5:])
    key = (hashed, hashlib.blake2b(password, key=_process_key(), digest_size=32).digest())
    verdict = _remembered_checks.get(key)
    if verdict is None:
        verdict = _matches_slow_hash(hashed, password)
        while len(_remembered_checks) >= MAX_REMEMBERED_CHECKS:
            _remembered_checks.pop(next(iter(_remembered_checks), key), None)
        _remembered_checks[key] = verdict
    return verdict


@lru_cache(maxsize=1)
def _process_key() -> bytes:
    """Return the secret of this process, which makes the cache useless to an attacker who reads memory."""
    return secrets.token_bytes(32)


def _matches_slow_hash(hashed: bytes, password: bytes) -> bool:
    if hashed.startswith(b"$apr1$"):
        return hmac.compare_digest(apr_md5(password, hashed), hashed)
    if hashed.startswith((b"$2y$", b"$2b$", b"$2a$")):
        return _matches_bcrypt(hashed, password)
    return False


def _matches_bcrypt(hashed: bytes, password: bytes) -> bool:
    try:
        import bcrypt  # noqa: PLC0415 - an optional package
    except ImportError:
        _LOG.warning(
            "a password file has bcrypt hashes, which match nothing: `pip install bcrypt` to read them"
        )
        return False
    cost = hashed[4:6]
    if not cost.isdigit() or int(cost) > MAX_BCRYPT_COST:
        return False
    try:
        return bcrypt.checkpw(password[:BCRYPT_BYTES], hashed)
    except ValueError:  # not a valid hash
        return False


# Access to protected files, checked by the front ends once for each guard. A guard comes from
# `FoundFile.guards`: a folder relative to the root, or a folder and its <Files> sections. It is evaluated
# again for each request, so that a changed .htaccess or password file takes effect at once.


def satisfies_guard(root: Path, guard: str, *, username: str | None, password: str | None) -> bool:
    """Return whether these credentials, or none, satisfy a guard.

    A guard whose folder or sections are gone denies access until the next scan.
    """
    folder, _, digests = guard.partition(SECTIONS)
    scope = _scope_at(os.path.realpath(root), folder)
    access = scope.access_of(digests) if scope else None
    if access is None:
        return False
    requirement = access.whole()
    for_all = holds(requirement, None)
    if for_all is not None:  # no password is needed, or none would help
        return for_all
    return holds(requirement, _authenticate(access, username, password)) is True


def _scope_at(root: str, folder: str) -> Scope | None:
    parts = split_path(folder)
    if parts is None or not os.path.isdir(os.path.join(root, *parts)):
        return None
    scope = scope_above(root).below(root, "")
    for depth in range(1, len(parts) + 1):
        path = "/".join(parts[:depth])
        scope = scope.below(os.path.join(root, *parts[:depth]), path)
    return scope


def _authenticate(access: Access, username: str | None, password: str | None) -> Person | None:
    """Return the user with these credentials, or None."""
    if username is None or password is None or access.user_file is None:
        return None
    if access.auth_type != "basic" or access.provider not in {None, "file"}:
        return None
    if not has_password(access.user_file, username, password):
        return None
    groups = user_groups(access.group_file, username) if access.group_file else frozenset[str]()
    return Person(username, groups)
