"""The report of a crawl: limits that were reached, unreachable hosts, addresses that were dropped.

The same problem can affect thousands of addresses, so problems are counted by kind and place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from windrow.formats.wir.page_tags import Deviation
from windrow.model.run import Problem, Severity

MOST_PLACES = 200  # distinct places per kind
_NOTE, _PROBLEM = Severity.NOTE, Severity.PROBLEM

# The messages by kind; {count} and {place} are filled in. The severity decides whether the run is complete.
KINDS: dict[str, tuple[Severity, str]] = {
    "limit-host": (_PROBLEM, "{place} has more addresses than the limit for one host: {count} were left out"),
    "limit-hosts": (
        _PROBLEM,
        "there are more hosts than the limit: {count} addresses on {place} were left out",
    ),
    "limit-prefix": (
        _PROBLEM,
        "more addresses begin with {place} than the limit allows: {count} were left out",
    ),
    "limit-closed": (_NOTE, "{count} further addresses under {place} were left out"),
    "trap-repeats": (_PROBLEM, "pages under {place} repeat each other; no more of them are asked for"),
    "trap-barren": (
        _PROBLEM,
        "none of the pages under {place} has metadata; no more of them are asked for",
    ),
    "limit-depth": (_PROBLEM, "{count} addresses under {place} lie deeper than the limit and were left out"),
    "limit-long": (_PROBLEM, "{count} addresses on {place} are longer than the limit and were left out"),
    "limit-segments": (_PROBLEM, "{count} addresses on {place} have too many parts and were left out"),
    "limit-path-repeats": (
        _PROBLEM,
        "{count} addresses on {place} repeat parts of their path and were left out",
    ),
    "limit-links": (_PROBLEM, "{place} has more links than are read"),
    "redirect-loop": (_NOTE, "{place} leads back to itself ({count} times)"),
    "redirect-chain": (_PROBLEM, "{place} leads on and on: more redirects in a row than are followed"),
    "redirect-nowhere": (_NOTE, "{place} redirects to what is no address ({count} times)"),
    "too-large": (_PROBLEM, "{count} answers of {place} are larger than the limit"),
    "timeout": (_PROBLEM, "{count} requests to {place} took too long"),
    "dns": (_PROBLEM, "the name {place} cannot be found ({count} requests)"),
    "connect": (_PROBLEM, "{place} cannot be reached ({count} requests)"),
    "tls": (_PROBLEM, "{place} cannot prove who it is ({count} requests)"),
    "disconnected": (_PROBLEM, "{place} broke off {count} answers"),
    "cut": (_PROBLEM, "{count} answers of {place} are cut"),
    "garbled": (_PROBLEM, "{count} answers of {place} are not HTTP"),
    "headers": (_PROBLEM, "{count} answers of {place} have too many headers"),
    "encoding": (_PROBLEM, "{count} answers of {place} are encoded in a way that cannot be read"),
    "private": (_PROBLEM, "{place} is a host of a private network and was not asked ({count} addresses)"),
    "status-5xx": (
        _PROBLEM,
        "{place} answered {count} requests with a server error",
    ),
    "status-429": (_PROBLEM, "{place} asked to be left alone ({count} answers); its addresses wait"),
    "status-4xx": (_PROBLEM, "{place} refused {count} requests for pages that it showed before"),
    "failed": (_PROBLEM, "{count} requests to {place} failed"),
    "malformed": (_NOTE, "{count} addresses on {place} cannot be asked for"),
    "unexpected": (_PROBLEM, "{count} pages of {place} met a defect of Windrow, please report it"),
    "limit-page": (
        _NOTE,
        "{count} pages of {place} have more metadata, headings or nesting than is read, or broken JSON-LD",
    ),
    "refused": (_NOTE, "{place} refused {count} requests (status 4xx)"),
    "odd-status": (_NOTE, "{place} answered {count} requests with a status that brings no page"),
    "gone": (_NOTE, "{count} addresses on {place} lead to nothing (404 or 410)"),
    "start": (_PROBLEM, "{place} cannot be had"),
    "start-none": (
        Severity.FATAL,
        "no start page can be had, {place} and all others: nothing was crawled (windrow crawl status)",
    ),
    "start-outside": (_PROBLEM, "{place}, a start page, leads to an address that the rules do not allow"),
    "robots-unavailable": (
        _PROBLEM,
        "the robots.txt of {place} cannot be had, so nothing is asked for there until it can",
    ),
    "robots": (_NOTE, "robots.txt of {place} keeps the robot from {count} addresses"),
    "host-down": (_PROBLEM, "{place} does not answer; its addresses wait for an hour"),
    "dropped": (
        _PROBLEM,
        "{count} addresses on {place} failed too often and were dropped (windrow crawl urls)",
    ),
    "unexpected-304": (_PROBLEM, "{place} answered 304 to requests without a condition ({count} times)"),
    "parse-time": (_PROBLEM, "{count} pages of {place} took too long to read"),
    "parse-memory": (_PROBLEM, "{count} pages of {place} needed too much memory to read"),
    "parse-crash": (_PROBLEM, "{count} pages of {place} could not be read"),
    "slow-rule": (_PROBLEM, "the rule {place} takes too long for some addresses, which count as excluded"),
    "waiting": (_PROBLEM, "{count} addresses on {place} wait until their host may be asked again"),
    "unavailable": (
        _PROBLEM,
        "{count} addresses on {place} could not be had so far; they are tried again",
    ),
    **{
        f"event-{deviation.name.lower()}": (
            _NOTE,
            f"{{count}} pages of {{place}} have events that deviate from the Studera.NU grammar: {deviation}",
        )
        for deviation in Deviation
    },
    "noindex": (_NOTE, "{count} pages of {place} ask not to be indexed"),
    "listing": (_NOTE, "{count} sitemaps or feeds of {place} could not be read"),
}


# Parts of messages that differ if {count}, the subject, is one.
_NOUNS = {
    "{count} addresses": "{count} address",
    "{count} further addresses": "{count} further address",
    "{count} answers": "{count} answer",
    "{count} pages": "{count} page",
    "{count} requests": "{count} request",
    "{count} sitemaps or feeds": "{count} sitemap or feed",
    "({count} times)": "(once)",
}
_VERBS = {
    " are ": " is ",
    " were ": " was ",
    " have ": " has ",
    " lie ": " lies ",
    " lead ": " leads ",
    " repeat ": " repeats ",
    " ask ": " asks ",
    " wait until their ": " waits until its ",
    " of their path ": " of its path ",
    "; they ": "; it ",
}


def _worded(words: str, count: int, place: str) -> str:
    if count == 1:
        changes = (_NOUNS | _VERBS) if words.startswith("{count}") else _NOUNS
        for many, one in changes.items():
            words = words.replace(many, one)
    return words.format(count=f"{count:,}", place=place)


class Report:
    """Counts problems by kind and place."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}
        self._examples: dict[tuple[str, str], str] = {}
        self._counted: list[tuple[str, str, int]] = []  # in the current transaction

    def begin(self) -> None:
        """Begin a transaction that may be rolled back."""
        self._counted.clear()

    def roll_back(self) -> None:
        """Revert the counts of a transaction that was rolled back."""
        for kind, place, times in self._counted:
            self._counts[kind][place] -= times
        self._counted.clear()

    def count(self, kind: str, place: str, *, url: str | None = None, times: int = 1) -> None:
        """Count a problem; the first address of each kind and place is kept as an example."""
        counter = self._counts.setdefault(kind, Counter())
        if place not in counter and len(counter) >= MOST_PLACES:
            place = "other hosts"
        counter[place] += times
        self._counted.append((kind, place, times))
        if url is not None:
            self._examples.setdefault((kind, place), url[:500])

    def problems(self) -> Iterator[Problem]:
        """Yield the problems, the most severe first."""
        found = []
        for kind, counter in self._counts.items():
            weight, words = KINDS.get(kind, (_PROBLEM, "{place}: " + kind + " ({count} times)"))
            for place, count in (+counter).most_common():
                message = _worded(words, count, place)
                found.append(Problem(kind, message, weight, self._examples.get((kind, place))))
        order = (Severity.FATAL, Severity.PROBLEM, Severity.NOTE)
        yield from sorted(found, key=lambda each: order.index(each.weight))
