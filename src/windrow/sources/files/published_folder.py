"""A published folder: its address, and which names are hidden according to the source's settings.

The standard is a careful web server: what it would not list, would not serve or would execute is hidden. The
settings hide more; the only rule they can lift is that for names with a leading dot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path
from urllib.parse import SplitResult, quote, unquote, unquote_to_bytes, urlsplit

from windrow.config.source_kinds import FolderSettings
from windrow.sources.files.apache.file_serving import extensions
from windrow.sources.files.name_patterns import match_any

# A file's public address, which is its identifier, and the file's path from an address.

_SAFE = "/~!$&'()*+,;=:@"  # RFC 3986 §3.3: characters that need no escape in a path


def file_address(url: str, path: str) -> str:
    return url + quote(path, safe=_SAFE)


def path_from_address(url: str, address: str) -> str | None:
    """Return the path of the file with this address; None if no file here can have it.

    Only the spelling of `file_address` is accepted: every file has exactly one identifier.
    """
    if not address.startswith(url):
        return None
    try:
        path = unquote_to_bytes(address[len(url) :]).decode()
    except UnicodeError:
        return None
    return path if path and file_address(url, path) == address else None


# Skip patterns. A pattern without a slash is a name at any level. One that ends with a slash applies to
# folders. One with a slash before its end is a path from the top, in which `**` matches any number of
# folders.


@dataclass(frozen=True, slots=True)
class _Pattern:
    parts: tuple[str, ...]
    is_path: bool
    is_for_folders: bool


def is_skipped(path: str, skip: tuple[str, ...], *, is_folder: bool) -> bool:
    """Return whether a relative path itself is skipped; its parent folders are not checked."""
    if not skip:
        return False
    names, paths = _split_patterns(skip, is_folder=is_folder)
    if match_any(names)(path.rpartition("/")[2]):
        return True
    return bool(paths) and any(_matches(parts, path.split("/")) for parts in paths)


@lru_cache(maxsize=64)
def _split_patterns(
    skip: tuple[str, ...], *, is_folder: bool
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the patterns for names and those for paths that can apply to a file, or to a folder."""
    patterns = [_parse_pattern(text) for text in skip]
    meant = [pattern for pattern in patterns if pattern.parts and (is_folder or not pattern.is_for_folders)]
    names = tuple(pattern.parts[0] for pattern in meant if not pattern.is_path)
    return names, tuple(pattern.parts for pattern in meant if pattern.is_path)


def _parse_pattern(text: str) -> _Pattern:
    parts = tuple(part for part in text.split("/") if part not in {"", "."})
    return _Pattern(parts, is_path="/" in text.rstrip("/"), is_for_folders=text.endswith("/"))


def _matches(pattern: Sequence[str], names: Sequence[str]) -> bool:
    """Match name by name, tracking every reachable position in the pattern: no backtracking."""
    places = _past_stars(pattern, {0})
    for name in names:
        stay = {place for place in places if place < len(pattern) and pattern[place] == "**"}
        move = {place + 1 for place in places if place < len(pattern) and match_any((pattern[place],))(name)}
        places = _past_stars(pattern, stay | move)
    return len(pattern) in places


def _past_stars(pattern: Sequence[str], places: set[int]) -> set[int]:
    """Add the positions after each `**` that may match nothing; at the end it matches at least one name."""
    reached = set(places)
    for place in range(len(pattern) - 1):
        if place in reached and pattern[place] == "**":
            reached.add(place + 1)
    return reached


# Copies that editors, version control and downloads leave behind.
BACKUPS = (
    *("*~", "*.bak", "*.backup", "*.swp", "*.swo", "*.orig", "*.rej", "*.old", "*.save", "*.tmp", "*.temp"),
    *("#*#", ".#*", "*,v", "*,t", "*.part", "*.crdownload", "._*", "Thumbs.db", "desktop.ini"),
    *("RCS", "CVS", "SCCS"),
)
# A memory dump is a file; folders with such names are ordinary.
DUMPS = ("core", "core.[0-9]*", "*.core")
# Configuration and secrets; these stay hidden even where hidden files are shown.
SECRETS = (
    *(
        ".ht*",
        ".git*",
        ".svn",
        ".hg",
        ".bzr",
        ".ssh",
        ".aws",
        ".env*",
        "*.env",
        ".netrc",
        ".npmrc",
        ".pgpass",
    ),
    *("web.config", "wp-config*", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.htpasswd"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx"),
)
# Extensions that a handler would execute. PHP has too many to list, so all that begin alike count.
SCRIPTS = frozenset(("pl", "py", "rb", "lua", "sh"))  # run by CGI, and ordinary source code elsewhere
SERVER_PAGES = frozenset(
    (
        *("phtml", "pht", "phar", "cgi", "fcgi", "fpl", "rhtml", "var"),
        *("jsp", "jspx", "jspf", "jsf", "jws", "do", "action", "cfm", "cfml", "cfc", "shtml", "shtm", "stm"),
        *("asp", "aspx", "asa", "asax", "ascx", "ashx", "asmx", "axd"),
    )
)
EXECUTED = SCRIPTS | SERVER_PAGES
EXECUTED_PREFIX = "php"
EXECUTED_FOLDERS = ("cgi-bin", "fcgi-bin", "cgi-sys", "htbin")

# Why a file or folder is hidden, for its owner.
BY_DOT = "the name begins with a dot (show_hidden = true takes such names in)"
BY_SKIP = "the source's skip patterns leave it out"
AS_COPY = "the name is that of a backup, a temporary copy or a memory dump"
AS_SECRET = "the name is that of configuration, a key or a password"  # noqa: S105 - a reason
AS_PROGRAM = "a web server would run it instead of sending it"


class ExecutedFiles(Enum):
    """Which files a web server would execute instead of sending them."""

    BY_NAME = "by name"  # every script and every server page
    DOCUMENTS = "documents"  # server pages, and executable scripts: others are read as text
    NOTHING = "nothing"  # no web server publishes the folder


@dataclass(frozen=True, slots=True)
class VisibilityRules:
    """The visibility settings of a source.

    `needs_public_read`: whether files and their folders must be readable by every user of the machine. The
    web server usually runs as another user than the harvester, so it would refuse a file that only its owner
    may read. Set it to false if the web server reads by its group. The configured folder itself is always
    entered.
    """

    skip: tuple[str, ...] = ()  # "*.log" and "private/" at any level, "drafts/**" from the top
    show_hidden: bool = False  # show names that begin with a dot
    needs_public_read: bool = True
    # The path of the folder's address, which .htaccess rules match. "": unknown.
    address_path: str = "/"
    address_scheme: str = ""
    address_host: str = ""
    running: ExecutedFiles = ExecutedFiles.BY_NAME

    def why_file_hidden(self, path: str, name: str, *, is_executable: bool) -> str:
        """Return why a file is hidden because of its name or path; "" if it is not."""
        if name.startswith(".") and not self.show_hidden:
            return BY_DOT
        if self._is_run(name, is_executable=is_executable):
            return AS_PROGRAM
        if match_any(SECRETS)(name):
            return AS_SECRET
        if match_any(BACKUPS + DUMPS)(name):
            return AS_COPY
        return BY_SKIP if is_skipped(path, self.skip, is_folder=False) else ""

    def why_folder_hidden(self, path: str, name: str) -> str:
        """Return why everything below a folder is hidden because of its name or path; "" if it is not."""
        if name.startswith(".") and not self.show_hidden:
            return BY_DOT
        if self.running is not ExecutedFiles.NOTHING and match_any(EXECUTED_FOLDERS)(name):
            return AS_PROGRAM
        if match_any(SECRETS)(name):
            return AS_SECRET
        if match_any(BACKUPS)(name):
            return AS_COPY
        return BY_SKIP if is_skipped(path, self.skip, is_folder=True) else ""

    def _is_run(self, name: str, *, is_executable: bool) -> bool:
        if self.running is ExecutedFiles.NOTHING or not is_executed(name):
            return False
        return self.running is ExecutedFiles.BY_NAME or is_executable or is_server_page(name)


def is_executed(name: str) -> bool:
    """Return whether a handler would execute a file with any of this name's extensions."""
    return is_server_page(name) or not SCRIPTS.isdisjoint(extensions(name))


def is_server_page(name: str) -> bool:
    """Return whether a file of this name is a page that a web server executes."""
    return any(one in SERVER_PAGES or one.startswith(EXECUTED_PREFIX) for one in extensions(name))


# A folder as configured: where it is, what its address is, and what is visible. The harvest, the deriver and
# the commands for folders all use this.


@dataclass(frozen=True, slots=True)
class PublishedFolder:
    """A folder that a web server publishes."""

    name: str  # of the source
    root: Path
    url: str  # ends with a slash
    rules: VisibilityRules
    by_value: int  # maximum size in bytes of a file included in oai_didl

    def address(self, path: str) -> str:
        """Return the identifier of the file at a relative path."""
        return file_address(self.url, path)

    def path(self, identifier: str) -> str | None:
        """Return the relative path of the file with this identifier; None if it cannot be in this folder."""
        return path_from_address(self.url, identifier)


def published_folder(settings: FolderSettings, *, library: Path) -> PublishedFolder:
    """Return the folder of a source. The library itself is never shown in it: it holds secrets."""
    assert settings.folder is not None, "the settings were checked"
    root = Path(settings.folder)
    skip = settings.skip + _own_folder(root, library)
    address = urlsplit(settings.url)
    rules = VisibilityRules(
        skip,
        settings.show_hidden,
        settings.needs_public_read,
        address_path=unquote(address.path),
        address_scheme=address.scheme,
        address_host=_host(address),
        running=_running(settings),
    )
    return PublishedFolder(settings.name, root, settings.url, rules, settings.by_value)


def _host(address: SplitResult) -> str:
    """Return the host of an address as sent by browsers: lower case, without credentials or default port."""
    usual = ":443" if address.scheme == "https" else ":80"
    return address.netloc.rpartition("@")[2].lower().removesuffix(usual)


def _running(settings: FolderSettings) -> ExecutedFiles:
    if not settings.has_documents:
        return ExecutedFiles.BY_NAME
    is_published = settings.url.startswith(("http://", "https://"))
    return ExecutedFiles.DOCUMENTS if is_published else ExecutedFiles.NOTHING


def _own_folder(root: Path, library: Path) -> tuple[str, ...]:
    inside, root = library.resolve(), root.resolve()
    if inside == root or not inside.is_relative_to(root):
        return ()
    # With a slash before its end, the pattern is a path from the top rather than a name at any level.
    return (f"./{_literal(inside.relative_to(root).as_posix())}/",)


def _literal(path: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)
