"""A folder as its source's settings describe it: where it is, what its address is, what of it is shown.

The harvest, the deriver and the commands that look at a folder all start from this.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from windrow.config.source_kinds import FolderSettings
from windrow.sources.files.address import address_of, path_of
from windrow.sources.files.rules import Rules, Running


@dataclass(frozen=True, slots=True)
class PublishedFolder:
    """A folder that a web server publishes."""

    name: str  # of the source
    root: Path
    url: str  # ends with a slash
    rules: Rules
    by_value: int  # bytes up to which a file itself goes into oai_didl

    def address(self, path: str) -> str:
        """Give the identifier of the file at a relative path."""
        return address_of(self.url, path)

    def path(self, identifier: str) -> str | None:
        """Give the relative path of the file with this identifier; None where it can be none of ours."""
        return path_of(self.url, identifier)


def published_folder(settings: FolderSettings, *, library: Path) -> PublishedFolder:
    """Give the folder of a source. A library that lies in it is never shown: it holds secrets."""
    assert settings.folder is not None, "the settings were checked"
    root = Path(settings.folder)
    skip = settings.skip + _own_folder(root, library)
    address = urlsplit(settings.url)
    rules = Rules(
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
    """Return the host of an address as browsers send it: small letters, no credentials, no usual port."""
    usual = ":443" if address.scheme == "https" else ":80"
    return address.netloc.rpartition("@")[2].lower().removesuffix(usual)


def _running(settings: FolderSettings) -> Running:
    if not settings.has_documents:
        return Running.BY_NAME
    is_published = settings.url.startswith(("http://", "https://"))
    return Running.DOCUMENTS if is_published else Running.NOTHING


def _own_folder(root: Path, library: Path) -> tuple[str, ...]:
    inside, root = library.resolve(), root.resolve()
    if inside == root or not inside.is_relative_to(root):
        return ()
    # With a slash before its end the pattern is a path from the top, and not a name anywhere.
    return (f"./{_literal(inside.relative_to(root).as_posix())}/",)


def _literal(path: str) -> str:
    """Give a path as a pattern that only it is like."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)
