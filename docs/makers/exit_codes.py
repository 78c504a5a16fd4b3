"""The page of exit codes: from the outcomes of runs and from the errors."""

from __future__ import annotations

from docs.makers.errors import walk
from docs.makers.table import code, table
from windrow.errors import WindrowError
from windrow.model.run import EXIT_CODES

_PREFACE = """\
# Exit codes

The outcome of a run is one word. The database, `windrow run list`, the JSON and the exit code all say the
same; [how it is found](../explain/outcomes.md) is explained elsewhere. Where several sources are harvested in
one go, the exit code is that of the worst: interrupted, then failed, then partial, then skipped. The
[errors](errors.md) have a page of their own.
"""
_MEANINGS = {
    0: "All good.",
    1: "Failed: what was asked for could not be done. What was stored before stays.",
    2: "The command, an option or a setting makes no sense. Nothing was done.",
    3: "Partial: most is here, something is not. Some records are in quarantine, or something could not be"
    " checked.",
    75: "Try later: the source asked for a pause, or another process is at work on it.",
    130: "Interrupted, by Ctrl-C or by the system. The next harvest goes on from the last page stored.",
}


def make_page() -> str:
    """Write the page."""
    outcomes = {number: outcome.value for outcome, number in EXIT_CODES.items()}
    errors: dict[int, list[str]] = {}
    for _, kind in walk(WindrowError):
        errors.setdefault(kind.exit_code, []).append(kind.__name__)
    rows = [
        (str(number), code(outcomes.get(number, "")), _MEANINGS[number], _named(errors.get(number, [])))
        for number in sorted({*outcomes, *errors})
    ]
    return _PREFACE + "\n" + table(("Exit code", "Outcome of a run", "Meaning", "Errors"), rows)


def _named(names: list[str]) -> str:
    return ", ".join(map(code, names))
