"""What the shell offers after a tab: names of sources and jobs. It never fails, it only falls silent."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import typer


def source_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Give the sources whose names begin with what has been typed."""
    return _names(ctx, "sources", incomplete)


def job_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Give the jobs whose names begin with what has been typed."""
    return _names(ctx, "jobs", incomplete)


def vocabulary_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the vocabularies whose names begin with what has been typed."""
    with suppress(Exception):  # a broken library must not break the prompt
        from windrow.config.find import find_library
        from windrow.store import vocabularies
        from windrow.store.store import open_store

        store = open_store(find_library(ctx.find_root().params.get("library_"), os.environ, Path.cwd()))
        with store.reading() as connection:
            return [each.name for each in vocabularies.listed(connection) if each.name.startswith(incomplete)]
    return []


def _names(ctx: typer.Context, tables: str, incomplete: str) -> list[str]:
    with suppress(Exception):  # a broken library must not break the prompt
        from windrow.config.find import find_library
        from windrow.config.load import load

        named = ctx.find_root().params.get("library_")
        config = load(find_library(named, os.environ, Path.cwd()), environ=os.environ)
        return [name for name in sorted(getattr(config, tables)) if name.startswith(incomplete)]
    return []
