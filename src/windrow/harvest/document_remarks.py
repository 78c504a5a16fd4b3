"""What is to be known of documents that were not read, or only in part: kept by codes, reported by runs.

A remark is a code, with two numbers where it counts something: `members-cut:1000/30000`. It stands in the row
of the file, so that `windrow document list` shows it and every later run can report what is still missing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from windrow.config.documents import MOST_ARCHIVE_MEMBERS
from windrow.model.extract import (
    BYTES_CUT,
    MEMBERS_CUT,
    MEMBERS_LEFT_OUT,
    NO_TEXT_LAYER,
    NOT_READ,
    TEXT_LAYER_GAPS,
    TEXT_TOO_LONG,
    Extract,
)
from windrow.model.run import Problem, Weight
from windrow.store.held_files import HIDDEN, HeldRow

LEFT_OUT = "left-out"
_CUT = re.compile(rf"({MEMBERS_CUT}|{BYTES_CUT}):(\d+)/(\d+)")
_EXAMPLES = 3
# What a run reports of the files it read, by code.
REPORTED = {
    NO_TEXT_LAYER: "without a text layer: the pages are pictures, and their words cannot be searched",
    TEXT_LAYER_GAPS: "with pages that are pictures without text, whose words cannot be searched",
    NOT_READ: "not read: of a kind that nothing here reads, or too large; name, size and time are kept",
    MEMBERS_LEFT_OUT: "with files inside that were left out, each for a reason that its record gives",
    TEXT_TOO_LONG: "with more text than is kept; documents.text_limit is the limit",
}


def remarks_of(extract: Extract, *, most_members: int) -> str:
    """Return the remarks on what was read of a file, as its row holds them."""
    facts = dict(extract.measured)
    found = []
    if facts.get("text-layer"):
        found.append(NO_TEXT_LAYER if facts["text-layer"] == "none" else TEXT_LAYER_GAPS)
    if facts.get("content"):
        found.append(NOT_READ if facts["content"] == "not read" else TEXT_TOO_LONG)
    beyond = int(facts.get("members-beyond-limit") or 0)
    if beyond:
        taken = len(extract.members)
        code = MEMBERS_CUT if taken >= most_members else BYTES_CUT
        found.append(f"{code}:{taken}/{taken + beyond}")
    if facts.get("members-left-out"):
        found.append(f"{MEMBERS_LEFT_OUT}:{facts['members-left-out']}")
    return " ".join(found)


def codes_of(remarks: str) -> list[str]:
    """Return the codes of remarks, without their numbers."""
    return [each.partition(":")[0] for each in remarks.split()]


def without_cut(remarks: str) -> str:
    """Return remarks without what they say of an archive's files, for one that is to stay closed."""
    return " ".join(each for each in remarks.split() if not _CUT.fullmatch(each))


def is_cut_below(remarks: str, most_members: int) -> bool:
    """Return whether an archive has files that would be taken now that so many are allowed."""
    cut = _CUT.search(remarks)
    return cut is not None and cut[1] == MEMBERS_CUT and int(cut[2]) < most_members


def cut_problem(row: HeldRow) -> Problem | None:
    """Return what a run reports of an archive of which not all files were taken; None for other files."""
    cut = _CUT.search(row.remarks)
    if cut is None:
        return None
    taken, total = int(cut[2]), int(cut[3])
    if cut[1] == BYTES_CUT:
        way = "they unpack to more than is taken from one archive; unpack it into the folder"
    elif total > MOST_ARCHIVE_MEMBERS:
        way = f"no more than {MOST_ARCHIVE_MEMBERS:,} can be; unpack it into the folder"
    else:
        way = f"set documents.archive_members to {total} or more"
    words = f"{public_name(row)} has {total:,} files, and only the first {taken:,} were taken: {way}"
    return Problem(MEMBERS_CUT, words, Weight.PROBLEM)


def public_name(row: HeldRow) -> str:
    """Return what a run may call a file: runs are shown to everybody, protected files are not."""
    if row.guards or row.state == HIDDEN:
        return "a protected file"
    return f"{row.path}#{row.member}" if row.member else row.path


class Remarked:
    """Counts the remarks on the files that one run reads."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = {}

    def add(self, row: HeldRow) -> None:
        """Count the remarks on a file."""
        for code in codes_of(row.remarks):
            self._counts[code] += 1
            examples = self._examples.setdefault(code, [])
            if len(examples) < _EXAMPLES:
                examples.append(public_name(row))

    def problems(self, source: str) -> Iterator[Problem]:
        """Return one note a code, with the first of the files and the way to all of them."""
        for code, words in REPORTED.items():
            count = self._counts[code]
            if count:
                names = ", ".join(self._examples[code]) + (", …" if count > _EXAMPLES else "")
                listing = f"`windrow document list {source} --remark {code}`"
                noun = "document" if count == 1 else "documents"
                message = f"{count:,} {noun} {words} ({names}); {listing} lists them"
                yield Problem(code, message, Weight.NOTE)


def left_out_notes(left_out: Sequence[tuple[str, str]], source: str) -> list[Problem]:
    """Return one note a reason for which files and folders were left out. Names are for their owner alone."""
    counts = Counter(reason for _, reason in left_out)
    listing = f"`windrow document list {source} --left-out` lists them"
    return [
        Problem(LEFT_OUT, f"{count:,} left out: {reason}; {listing}", Weight.NOTE)
        for reason, count in counts.items()
    ]
