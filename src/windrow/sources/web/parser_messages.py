"""Messages between `parser_pool` and a worker: a question with the body of a page, and its answer."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Literal

import msgspec

from windrow.extract.reading_job import MEGABYTE
from windrow.sources.web.listing import Listing
from windrow.sources.web.page import Page, PageLimits, PageWants

CHEAP_BYTES = 48 * 1024  # a page of this size takes 0.2 s at worst, and 2 ms usually
MOST_ANSWER_BYTES = 64 * MEGABYTE
REQUEST = struct.Struct("!II")  # length of the question, length of the body after it
ANSWER = struct.Struct("!?I")  # whether the worker ends now, length of the answer
READY = b"+"


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """A page that could not be parsed within the limits. `code` is time, memory or crash."""

    code: str
    message: str


Task = Literal["page", "language", "sitemap", "feed"]


class Question(msgspec.Struct, array_like=True):
    """A request to a worker; followed by the body, or by the text for language detection."""

    task: Task
    url: str
    headers: dict[str, str]
    wants: PageWants
    limits: PageLimits


class Reply(msgspec.Struct, array_like=True):
    """A worker's answer: one of these fields, or none for an unknown language."""

    page: Page | None = None
    language: str | None = None
    listing: Listing | None = None
    failure: ParseFailure | None = None
