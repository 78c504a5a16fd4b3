"""What the sets are called: read from ListSets when records are in sets without a name, and once a week."""

from __future__ import annotations

from datetime import timedelta

from windrow.errors import UpstreamError
from windrow.harvest.refusals import is_resting, note_refusal, rest
from windrow.harvest.work import Work
from windrow.model.run import Weight
from windrow.store import sources
from windrow.store.sets import merge_duplicates, name_sets

RENEWED = timedelta(days=7)  # repositories rename their sets, and no record says so


def learn_set_names(work: Work) -> None:
    """Ask ListSets where it never answered, a week ago, or not with a set that a record is in now."""
    asked = work.source.sets_at
    is_fresh = asked is not None and work.now() - asked < RENEWED
    if is_fresh and not work.groups.unnamed and not work.options.is_full:
        return
    if is_resting(work, "ListSets"):
        return
    work.observer.started(work.name, "ListSets")
    listed, is_whole = _ask(work)
    with work.store.writing() as connection:
        name_sets(connection, work.source.id, listed)
        twins = merge_duplicates(connection, work.source.id)
        if is_whole:
            sources.note(connection, work.source.id, sets_at=work.now())
    for spec, twin in twins:
        words = f"the set {spec} is {twin} listed again; they are one"
        work.tell("set-twice", words, weight=Weight.NOTE)
    work.tally()


def _ask(work: Work) -> tuple[list[tuple[str, str]], bool]:
    """Give what was listed, and whether that was all."""
    listed: list[tuple[str, str]] = []

    def note_endless(reason: str) -> None:
        words = f"ListSets does not end ({reason}); it was read no further, so sets may lack their names"
        work.tell("sets-endless", words, weight=Weight.NOTE)
        rest(work, "ListSets")

    try:
        for entry in work.client.sets(on_endless=note_endless):
            work.stopper.check()
            listed.append((entry.spec, entry.name))
    except UpstreamError as exc:
        if getattr(exc, "code", "") == "noSetHierarchy":
            return listed, True
        words = f"ListSets failed, so sets may lack their names: {exc}"
        work.tell("sets", words, weight=Weight.NOTE)
        note_refusal(work, "ListSets", exc)
        return listed, False
    return listed, True
