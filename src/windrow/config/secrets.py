"""Secrets: read when needed, and masked in everything that is printed, written or sent.

No part of Windrow prints a secret intentionally, and the public address of a source holds none. The mask is
for text from elsewhere: messages of a server that repeats the request, of libraries, of the owner's
programs. Secrets are found in their usual forms: plain, escaped for an address, for HTML and for JSON, and
in Base64.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, quote_plus, unquote, unquote_plus, urlsplit

from windrow.config.job_settings import NotifySettings, addresses_in
from windrow.config.network_values import HARMLESS_HEADERS, MASK, OAI_ARGUMENTS, split_url
from windrow.config.schema import Config, HttpSettings, SourceSettings
from windrow.errors import ConfigError

# Secrets are read from files and variables only when they are needed, so `windrow config show` and commands
# without network access work without them.

MAX_SECRET_FILE_BYTES = 65536


def find_password(settings: HttpSettings | NotifySettings, *, environ: Mapping[str, str]) -> str | None:
    """Return the password from the settings, its file or its variable; None if none is set.

    Raises ConfigError if the file or the variable is missing: continuing without it would look like
    success.
    """
    kept = _SecretPlaces(settings.password, settings.password_file, settings.password_env)
    return _find_secret("password", kept, environ)


def find_webhook_secret(settings: NotifySettings, *, environ: Mapping[str, str]) -> str | None:
    """Return the signing key of the webhook; see `find_password`."""
    kept = _SecretPlaces(settings.webhook_secret, settings.webhook_secret_file, settings.webhook_secret_env)
    return _find_secret("webhook_secret", kept, environ)


class _SecretPlaces(NamedTuple):
    """The three places where a secret may be."""

    value: str | None
    file: str | None
    variable: str | None


def _find_secret(name: str, kept: _SecretPlaces, environ: Mapping[str, str]) -> str | None:
    if kept.variable:
        value = environ.get(kept.variable)
        if not value:
            raise ConfigError(f"{name}_env says {kept.variable}, which is not in the environment.")
        return value
    return _first_line(name, Path(kept.file)) if kept.file else kept.value


def _first_line(name: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            line = file.readline(MAX_SECRET_FILE_BYTES).decode("utf-8").rstrip("\r\n")
    except OSError as exc:
        raise ConfigError(f"{name}_file {path} cannot be read: {exc.strerror}.") from exc
    except UnicodeDecodeError:
        raise ConfigError(f"{name}_file {path} is not UTF-8.") from None
    if not line:
        raise ConfigError(f"{name}_file {path} has nothing on its first line.")
    return line


MIN_SECRET_LENGTH = 4  # characters; masking every "a" would not help
# Parameters of an address, and parts of a header, are often ordinary words; a short one is masked only
# together with its name.
MIN_PARAMETER_LENGTH = 6
MIN_HEADER_PART_LENGTH = 8
_PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy")
# Characters that programs leave unescaped in an address: Python, JavaScript (a part, a whole address),
# Java, Windrow.
_LEFT_AS_THEY_ARE = ("", "/", "!'()*", ";,/?:@&=+$!'()*#", "*", "/:@", "".join(map(chr, range(0x21, 0x7F))))
_ESCAPE = re.compile("%[0-9A-F]{2}")
_APOSTROPHES = ("&#x27;", "&#39;", "&#039;", "&apos;", "'")  # Python, Go, PHP, XML, and unescaped
_FOR_HTML = (re.compile("[<>&]"), re.compile("[<>&'+]"))  # what Go and .NET write as code points in JSON
_CODE_POINT = re.compile(r"\\u([0-9a-f]{4})")
_USERINFO = re.compile(r"(?<=://)[^\s/?#\"'<>]*@")


class Mask:
    """Masks secrets in texts, and in output that is produced piece by piece."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for each in secrets if len(each) >= MIN_SECRET_LENGTH for form in _forms(each)}
        # The longest first: one may be part of another.
        found = sorted((each for each in forms if len(each) >= MIN_SECRET_LENGTH), key=len, reverse=True)
        self._secrets = tuple(each.encode("utf-8", "surrogatepass") for each in found)
        self._held = b""

    def text(self, words: str) -> str:
        """Return a text without its secrets, and without the credentials of any address."""
        if "@" in words:
            words = _USERINFO.sub(f"{MASK}@", words)
        if not self._secrets:
            return words
        return self._hide(words.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def feed(self, some: bytes) -> bytes:
        """Return the next piece without secrets; a possible start of a secret is held back."""
        if not self._secrets:
            return some
        whole = self._hide(self._held + some)
        cut = len(whole) - max(map(len, self._begun(whole)), default=0)
        self._held = whole[cut:]
        return whole[:cut]

    def finish(self) -> bytes:
        """Return the held back rest at the end, masked if it is long enough to be part of a secret."""
        held, self._held = self._held, b""
        return held if len(held) < MIN_SECRET_LENGTH else MASK.encode()

    def _hide(self, some: bytes) -> bytes:
        for secret in self._secrets:
            some = some.replace(secret, MASK.encode())
        return some

    def _begun(self, some: bytes) -> Iterator[bytes]:
        """Yield each prefix of a secret that the text ends with."""
        for secret in self._secrets:
            for size in range(min(len(secret) - 1, len(some)), 0, -1):
                if some.endswith(secret[:size]):
                    yield secret[:size]
                    break


def mask_for(config: Config, environ: Mapping[str, str]) -> Mask:
    """Return the mask for every secret that these settings contain or refer to."""
    return Mask(_secrets(config, environ))


def mask_for_source(settings: SourceSettings, environ: Mapping[str, str]) -> Mask:
    """Return the mask for the secrets of one source."""
    words = _shown_words((settings,))
    return Mask((*_http_secrets(settings, environ, words), *_proxy_secrets(environ)))


def address_secrets(url: str, public: Iterable[str] = (), words: Collection[str] = ()) -> Iterator[str]:
    """Yield the secrets in an address: its credentials, and the parameters that are not public.

    A parameter whose value is one of `words`, which are shown anyway, is masked only as name and value
    together.
    """
    found = split_url(url, frozenset(public))
    yield from _credentials(found.username, found.password)
    yield from _parameters(found.query, words)


def _shown_words(sources: Iterable[SourceSettings]) -> frozenset[str]:
    """Return words from the settings that are in every report: `?prefix=oai_dc` must not mask formats."""
    return frozenset(word for each in sources for word in (each.name, *each.formats, *each.sets))


def _secrets(config: Config, environ: Mapping[str, str]) -> Iterator[str]:
    words = _shown_words(config.sources.values())
    for settings in (config.harvest, *config.sources.values()):
        yield from _http_secrets(settings, environ, words)
    yield from _proxy_secrets(environ)
    notify = config.notify
    with suppress(ConfigError):
        yield from _credentials(notify.username, find_password(notify, environ=environ), is_mail=True)
    with suppress(ConfigError):
        yield find_webhook_secret(notify, environ=environ) or ""
    for url in addresses_in(_command_words(config)):
        yield from address_secrets(url, OAI_ARGUMENTS, words)
    if notify.webhook:
        yield notify.webhook
        yield from address_secrets(notify.webhook)
        path = urlsplit(notify.webhook).path
        yield from (part for part in (path, *path.split("/")) if len(part) >= MIN_HEADER_PART_LENGTH)


def _command_words(config: Config) -> Iterator[str]:
    """Yield the words of all command lines in the settings."""
    for job in config.jobs.values():
        yield from (job.run, *(job.before or ()), *(job.after or ()))
    yield from config.notify.command or ()


def _http_secrets(
    settings: HttpSettings, environ: Mapping[str, str], words: Collection[str]
) -> Iterator[str]:
    with suppress(ConfigError):  # reported by the command that needs it
        yield from _credentials(settings.username, find_password(settings, environ=environ))
    if isinstance(settings, SourceSettings):
        yield from _parameters(settings.secret_query or "", words)
        yield settings.secret_path or ""
    for name, value in settings.headers:
        if name.lower() not in HARMLESS_HEADERS:
            yield value
            yield from (part for part in re.split(r"[\s;,=]+", value) if len(part) >= MIN_HEADER_PART_LENGTH)
            token = value.partition(" ")[2].strip()  # "Bearer", "Basic" and the like are kept
            yield token
    if settings.proxy:
        yield from address_secrets(settings.proxy)


def _proxy_secrets(environ: Mapping[str, str]) -> Iterator[str]:
    for name, value in environ.items():
        if name.lower() in _PROXY_VARIABLES and "@" in value:
            found = split_url(value if "//" in value else f"//{value}")
            yield from _credentials(found.username, found.password)


def _credentials(username: str | None, password: str | None, *, is_mail: bool = False) -> Iterator[str]:
    if not password:
        if username and not is_mail:  # may be a key
            yield username
        return
    yield password
    if username is not None:
        pair = f"{username}:{password}"
        yield pair
        yield f"{quote(username, safe='')}:{quote(password, safe='')}@"
        yield from _base64(pair)
        yield from _base64(f"\0{username}\0{password}")  # as SMTP sends them


def _parameters(query: str, words: Collection[str]) -> Iterator[str]:
    for piece in re.split("[&;]", query):
        name, equals, value = piece.partition("=")
        yield piece
        if not equals:
            yield unquote_plus(name)
        for each in (value, unquote_plus(value)):
            if len(each) >= MIN_PARAMETER_LENGTH and each not in words:
                yield each


def _forms(secret: str) -> Iterator[str]:
    """Yield a secret in the forms in which it may appear in a text."""
    for each in {secret, unquote(secret, errors="surrogateescape")}:
        escaped = {quote(each, safe=safe, errors="surrogatepass") for safe in _LEFT_AS_THEY_ARE}
        escaped |= {quote_plus(each, safe=safe, errors="surrogatepass") for safe in ("", "*")}
        yield from (each, *escaped, *(_ESCAPE.sub(lambda found: found[0].lower(), form) for form in escaped))
        yield quote(quote(each, safe="", errors="surrogatepass"))  # an address inside another
        yield from (html.escape(each, quote=False), repr(each)[1:-1])
        yield from (html.escape(each).replace("&#x27;", apostrophe) for apostrophe in _APOSTROPHES)
        yield from _json_forms(each)
        yield from _base64(each)


def _json_forms(secret: str) -> Iterator[str]:
    """Yield a secret in the forms of JSON: PHP escapes slashes, others the characters of HTML."""
    for plain in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        escaped = (some.sub(lambda found: f"\\u{ord(found[0]):04x}", plain) for some in _FOR_HTML)
        for each in (plain, *escaped):
            for form in (each, each.replace("/", "\\/")):
                yield form
                yield _CODE_POINT.sub(lambda found: f"\\u{found[1].upper()}", form)


def _base64(secret: str) -> Iterator[str]:
    yield b64encode(secret.encode("utf-8", "surrogatepass")).decode()
    with suppress(UnicodeEncodeError):  # HTTP libraries encode credentials differently
        yield b64encode(secret.encode("latin-1")).decode()
