"""Documents found by the crawler (PDF, office files, text), read by the confined readers of `extract`."""

from __future__ import annotations

import hashlib
import tempfile
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote, urlsplit

from windrow.extract.reading_job import Job
from windrow.model.file_content import STATED_FACTS
from windrow.model.web_page import MetaTag, Page
from windrow.sources.web.parser_pool import ParseFailure

if TYPE_CHECKING:
    from windrow.extract.pool import Pool

LONGEST_TEXT = 20_000  # characters, as for pages
LONGEST_MAIN_TEXT = 1_000_000
_NOT_TAGS = frozenset({"modified", "type"})  # facts from the file format, not from the author


class DocumentReader:
    """Makes a page of each document, so that it is stored, found and shown like one."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def read(self, body: bytes, *, url: str, media_type: str, wants_text: bool) -> Page | ParseFailure:
        """Return a document's metadata as Dublin Core tags, and its text."""
        from windrow.extract.pool import Refusal, Task  # noqa: PLC0415 - not needed if no site has documents

        def opened() -> BinaryIO:
            file = tempfile.TemporaryFile()  # noqa: SIM115 - the pool closes it
            file.write(body)
            file.seek(0)
            return file

        name = unquote(urlsplit(url).path.rpartition("/")[2])[:200] or "document"
        outcomes = self._pool.work([Task(url, opened, Job(name, media_type))])
        try:
            _, outcome = next(iter(outcomes))
        finally:
            outcomes.close()  # type: ignore[attr-defined]  # a generator, whose children are given back
        if isinstance(outcome, Refusal):
            code = outcome.code if outcome.code in ("time", "memory") else "crash"
            return ParseFailure(code, outcome.reason)
        extract = outcome.extract
        said = [(key, value) for key, value in extract.said if key in STATED_FACTS and key not in _NOT_TAGS]
        titles = [value for key, value in said if key == "title"]
        languages = [value for key, value in (*said, *extract.measured) if key.endswith("language")]
        text = "\n".join(extract.text)
        words = " ".join(text.split())
        digest = hashlib.md5(f"{titles}\x00{words}".encode(), usedforsecurity=False).hexdigest()
        return Page(
            url=url,
            media_type=extract.media_type,
            language=languages[0] if languages else None,
            title=titles[0] if titles else name,
            headings=tuple(heading.title for heading in extract.headings[:200]),
            tags=tuple(MetaTag(f"DC.{key.capitalize()}", value) for key, value in said),
            text=words[:LONGEST_TEXT],
            main_text=text[:LONGEST_MAIN_TEXT] if wants_text else "",
            text_digest=digest if words or titles else "",
        )
