"""Guards on a chain of pages: tokens that repeat, pages that come again, pages that hold nothing."""

from __future__ import annotations

from operator import attrgetter

from windrow.wire.oai.page import Page

MAX_EMPTY_PAGES = 10
MAX_COUNTED_PAGES = 100  # the same where each cursor is beyond the last: withheld records leave such holes
MAX_REPEATED_PAGES = 3
MAX_STALE_PAGES = 10  # in a row with nothing but records that came before, in whatever order
MAX_PAGES = 5_000_000
ENDLESS = f"{MAX_STALE_PAGES} pages in a row held nothing but records that had come before"
_identifier = attrgetter("identifier")


class Chain:
    """Remembers what a chain of pages has shown so far, in a few bytes a page."""

    def __init__(self) -> None:
        self._tokens: set[int] = set()
        self._pages: set[int] = set()
        self._empty = 0
        self._counted = 0  # those of the empty pages that came with a cursor beyond the last one
        self._cursor = -1
        self._repeated = 0

    def objection(self, page: Page) -> str | None:
        """Say why this chain must not be followed further; None when it may."""
        token = page.token.value if page.token else ""
        if not token:
            return None
        is_known_token = hash(token) in self._tokens
        self._tokens.add(hash(token))
        if not page.records and not page.rejects:
            self._empty += 1
            self._counted += self._goes_on(page)
            if self._empty >= (MAX_COUNTED_PAGES if self._counted == self._empty else MAX_EMPTY_PAGES):
                return f"{self._empty} empty pages in a row, each with a token for another"
            return "an empty page with a token already used" if is_known_token else None
        self._empty = self._counted = 0
        self._goes_on(page)
        content = _content(page)
        is_known_page = content in self._pages
        self._pages.add(content)
        self._repeated = self._repeated + 1 if is_known_page else 0
        if is_known_page and is_known_token:
            return "the token leads back to a page that was here before"
        if self._repeated >= MAX_REPEATED_PAGES:
            return f"the same page {self._repeated + 1} times under different tokens"
        return "the list does not end" if len(self._tokens) > MAX_PAGES else None

    def _goes_on(self, page: Page) -> bool:
        """Return True if the cursor is beyond that of the page before, and within the stated size."""
        token = page.token
        if token is None or token.cursor is None or token.size is None:
            return False
        before, self._cursor = self._cursor, token.cursor
        return before < token.cursor < token.size

    def is_repeat(self, page: Page) -> bool:
        """Has exactly this page been here before?"""
        return bool(page.records) and _content(page) in self._pages


def _content(page: Page) -> int:
    """Return a number for what is on a page, records that cannot be kept included."""
    bad = (reject.identifier or reject.raw for reject in page.rejects)
    return hash((*map(_identifier, page.records), *bad))
