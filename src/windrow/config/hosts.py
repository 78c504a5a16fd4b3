"""The kinds of value that name hosts: an address to listen on, networks, mail addresses, domains."""

from __future__ import annotations

import ipaddress
import re

from windrow.config.kinds import Kind, SettingError, words

_HOST = re.compile(r"[A-Za-z0-9_.-]{1,253}")
_MAIL = re.compile(r"[^\s@<>()\[\],;:\\\"]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*", re.ASCII)
# As the schema of oai-identifier has it.
_DOMAIN = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*(?:\.[a-zA-Z][a-zA-Z0-9-]*)+")
_LONGEST = 254


def is_mail(text: str) -> bool:
    """Say whether a text is a mail address."""
    return len(text) <= _LONGEST and bool(_MAIL.fullmatch(text))


def _read_host(value: object) -> str:
    text = value if isinstance(value, str) else ""
    bare = text.removeprefix("[").removesuffix("]")
    if not _HOST.fullmatch(bare) and not _is_network(bare):
        raise SettingError("must be a host name or an IP address, without a port")
    return bare


def _read_mail(value: object) -> str:
    if not isinstance(value, str) or not is_mail(value):
        raise SettingError("must be a mail address such as metadata@library.example")
    return value


def _read_mails(value: object) -> tuple[str, ...]:
    return tuple(map(_read_mail, _WORDS.read(value)))


def _read_domain(value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST or not _DOMAIN.fullmatch(value):
        raise SettingError("must be a domain name such as library.example")
    return value


def _read_networks(value: object) -> tuple[str, ...]:
    listed = _WORDS.read(value)
    if not all(map(_is_network, listed)):
        raise SettingError('must be a list of IP addresses or networks such as ["10.0.0.1", "10.1.0.0/16"]')
    return listed


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True


_WORDS = words(0)
HOST: Kind[str] = Kind("host name or IP address", _read_host)
MAIL: Kind[str] = Kind("mail address", _read_mail)
MAILS: Kind[tuple[str, ...]] = Kind("list of mail addresses", _read_mails, _WORDS.parse, _WORDS.show)
REPOSITORY_IDENTIFIER: Kind[str] = Kind("domain name", _read_domain)
NETWORKS: Kind[tuple[str, ...]] = Kind(
    "list of IP addresses or networks", _read_networks, _WORDS.parse, _WORDS.show
)
