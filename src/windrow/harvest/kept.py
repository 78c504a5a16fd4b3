"""Pages kept as they came, for the person who has to write to the provider."""

from __future__ import annotations

from pathlib import Path

from windrow.errors import unwritable
from windrow.permissions import make_folder

MAX_PAGES = 50  # a run
MAX_BYTES = 64 * 1024 * 1024  # a run


class Keeper:
    """Keeps damaged pages of one run as files in the library."""

    def __init__(self, folder: Path, run_id: int) -> None:
        self._folder = folder / "files" / "kept-pages"
        self._library = folder
        self._run_id = run_id
        self._count = 0
        self._bytes = 0

    def keep(self, body: bytes) -> str | None:
        """Keep a page; give its path inside the library, None when this run has kept enough."""
        if self._count >= MAX_PAGES or self._bytes + len(body) > MAX_BYTES:
            return None
        self._count += 1
        self._bytes += len(body)
        path = self._folder / f"run-{self._run_id}-page-{self._count}.xml"
        try:
            make_folder(self._folder, self._library)
            path.write_bytes(body)
        except OSError as exc:
            raise unwritable(path, exc) from exc
        return str(path.relative_to(self._library))
