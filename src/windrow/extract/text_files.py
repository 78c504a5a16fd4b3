"""What the readers of text have in common: how much is read of a file, and its lines put in order."""

from __future__ import annotations

from typing import BinaryIO

from windrow.extract.encodings import Decoded, decode

MOST_BYTES = 64 * 1024 * 1024
LONGEST_FACT = 2000  # characters
CUT = f"Only the first {MOST_BYTES // (1024 * 1024)} MB of it were read."


def read_bytes(file: BinaryIO) -> tuple[bytes, list[str]]:
    """Give the bytes of a file, as many as are read of text, and a note where there are more."""
    file.seek(0)
    data = file.read(MOST_BYTES + 1)
    return (data, []) if len(data) <= MOST_BYTES else (data[:MOST_BYTES], [CUT])


def read_text(file: BinaryIO) -> tuple[Decoded, list[str]]:
    """Give the text of a file, with line feeds as the ends of its lines, and notes."""
    data, notes = read_bytes(file)
    decoded = decode(data, is_cut=bool(notes))
    if decoded.note:
        notes.append(decoded.note)
    return decoded._replace(text=with_line_feeds(decoded.text)), notes


def with_line_feeds(text: str) -> str:
    """The text with line feeds as the ends of its lines, whatever system wrote it."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def line_of(text: str) -> str:
    """A fact on one line, of a length that facts have."""
    return " ".join(text[:LONGEST_FACT].split())


def tidy(text: str) -> str:
    """The text without blanks at the ends of its lines, and at most one blank line between two others."""
    kept: list[str] = []
    for line in text.split("\n"):
        words = line.rstrip()
        if words or (kept and kept[-1]):
            kept.append(words)
    return "\n".join(kept).strip("\n")
