"""Where the gateway's lists are."""

from __future__ import annotations

from urllib.parse import quote


def repository_path(name: str) -> str:
    """Give the path of a repository's first page."""
    return f"/gateway/{quote(name, safe='')}/"


def leaf_path(name: str, number: int) -> str:
    """Give the path of a numbered page of its records."""
    return f"{repository_path(name)}{number}"


def group_path(name: str, number: int) -> str:
    """Give the path of a numbered list of such pages."""
    return f"{repository_path(name)}pages/{number}"
