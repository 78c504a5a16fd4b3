"""Topical searches over real records, judged by those who catalogued them: nDCG@10.

A topic is a subject heading that cataloguers gave to several records. Its relevant records are those with
that heading. All headings are withheld from the index, so that nothing is found by the judgement itself:

- 2: the record has the heading;
- 1: one of its headings contains all words of the heading, or is contained in it.

Everything else counts as not relevant, also what a cataloguer overlooked; the figures compare two states of
the search and say nothing absolute. `python -m bench.search.topics --judge FILE` makes the judgements from
the fixtures (the same ones every time); `python -m bench.search.topics FILE` measures. The file names records
by their places in the fixtures and has nothing else of them.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from bench.search.known_items import build
from bench.search.real_records import read_entries
from windrow.index.protocol import Index
from windrow.index.tantivy.rows import Entry
from windrow.model.text.folding import folded_words
from windrow.search.request import read_request
from windrow.search.results import look_up

TOPICS = 200
SEED = 18
FEWEST, MOST = 4, 60  # records with the heading
OF_ONE_SOURCE = 60  # topics whose records are mostly of one source
SHOWN = 10
# How a topic is asked for: as it is, and as people write who write too much.
FORMS = ("{0}", "{0}", "{0} research", "studies of {0}", "{0} in practice")
_FORMAL = frozenset(
    ["images", "texts", "photographs", "periodicals", "newspapers", "text", "still", "image", "collection"]
)


@dataclass(frozen=True, slots=True)
class Topic:
    """What is asked, and how relevant records are; all others are not."""

    query: str
    grades: Mapping[str, int]


def read_topics(path: Path) -> list[Topic]:
    """Return the judgements in a file."""
    kept = json.loads(path.read_text("utf-8"))
    return [Topic(each["query"], dict(_named(kept["files"], each["grades"]))) for each in kept["topics"]]


def _named(files: Sequence[str], grades: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    for place, grade in grades.items():
        number, _, record = place.partition("#")
        yield f"{files[int(number)]}#{record}", grade


def write_topics(path: Path, topics: Sequence[Topic]) -> None:
    """Write judgements: the files once, and the records of each topic by file and place."""
    names = sorted({name.rpartition("#")[0] for topic in topics for name in topic.grades})
    numbers = {name: number for number, name in enumerate(names)}
    made = [
        {"query": topic.query, "grades": {_short(name, numbers): topic.grades[name] for name in topic.grades}}
        for topic in topics
    ]
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in made)
    path.write_text(f'{{"files": {json.dumps(names, indent=0)},\n"topics": [\n{lines}\n]}}\n', "utf-8")


def _short(name: str, numbers: Mapping[str, int]) -> str:
    file, _, record = name.rpartition("#")
    return f"{numbers[file]}#{record}"


def judge(entries: Sequence[Entry]) -> list[Topic]:
    """Return topics with their judgements, drawn from the headings of the records."""
    having: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for place, entry in enumerate(entries):
        for words in headings(entry):
            having[words].add(place)
    usable = sorted(
        words
        for words, places in having.items()
        if FEWEST <= len(places) <= MOST
        and 1 <= len(words) <= 4
        and _tells(words)
        # Somebody must be able to find some of them at all: by their titles and abstracts.
        and sum(set(words) <= _said(entries[place]) for place in places) >= 2
    )
    random, topics, taken = Random(SEED), list[Topic](), defaultdict[str, int](int)
    for words in random.sample(usable, len(usable)):
        sources = [entries[place].source for place in having[words]]
        source = max(sorted(set(sources)), key=sources.count)
        if taken[source] >= OF_ONE_SOURCE:
            continue
        taken[source] += 1
        query = FORMS[len(topics) % len(FORMS)].format(" ".join(words))
        topics.append(Topic(query, _grades(entries, having, words)))
        if len(topics) == TOPICS:
            break
    return topics


def headings(entry: Entry) -> set[tuple[str, ...]]:
    """The headings of a record as folded words, each part of one that is put together by itself as well."""
    document = entry.document
    values = [*(subject.value for subject in document.subjects), *document.keywords]
    parts = [part for value in values for part in (value, *value.split("--"), *value.split(";"))]
    return {words for part in parts if (words := tuple(folded_words(part)))}


def _tells(words: Sequence[str]) -> bool:
    return (
        all(word.isalpha() for word in words)
        and any(len(word) > 3 for word in words)
        and not (_FORMAL & set(words))
    )


def _said(entry: Entry) -> set[str]:
    texts = (*entry.document.titles, *entry.document.descriptions)
    return {word for text in texts for word in folded_words(text.value)}


def _grades(
    entries: Sequence[Entry], having: Mapping[tuple[str, ...], set[int]], words: tuple[str, ...]
) -> dict[str, int]:
    wanted = set(words)
    grades: dict[str, int] = {}
    for other, places in having.items():
        is_near = len(other) <= 6 and (wanted <= set(other) or (len(other) > 1 and set(other) <= wanted))
        if other == words or is_near:
            for place in places:
                name = entries[place].identifier
                grades[name] = max(grades.get(name, 0), 2 if other == words else 1)
    return dict(sorted(grades.items()))


def measure(topics: Sequence[Topic], index: Index) -> list[float]:
    """Return the nDCG@10 of each topic."""
    found = []
    for topic in topics:
        results = look_up(index, read_request([("q", topic.query), ("per_page", str(SHOWN))]))
        gains = [topic.grades.get(hit.card.identifier, 0) for hit in results.hits]
        best = sorted(topic.grades.values(), reverse=True)[:SHOWN]
        found.append(_discounted(gains) / _discounted(best))
    return found


def _discounted(grades: Sequence[int]) -> float:
    return math.fsum(((1 << grade) - 1) / math.log2(place + 2) for place, grade in enumerate(grades))


def without_headings(entry: Entry) -> Entry:
    """The record as the index gets it: nothing of it is the judgement."""
    return entry._replace(document=replace(entry.document, subjects=(), keywords=()))


def main(arguments: Sequence[str]) -> None:
    """Make the judgements, or measure by them."""
    entries = read_entries()
    if arguments[0] == "--judge":
        write_topics(Path(arguments[1]), judge(entries))
        return
    topics = read_topics(Path(arguments[0]))
    figures = measure(topics, build(map(without_headings, entries)))
    nothing = sum(figure == 0 for figure in figures)
    print(f"{len(topics)} topics, nDCG@10 {sum(figures) / len(figures):.4f}, {nothing} with none relevant")
    for place, form in enumerate(FORMS):
        part = figures[place :: len(FORMS)]
        print(f"  {form.format('…')}: {sum(part) / len(part):.4f}")


if __name__ == "__main__":
    main(sys.argv[1:])
