"""The pages on how it all stands: the sources, the jobs, who came by; and a page on each source."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from windrow.faces.portal.coming import coming
from windrow.faces.portal.held import held_since
from windrow.faces.portal.overtaken import has_other_settings, is_overtaken
from windrow.faces.portal.room import Room
from windrow.faces.portal.source_facts import ShownFact
from windrow.faces.portal.standing import Portrait, all_lines, portrait
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import Frame, show
from windrow.faces.shared.job_standing import job_standings, next_harvests
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.finding.addresses import record_path
from windrow.index.gaps import GapCounts
from windrow.model.field_gaps import DATE, PERSON, TITLE

# The word of an outcome, and what it means.
OUTCOMES: Mapping[str, tuple[str, str]] = {
    "ok": (message("ok"), message("Everything came as it should.")),
    "partial": (message("partial"), message("It came, but something was repaired, left out or not checked.")),
    "failed": (message("failed"), message("It could not be harvested. What was there before is kept.")),
    "skipped": (
        message("skipped"),
        message("It asked to be left alone for a while; the next run tries again."),
    ),
    "interrupted": (message("interrupted"), message("Somebody stopped it; the next run goes on from there.")),
    "running": (message("running"), message("It is being harvested at this moment.")),
    "killed": (message("killed"), message("The run ended without a word; the next one goes on from there.")),
    "never": (message("never"), message("It was not harvested yet.")),
}
KINDS: Mapping[str, str] = {
    "harvest": message("harvest"),
    "reconcile": message("reconcile"),
    "retry": message("retry"),
    "rebuild": message("rebuild"),
    "refresh": message("refresh"),
    "merge": message("merging"),
    "drop": message("dropping"),
    "hide": message("hiding"),
}

# What an unusual share of the records of a source lacks.
LACKING: Mapping[str, str] = {
    TITLE: message("{percent} % of the records have no title"),
    DATE: message("{percent} % of the records have no date"),
    PERSON: message("{percent} % of the records have no person"),
}


MOST_FACTS = 2  # that the list shows; the page of a source has them all


class Status:
    """Makes `/status` and `/status/SOURCE`."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._gaps = GapCounts()

    def __call__(self, request: Request, rest: str) -> Response:
        """Give the list, or the page of one source."""
        name = rest.strip("/")
        frame = self._room.frames.frame(request)
        return self._one(frame, name) if name else self._all(frame)

    def _all(self, frame: Frame) -> Response:
        room = self._room
        jobs = job_standings(room.store, room.config)
        return show(
            frame,
            "portal/status.html",
            title=frame.tongue.say("Where the records come from"),
            canonical="/status",
            facts=self._facts_of_all(frame),
            lines=all_lines(room.store, room.config, room.index, self._gaps.of(room.index, room.config)),
            jobs=jobs,
            next_harvests=next_harvests(jobs),
            coming=coming(room.store),
            held_since=held_since(room.index),
            is_overtaken=is_overtaken(room.index),
            has_other_settings=has_other_settings(room.index),
            outcomes=OUTCOMES,
            ways=self._room.ways(frame),
            lacking=LACKING,
        )

    def _facts_of_all(self, frame: Frame) -> dict[str, list[ShownFact]]:
        """Return the first facts that the kinds of the sources report, by source."""
        found = {name: self._room.source_facts(name)[:MOST_FACTS] for name in self._room.config.sources}
        return {name: [fact.shown(frame.tongue) for fact in facts] for name, facts in found.items() if facts}

    def _one(self, frame: Frame, name: str) -> Response:
        room = self._room
        found = portrait(room.store, room.config, room.index, name, self._gaps.of(room.index, room.config))
        if found is None:
            raise Refused(404, "There is no such source.")
        return show(
            frame,
            "portal/source.html",
            title=found.line.known.title or name,
            canonical=f"/status/{quote(name)}",
            source=found,
            facts=[fact.shown(frame.tongue) for fact in room.source_facts(name)],
            is_whole=_is_whole(found),
            record_path=record_path,
            next_harvest=next_harvests(job_standings(room.store, room.config)).get(name),
            outcomes=OUTCOMES,
            kinds=KINDS,
            lacking=LACKING,
            ways=self._room.ways(frame),
        )


def _is_whole(found: Portrait) -> bool:
    """Whether every list came to its end once, and none is left unfinished."""
    return all(each.next_from is not None and not each.unfinished for each in found.lists)
