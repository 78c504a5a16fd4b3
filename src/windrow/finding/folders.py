"""Folders as a search is narrowed by them: one at a time, from the outermost inwards."""

from __future__ import annotations

from itertools import accumulate

from windrow.finding.question import Question

FOLDER = "folder"
_DEEPEST = 20  # folders around the chosen one that are shown


def folders_around(question: Question) -> list[str]:
    """Give the folder that is chosen and those it lies in, the outermost first; none where several are."""
    chosen = question.filters.get(FOLDER, ())
    if len(chosen) != 1:
        return []
    return list(accumulate(chosen[0].split("/"), "{}/{}".format))[-_DEEPEST:]


def chosen_folder(question: Question) -> str:
    """Give what the paths of the folders right below the chosen one begin with."""
    around = folders_around(question)
    return f"{around[-1]}/" if around else ""


def parent_of(path: str) -> str:
    """Give the folder that a folder lies in; nothing for an outermost one."""
    return path.rpartition("/")[0]
