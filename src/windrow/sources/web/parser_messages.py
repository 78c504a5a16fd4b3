"""What passes between `parser_pool` and a worker: a question with the body of a page, and its answer."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Literal

import msgspec

from windrow.extract.reading_job import MEGABYTE
from windrow.sources.web.listing import Listing
from windrow.sources.web.page import Page, PageLimits, PageWants

CHEAP_BYTES = 48 * 1024  # a page of this size costs 0.2 s at worst, 2 ms as a rule
MOST_ANSWER_BYTES = 64 * MEGABYTE
REQUEST = struct.Struct("!II")  # bytes of the question, bytes of the body behind it
ANSWER = struct.Struct("!?I")  # the worker's last, bytes of the answer
READY = b"+"


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """A page that could not be parsed within its limits. `code` is time, memory or crash."""

    code: str
    message: str


Task = Literal["page", "language", "sitemap", "feed"]


class Question(msgspec.Struct, array_like=True):
    """What a worker is asked; the body follows it, or the words whose language is to be detected."""

    task: Task
    url: str
    headers: dict[str, str]
    wants: PageWants
    limits: PageLimits


class Reply(msgspec.Struct, array_like=True):
    """What a worker answers: one of these, or none for words in no language that is known."""

    page: Page | None = None
    language: str | None = None
    listing: Listing | None = None
    failure: ParseFailure | None = None
