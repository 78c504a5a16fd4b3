"""The page about the library: whose it is, what can be done with it, and where programs ask."""

from __future__ import annotations

from windrow.config.hosts import is_mail
from windrow.faces.portal.room import Room
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import show
from windrow.faces.shared.look import paragraphs
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.faces.shared.wording import is_web

SYNTAX = (
    ("forest management", message("records with both words, in any form of them")),
    ('"lean production"', message("these words side by side")),
    ('"lean production"~5', message("these words with at most five others between them")),
    ("nurse OR midwife", message("either word, or both")),
    ("energy -nuclear", message("the first word and not the second")),
    ("title:bridge", message("a word in the title; creator:, subject:, institution: … work in the same way")),
    ('creator:"Meri, Ann"', message("a person")),
    ("year:2010..2014", message("what appeared in these years; 2010.. is open to the end")),
    ("geo*", message("words that begin so")),
    ("wom?n", message("any one letter in this place")),
    ("organisation~", message("words that are spelt much like it")),
    ("solar^3 wind", message("both, the first weighing three times as much")),
    ('language="fi"', message("a field that has exactly this value")),
)


class About:
    """Makes the page at `/about`."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def __call__(self, request: Request, rest: str) -> Response:
        """Give the page."""
        if rest.strip("/"):
            raise Refused(404, "There is nothing at this address.")
        room, frame = self._room, self._room.frames.frame(request)
        contact = room.config.library.contact
        return show(
            frame,
            "portal/about.html",
            title=frame.tongue.say("About this library"),
            canonical="/about",
            is_indexed=True,
            words=paragraphs(room.config.portal.about, frame.tongue),
            contact=contact,
            contact_link=f"mailto:{contact}" if is_mail(contact) else contact if is_web(contact) else "",
            shelves=[
                ("", frame.site.title),
                *((name, each.title) for name, each in room.config.collections.items()),
            ],
            sources=list(room.config.sources),
            has_sru=room.config.sru.enabled,
            syntax=[(written, frame.tongue.say(meaning)) for written, meaning in SYNTAX],
        )
