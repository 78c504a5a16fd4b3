"""Identify: what a repository says of itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from windrow import __version__
from windrow.faces.oai.question import Question
from windrow.store import catalogue
from windrow.wire.oai.answering import descriptions, small
from windrow.wire.oai.answering.moments import parse_moment

_MAIL = re.compile(r"[^\s@]+@(?:[^\s@.]+\.)+[^\s@.]+")
_COMPRESSIONS = ("gzip",)


def identify(question: Question) -> Sequence[bytes]:
    """Give the answer to Identify."""
    settings = question.config.oai
    return (
        small.identify(
            name=question.view.title,
            base_url=question.base_url,
            admins=(_admin(question),),
            earliest=_earliest(question),
            compressions=_COMPRESSIONS if settings.compress else (),
            descriptions=_descriptions(question),
        ),
    )


def _admin(question: Question) -> str:
    """The operator's address; where none is configured, the one that every domain should have."""
    contact = question.config.oai.admin_email or question.config.library.contact.removeprefix("mailto:")
    host = urlsplit(question.base_url).hostname or ""
    candidates = (contact, f"webmaster@{host}" if re.search("[a-z]", host) else "")
    return next((each for each in candidates if _MAIL.fullmatch(each)), "webmaster@host.invalid")


def _earliest(question: Question) -> int:
    if question.view.keeps_stamps:
        stamp = catalogue.oldest_stamp(question.offering, tuple(question.books.sources))
        if stamp is not None:
            return parse_moment(stamp)
    return question.offering.moments.earliest or 0


def _descriptions(question: Question) -> Sequence[bytes]:
    settings = question.config.oai
    found = [descriptions.friends(settings.friends), descriptions.toolkit("Windrow", __version__)]
    if settings.repository_identifier:
        sample = f"oai:{settings.repository_identifier}:1"
        found.append(descriptions.oai_identifier(settings.repository_identifier, sample))
    if settings.branding_icon:
        link, title = settings.branding_link or "", settings.branding_title or ""
        found.append(descriptions.branding(settings.branding_icon, link=link, title=title))
    return found
