"""A library folder for a test: only what windrow.toml says matters here."""

from __future__ import annotations

from pathlib import Path

ONE_SOURCE = """\
[sources.uni]
url = "https://repository.example.org/oai"
"""


def make_library(folder: Path, text: str = ONE_SOURCE) -> Path:
    """Write windrow.toml into a folder, byte for byte, and give the folder."""
    (folder / "windrow.toml").write_bytes(text.encode())
    return folder


def text_of(folder: Path) -> str:
    """Give windrow.toml as it is, line ends included."""
    return (folder / "windrow.toml").read_bytes().decode()
