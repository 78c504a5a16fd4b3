"""What ListSets lists: how many, how deep, and which names come twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from windrow.sources.findings.finding import Finding, good, note
from windrow.wire.oai.answers import SetEntry

_HANDLE = re.compile(r"(?:com|col|hdl)_(\d+_\d+)$")


def judge_sets(entries: Sequence[SetEntry], *, is_whole: bool, size: int | None) -> Finding:
    """Say what the sets are like; `is_whole` is False where only the first pages were read."""
    specs = Counter(entry.spec for entry in entries)
    depth = max((spec.count(":") + 1 for spec in specs), default=0)
    twins = _same_name(entries)
    repeats = sum(1 for count in specs.values() if count > 1)
    amount = f"{len(specs):,}" if is_whole else (f"{size:,}" if size else f"more than {len(specs):,}")
    words = f"{amount} set{'' if amount == '1' else 's'}"
    words += f", {depth} levels deep" if depth > 1 else ""
    facts = {"listed": len(specs), "is_whole": is_whole, "claimed": size, "depth": depth, "same_name": twins}
    if not twins and not repeats:
        return good("sets", words, "reads their names after the first harvest", **facts)
    said = [f"{twins:,} share{'s' if twins == 1 else ''} a name with another" if twins else ""]
    said += [f"{repeats:,} listed twice" if repeats else ""]
    words += "; " + ", ".join(filter(None, said))
    return note("sets", words, "merges those that hold the same records", **facts)


def _same_name(entries: Sequence[SetEntry]) -> int:
    """Count the sets that carry the name of another under the same parent.

    Communities and collections of DSpace are listed without their parents, and faculties of two universities
    may have the same name: they are the same only under the same handle.
    """
    seen: dict[tuple[str, str, str], set[str]] = {}
    for entry in entries:
        if entry.name:
            handle = _HANDLE.search(entry.spec)
            place = (entry.spec.rpartition(":")[0], handle[1] if handle else "")
            seen.setdefault((*place, entry.name), set()).add(entry.spec)
    return sum(len(specs) - 1 for specs in seen.values())
