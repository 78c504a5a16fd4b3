"""The library as an OAI-PMH repository: one request in, one whole answer out.

`face` brings the requests; here they are understood and sent to the verb that answers them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from windrow.config.schema import Config
from windrow.faces.oai.derived import Deriver
from windrow.faces.oai.desk import Desk
from windrow.faces.oai.identity import identify
from windrow.faces.oai.lists import list_sets, list_some
from windrow.faces.oai.places import ASIDE
from windrow.faces.oai.question import Question
from windrow.faces.oai.shortcut import Shortcut
from windrow.faces.oai.single import get_record, list_metadata_formats
from windrow.faces.oai.views import View, find_view
from windrow.formats import extracted, http_header
from windrow.formats.wir import writer as wir
from windrow.store import offering, settings
from windrow.store.store import Store
from windrow.wire.oai.answering.arguments import parse_arguments
from windrow.wire.oai.answering.refusal import Refused
from windrow.wire.oai.answering.render import envelope, errors
from windrow.wire.oai.answering.resumption import unseal

# What an answer says it is: a little earlier than it is, so that whoever comes back with that time as
# `from` also gets what was being written while we answered.
GRACE_SECONDS = 2
_KEY = "oai_key"
_VERBS: Mapping[str, Callable[[Question], Sequence[bytes]]] = {
    "Identify": identify,
    "ListMetadataFormats": list_metadata_formats,
    "ListSets": list_sets,
    "GetRecord": get_record,
    "ListIdentifiers": list_some,
    "ListRecords": list_some,
}


class OaiRepository:
    """Answers for the library, its collections and its sources. Any number of threads may ask."""

    def __init__(
        self,
        store: Store,
        config: Config,
        *,
        base_url: str,
        derivers: Mapping[str, Deriver] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._config = config
        self._base_url = base_url.rstrip("/")
        self._derivers = derivers or {}
        self._clock = clock
        self._key = b""
        self._local = threading.local()
        self._views: dict[str, View] = {}

    def prepare(self) -> None:
        """Make what answering needs in the library: an index, and the key that tokens are signed with."""
        offering.prepare(self._store)
        self._key = settings.secret(self._store, _KEY)

    def address(self, name: str) -> str:
        """Give the base URL of a repository of ours."""
        return f"{self._base_url}/oai/{name}" if name else f"{self._base_url}/oai"

    def is_slow(self, name: str, pairs: Sequence[tuple[str, str]]) -> bool:
        """Whether an answer may take long: the first page of a list is counted, and files are read."""
        names = dict(pairs)
        if not names.get("verb", "").startswith("List"):
            return False
        return "resumptionToken" not in names or name in self._derivers

    def meant(self, name: str, pairs: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """Give the arguments with what a resumption token of ours among them stands for in its place."""
        token = dict(pairs).get("resumptionToken")
        if token is None:
            return pairs
        try:
            position = unseal(token, key=self._key, scope=name)
        except Refused:
            return pairs
        held = {
            "metadataPrefix": position.prefix,
            "from": position.from_text,
            "until": position.until_text,
            "set": position.set_spec,
        }
        return [("verb", position.verb), *((key, value) for key, value in held.items() if value)]

    def answer_query(self, name: str, query: bytes) -> bytes | None:
        """Give what `answer` would to a query string, where a glance is enough; None: ask that."""
        shortcut: Shortcut | None = getattr(self._local, "shortcut", None)
        if shortcut is None:
            shortcut = self._local.shortcut = Shortcut(self._desk(), self._views, self.address)
        return shortcut.answer(name, query, now=int(self._clock()) - GRACE_SECONDS)

    def answer(
        self, name: str, pairs: Sequence[tuple[str, str]], *, credentials: tuple[str, str] | None = None
    ) -> bytes:
        """Give the answer to these arguments; NotFound for a name we do not have."""
        view = self._views.get(name) or self._view(name)
        base_url, now = self.address(name), int(self._clock()) - GRACE_SECONDS
        if not self._key:
            self.prepare()
        try:
            request = parse_arguments(pairs)
            desk = self._desk()
            with desk.offering.reading() as is_news:
                desk.refresh(is_news=is_news)
                question = Question(self._config, view, desk, request, base_url, self._key, credentials)
                parts = _VERBS[request.verb](question)
        except Refused as refused:
            return envelope(errors(refused.errors), base_url=base_url, response_date=now, echo=refused.echo)
        return envelope(*parts, base_url=base_url, response_date=now, echo=request.pairs)

    def _view(self, name: str) -> View:
        view = self._views[name] = find_view(self._config, name)
        return view

    def _desk(self) -> Desk:
        desk: Desk | None = getattr(self._local, "desk", None)
        if desk is None:
            own = (http_header, extracted, wir)
            schemas = {each.PREFIX: f"{self.address(ASIDE)}/{each.SCHEMA_FILE}" for each in own}
            desk = self._local.desk = Desk(self._store, self._derivers, schemas)
        return desk
