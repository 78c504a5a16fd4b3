"""Secrets kept out of what is written down or sent: each that the settings know is blotted out.

No command prints one by intent; this is for what a server, or a program of the owner's, says back to us.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from windrow.config.addresses import MASK
from windrow.config.fields import Settings, fields_of
from windrow.config.notify import NotifySettings
from windrow.config.passwords import find_password, find_webhook_secret
from windrow.config.schema import Config, HttpSettings
from windrow.errors import ConfigError

SHORTEST = 6  # letters; to blot out every "a" would help nobody


class Mask:
    """Blots out secrets in texts, and in output that comes piece by piece."""

    def __init__(self, secrets: Iterable[str]) -> None:
        # The longest first: one may be part of another.
        found = sorted({each for each in secrets if len(each) >= SHORTEST}, key=len, reverse=True)
        self._secrets = tuple(each.encode() for each in found)
        self._held = b""

    def text(self, words: str) -> str:
        """Give a text without the secrets in it."""
        if not self._secrets:
            return words
        return self._blot(words.encode("utf-8", "replace")).decode("utf-8", "replace")

    def feed(self, some: bytes) -> bytes:
        """Give the next piece without secrets. What may be the beginning of one waits for the next piece."""
        if not self._secrets:
            return some
        whole = self._blot(self._held + some)
        cut = len(whole) - max(map(len, self._begun(whole)), default=0)
        self._held = whole[cut:]
        return whole[:cut]

    def _blot(self, some: bytes) -> bytes:
        for secret in self._secrets:
            some = some.replace(secret, MASK.encode())
        return some

    def _begun(self, some: bytes) -> Iterator[bytes]:
        """Give each beginning of a secret that the text ends with."""
        for secret in self._secrets:
            for size in range(min(len(secret) - 1, len(some)), 0, -1):
                if some.endswith(secret[:size]):
                    yield secret[:size]
                    break


def mask_for(config: Config, environ: Mapping[str, str]) -> Mask:
    """Give what blots out every secret that these settings hold or name."""
    return Mask(_secrets(config, environ))


def _secrets(config: Config, environ: Mapping[str, str]) -> Iterator[str]:
    every: tuple[HttpSettings | NotifySettings, ...] = (
        config.harvest,
        config.notify,
        *config.sources.values(),
    )
    for settings in every:
        yield from _own(settings)
        with suppress(ConfigError):  # whoever needs it will be told
            yield find_password(settings, environ=environ) or ""
    with suppress(ConfigError):
        yield find_webhook_secret(config.notify, environ=environ) or ""


def _own(settings: Settings) -> Iterator[str]:
    for field in fields_of(type(settings)).values():
        value = getattr(settings, field.attribute)
        if field.is_secret and isinstance(value, str):
            yield value
