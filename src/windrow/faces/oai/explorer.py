"""Answers of the protocol as pages for people, made on the server: `face` calls this for browsers.

Every page is the answer to one request, at that request's own address; what it links to are further
requests. The harvested data in it comes from strangers: it is escaped, cut where it is long, and only
http and https addresses become links.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from windrow.faces.oai.advice import advice_on
from windrow.faces.oai.places import Places
from windrow.faces.oai.reading import Answer, read_answer
from windrow.faces.shared.pages import render
from windrow.faces.shared.site import Site

Pairs = Sequence[tuple[str, str]]
Ask = Callable[[Pairs], bytes]

_START = [("verb", "Identify")]  # what a person sees who opens the base URL
_MOST_SUGGESTED_SETS = 200
_TITLES = {
    "Identify": "About this repository",
    "ListMetadataFormats": "Metadata formats",
    "ListSets": "Sets",
    "ListIdentifiers": "Identifiers",
    "ListRecords": "Records",
    "GetRecord": "Record",
}


class Explorer:
    """Makes the pages of all repositories under one path."""

    def __init__(self, site: Site, path: str) -> None:
        self._site = site
        self._path = path

    def explore(self, name: str, pairs: Pairs, ask: Ask, *, meant: Pairs | None = None) -> bytes:
        """Give the page for a request; `ask` gives the protocol's answer to it and to those around it.

        `meant` is what a resumption token in it stands for.
        """
        asked = list(pairs) or _START
        answer = read_answer(ask(asked))
        places = Places(self._site, self._path, name)
        kind = "unreadable" if answer is None else "error" if answer.errors else answer.verb
        return render(
            f"oai/{kind}.html",
            site=self._site,
            places=places,
            title=_TITLES.get(kind, "This request did not work"),
            verb=kind,
            answer=answer,
            advice=[advice_on(error) for error in answer.errors] if answer else [],
            xml=places.xml(asked),
            arguments=_arguments(meant or asked),
            formats=_prefixes(ask),
            sets=_specs(ask),
        )


def _arguments(pairs: Pairs) -> dict[str, str]:
    """Give what the form is filled with: what was asked, by the names it has fields for."""
    filled = dict.fromkeys(("verb", "metadataPrefix", "set", "from", "until", "identifier"), "")
    return {**filled, **{key: value for key, value in pairs if key in filled}}


def _prefixes(ask: Ask) -> list[str]:
    answer = read_answer(ask([("verb", "ListMetadataFormats")]))
    return [found.prefix for found in answer.formats] if answer else []


def _specs(ask: Ask) -> list[str]:
    """Give the sets that the form suggests: all of them, or none where there are many."""
    answer: Answer | None = read_answer(ask([("verb", "ListSets")]))
    found = [found.spec for found in answer.sets] if answer else []
    return found if answer and not answer.token and len(found) <= _MOST_SUGGESTED_SETS else []
