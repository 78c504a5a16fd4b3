"""Where the people of a record work, for its page: each institution with the search behind it."""

from __future__ import annotations

from windrow.faces.portal.room import Ways
from windrow.faces.portal.said import Said
from windrow.faces.shared.wording import clean
from windrow.model.document import Agent, Document
from windrow.model.facts import fact, facts_about

MOST_PLACES = 10  # of one person
_LONGEST = 300
_MORE = Said("…")


class Places:
    """The institutions of one document. Many of its people have the same, which is made ready once."""

    def __init__(self, document: Document, ways: Ways) -> None:
        self._document = document
        self._ways = ways
        self._known: dict[str, Said] = {}
        self._counted: frozenset[str] | None = None

    def of(self, agent: Agent) -> tuple[Said, ...]:
        """Give where somebody works; nothing where the record does not say it."""
        if not agent.affiliations:
            return ()
        found = tuple(self._said(name) for name in agent.affiliations[:MOST_PLACES])
        return found if len(agent.affiliations) <= MOST_PLACES else (*found, _MORE)

    def _said(self, name: str) -> Said:
        if name not in self._known:
            self._known[name] = Said(clean(name)[:_LONGEST], self._address(fact(name)))
        return self._known[name]

    def _address(self, value: str) -> str:
        """The search for all that names it; none where it is one of too many to be counted."""
        if self._counted is None:
            self._counted = frozenset(facts_about(self._document, "affiliation") or ())
        return self._ways.exactly(value, "affiliation") if value in self._counted else ""
