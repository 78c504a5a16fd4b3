"""The one way a reader says that it cannot read a file: raised by readers, a Refusal outside of the child."""

from __future__ import annotations

from windrow.extract.missing import INSTALL


class Unreadable(Exception):
    """The file cannot be read. `reason` tells a person why, as a clause after the file's name: "it is …"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotInstalled(Unreadable):
    """A library that reads this kind of file is not installed."""

    def __init__(self, library: str) -> None:
        super().__init__(f"reading it needs {library}: {INSTALL}")
