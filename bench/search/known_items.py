"""Known items: whether people find a record that they have in mind, asked for in 24 ways.

`python -m bench.search.known_items` draws real records, asks for each in every way, and prints how often it
came first, among the first ten, and how often nothing was found at all. What is asked is the search that the
pages and the API do, so that a partial match or a correction counts as what the reader sees.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

import tantivy

from bench.search.real_records import read_entries
from windrow.index.protocol import Index
from windrow.index.tantivy.layout import register, schema
from windrow.index.tantivy.rows import Entry, written_rows
from windrow.index.tantivy.searching import TantivyIndex
from windrow.model.text.folding import folded_words
from windrow.search.request import read_request
from windrow.search.results import look_up

ITEMS = 240
OF_ONE_SOURCE = 30
SHOWN = 10
SEED = 18
FEWEST_WORDS = 5  # of a title
HEAP_BYTES = 200_000_000
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PERSON = re.compile(r"[^\W\d_][\w'’-]+, [^\W\d_][\w'’. -]*")
_TITLE_WORD = re.compile(r"[^\W\d_]{3,}")


class Item(NamedTuple):
    """A record somebody looks for, and what is remembered of it."""

    entry: Entry
    title: str
    telling: tuple[str, ...]  # words of the title as written, the rarest first
    family: str
    given: str

    @property
    def initial(self) -> str:
        """The first letter of the given name."""
        return self.given[0]


class Ask(NamedTuple):
    """What is typed, and whether a record of the same author will do."""

    text: str
    is_by_author: bool = False


class Rig:
    """The records, how rare their words are, and a source of chance for one item and way."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self.counts: dict[str, int] = {}
        for entry in entries:
            for word in {word for text in _texts(entry) for word in folded_words(text)}:
                self.counts[word] = self.counts.get(word, 0) + 1
        # Words that some other record has: of these a wrong one is remembered.
        self.known = sorted(
            word for word, count in self.counts.items() if 3 <= count <= 60 and word.isalpha()
        )

    def items(self) -> list[Item]:
        """Return records with a telling title of their own and a person as author."""
        titles: dict[str, int] = {}
        for entry in self.entries:
            key = " ".join(folded_words(entry.document.title or ""))
            titles[key] = titles.get(key, 0) + 1
        found: list[Item] = []
        taken: dict[str, int] = {}
        for entry in Random(SEED).sample(list(self.entries), len(self.entries)):
            item = self._item(entry)
            if item is None or titles[" ".join(folded_words(item.title))] > 1:
                continue
            if taken.get(entry.source, 0) < OF_ONE_SOURCE * (1 + 2 * (entry.source.endswith(_LARGE))):
                taken[entry.source] = taken.get(entry.source, 0) + 1
                found.append(item)
            if len(found) == ITEMS:
                break
        return found

    def _item(self, entry: Entry) -> Item | None:
        title = entry.document.title or ""
        creators = [agent.name for agent in entry.document.creators]
        if not creators or not _PERSON.fullmatch(creators[0]) or not title.isprintable():
            return None
        words = [
            word
            for word in dict.fromkeys(_TITLE_WORD.findall(unicodedata.normalize("NFC", title)))
            if len(folded_words(word)) == 1
        ]
        telling = sorted(words, key=lambda word: (self.counts.get(folded_words(word)[0], 0), word))
        if len(folded_words(title)) < FEWEST_WORDS or len(telling) < FEWEST_WORDS or len(title) > 200:
            return None
        family, _, given = creators[0].partition(", ")
        return Item(entry, title, tuple(telling), family, given)

    def wrong(self, random: Random, item: Item) -> str:
        """Return a word that other records have and this one does not."""
        mine = {word for text in _texts(item.entry) for word in folded_words(text)}
        return next(word for _ in range(1000) if (word := random.choice(self.known)) not in mine)


_LARGE = ("CenterForOpenScience__scrapi", "NatLibFi__FinGreyLit")


def _texts(entry: Entry) -> Iterable[str]:
    document = entry.document
    yield from (text.value for text in (*document.titles, *document.descriptions))
    yield from (agent.name for agent in (*document.creators, *document.contributors))
    yield from (subject.value for subject in document.subjects)
    yield from (*document.keywords, *document.publishers, *document.sources)


def misspell(random: Random, word: str) -> str:
    """Return a word with one slip: a letter wrong, missing, too many, or two exchanged; never the first."""
    place = random.randrange(1, len(word) - 1)
    start, letter, end = word[:place], word[place], word[place + 1 :]
    slips = [start + end, start + letter + letter + end, start + random.choice(_LETTERS) + end]
    if end and end[0] != letter:
        slips.append(start + end[0] + letter + end[1:])
    found = random.choice(slips)
    return found if found.lower() != word.lower() else start + end


def _with_slip(random: Random, item: Item) -> tuple[str, str]:
    """Return one of the longer telling words, and the same misspelt."""
    word = max(item.telling[:4], key=len)
    return word, misspell(random, word)


def _unaccented(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


def _slipped_title(_rig: Rig, random: Random, item: Item) -> Ask:
    word, wrong = _with_slip(random, item)
    return Ask(item.title.replace(word, wrong, 1))


def _slipped_words(_rig: Rig, random: Random, item: Item) -> Ask:
    word, wrong = _with_slip(random, item)
    others = [each for each in item.telling if each != word][:2]
    return Ask(" ".join([*others, wrong]))


def _slipped_author(_rig: Rig, random: Random, item: Item) -> Ask:
    wrong = misspell(random, item.family) if len(item.family) > 4 else item.family
    return Ask(f"{wrong} {item.telling[0]} {item.telling[1]}")


def _inserted(random: Random, text: str, word: str) -> str:
    words = text.split()
    words.insert(random.randrange(len(words) + 1), word)
    return " ".join(words)


def _plain(text: str) -> str:
    return " ".join(_TITLE_WORD.findall(text)) or text


def _few(item: Item, number: int) -> list[str]:
    return list(item.telling[:number])


def _shuffled(random: Random, words: list[str]) -> str:
    return " ".join(random.sample(words, len(words)))


Way = Callable[[Rig, Random, Item], Ask]
WAYS: dict[str, Way] = {
    "title as it stands": lambda _g, _r, i: Ask(i.title),
    "title in lower case": lambda _g, _r, i: Ask(i.title.lower()),
    "title without accents": lambda _g, _r, i: Ask(_unaccented(i.title)),
    "title as a phrase": lambda _g, _r, i: Ask('"' + i.title.replace('"', " ") + '"'),
    "title without signs": lambda _g, _r, i: Ask(_plain(i.title)),
    "first five words": lambda _g, _r, i: Ask(" ".join(folded_words(i.title)[:5])),
    "last five words": lambda _g, _r, i: Ask(" ".join(folded_words(i.title)[-5:])),
    "three telling words": lambda _g, r, i: Ask(_shuffled(r, _few(i, 3))),
    "author and two words": lambda _g, _r, i: Ask(" ".join([i.family, *_few(i, 2)])),
    "title and author": lambda _g, _r, i: Ask(f"{i.title} {i.family}"),
    "title and a foreign word": lambda g, r, i: Ask(_inserted(r, _plain(i.title), g.wrong(r, i))),
    "title and a word nothing has": lambda _g, r, i: Ask(_inserted(r, _plain(i.title), "zqxwvort")),
    "three right words, one wrong": lambda g, r, i: Ask(_shuffled(r, [*_few(i, 3), g.wrong(r, i)])),
    "five right words, two wrong": lambda g, r, i: Ask(
        _shuffled(r, [*_few(i, 5), g.wrong(r, i), g.wrong(r, i)])
    ),
    "two right words, one wrong": lambda g, r, i: Ask(_shuffled(r, [*_few(i, 2), g.wrong(r, i)])),
    "author, two words, one wrong": lambda g, r, i: Ask(" ".join([i.family, *_few(i, 2), g.wrong(r, i)])),
    "title with a typo": _slipped_title,
    "three words, one typo": _slipped_words,
    "author with a typo, two words": _slipped_author,
    "Family I and two words": lambda _g, _r, i: Ask(f"{i.family} {i.initial} {' '.join(_few(i, 2))}"),
    "Family I": lambda _g, _r, i: Ask(f"{i.family} {i.initial}", is_by_author=True),
    "I. Family": lambda _g, _r, i: Ask(f"{i.initial}. {i.family}", is_by_author=True),
    "Family, I.": lambda _g, _r, i: Ask(f"{i.family}, {i.initial}.", is_by_author=True),
    "Given Family": lambda _g, _r, i: Ask(f"{i.given} {i.family}", is_by_author=True),
}


@dataclass(slots=True)
class Figures:
    """What one way came to."""

    ranks: list[int] = field(default_factory=list)  # from 1; 0 for not among the first ten
    zeros: int = 0
    missed: list[str] = field(default_factory=list)

    def shares(self) -> tuple[float, float, float]:
        """Return how many of a hundred came first, among the first ten, and found nothing."""
        asked = max(len(self.ranks), 1)
        first = sum(rank == 1 for rank in self.ranks)
        return (
            100 * first / asked,
            100 * sum(map(bool, self.ranks)) / asked,
            100 * self.zeros / asked,
        )


def build(entries: Iterable[Entry]) -> TantivyIndex:
    """Return an index of these records in memory."""
    index = register(tantivy.Index(schema()))
    writer = index.writer(HEAP_BYTES, 1)
    for row in written_rows(list(entries)):
        writer.add_json(row)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return TantivyIndex(index.searcher(), generation="known items")


def measure(rig: Rig, index: Index, items: Sequence[Item]) -> dict[str, Figures]:
    """Ask for every item in every way."""
    found = {way: Figures() for way in WAYS}
    for place, item in enumerate(items):
        for way, make in WAYS.items():
            ask = make(rig, Random(f"{SEED} {place} {way}"), item)
            results = look_up(index, read_request([("q", ask.text), ("per_page", str(SHOWN))]))
            figures, author = found[way], f"{item.family}, {item.given}"
            rank = 0
            for number, hit in enumerate(results.hits, start=1):
                card = hit.card
                if card.number == item.entry.number or (ask.is_by_author and author in card.creators):
                    rank = number
                    break
            figures.ranks.append(rank)
            figures.zeros += not results.hits
            if rank != 1:
                figures.missed.append(ask.text)
    return found


def main(arguments: Sequence[str]) -> None:
    """Print the table; with a file's name, also keep the figures and what was missed there."""
    rig = Rig(read_entries())
    items = rig.items()
    figures = measure(rig, build(rig.entries), items)
    print(f"{len(rig.entries):,} records, {len(items)} items, {len(WAYS)} ways")
    print("| way | first % | top ten % | nothing % |\n|---|---|---|---|")
    for way, each in figures.items():
        print(f"| {way} | " + " | ".join(f"{share:.1f}" for share in each.shares()) + " |")
    for name in arguments[:1]:
        kept = {way: {"shares": each.shares(), "missed": each.missed} for way, each in figures.items()}
        with open(name, "w", encoding="utf-8") as file:
            json.dump(kept, file, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main(sys.argv[1:])
