"""The pages of browsing structures, `/browse/by/NAME`: values, values within them, documents at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from windrow.config.classifiers import EXTRA, Structure
from windrow.faces.portal.file_facts import LABELS
from windrow.faces.portal.room import Room
from windrow.faces.shared.frame import Frame, show
from windrow.faces.shared.noted import tell_filters
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.finding import classifying
from windrow.finding.asking import deepest_page
from windrow.finding.classifying import PER_PAGE, Class, Classes
from windrow.finding.question import Question
from windrow.index.protocol import Found
from windrow.model.facts import fact

BY = "by"
_OUTER, _INNER = "in", "then"  # parameters with the values that are chosen
_LONGEST_PAGE = 6  # digits


@dataclass(frozen=True, slots=True)
class Entry:
    """One value as it is listed."""

    words: str
    count: int
    address: str
    within: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """The values of one field."""

    label: str
    entries: tuple[Entry, ...]
    letters: tuple[tuple[str, int, str, bool], ...] = ()  # letter, values, address, whether it is shown
    is_cut: bool = False


def label_of(structure: Structure, frame: Frame) -> str:
    """Say what a structure is called: Folder › Year."""
    return " › ".join(field_label(field, frame) for field in structure.fields)


def field_label(field: str, frame: Frame) -> str:
    """Say what a field of a structure is called."""
    if field.startswith(EXTRA):
        name = field.removeprefix(EXTRA).strip()
        known = LABELS.get(name.lower())
        return name.capitalize() if known is None else frame.tongue.say(known)
    return frame.label("media" if field == "format" else field)


def structure_path(structure: Structure, question: Question, *chosen: str, **more: str | int) -> str:
    """Give the path of a structure's page, with the values that are chosen."""
    pairs = [("collection", question.collection or ""), *zip((_OUTER, _INNER), chosen, strict=False)]
    pairs += [(name, str(value)) for name, value in more.items()]
    written = urlencode([pair for pair in pairs if pair[1]], errors="replace")
    return f"/browse/{BY}/{structure.slug}" + (f"?{written}" if written else "")


@dataclass(frozen=True, slots=True)
class Classified:
    """Makes the pages of one library's structures."""

    room: Room

    def page(self, request: Request, question: Question, frame: Frame, slug: str) -> Response:
        """Give the page of a structure; Refused where there is none of this name."""
        structure = next((each for each in frame.look.browse if each.slug == slug), None)
        if structure is None:
            raise Refused(404, "There is nothing at this address.")
        pairs = dict(query_pairs(request.query))
        chosen = [fact(pairs[name]) for name in (_OUTER, _INNER)[: len(structure.fields)] if pairs.get(name)]
        if _INNER in pairs and _OUTER not in pairs:
            chosen = []
        return _Page(self.room, structure, question, frame, tuple(chosen)).show(
            letter=pairs.get("letter", "")[:4], page=_number(pairs.get("page", ""))
        )


@dataclass(frozen=True, slots=True)
class _Page:
    room: Room
    structure: Structure
    question: Question
    frame: Frame
    chosen: tuple[str, ...]

    def show(self, *, letter: str, page: int) -> Response:
        found = self._documents(page)
        if page > 1 and (found is None or not found.hits):
            raise Refused(404, "There is no such page.")
        is_leaf = len(self.chosen) > 1
        listings = [] if is_leaf else [self._listing(each) for each in self._classes(letter)]
        title = label_of(self.structure, self.frame)
        is_last = found is None or page * PER_PAGE >= found.total or page >= deepest_page(PER_PAGE)
        return show(
            self.frame,
            "portal/classified.html",
            title=f"{' › '.join(self._chosen_words())} · {title}" if self.chosen else title,
            heading=title,
            canonical=self._path(*self.chosen, **({"page": page} if page > 1 else {})),
            is_indexed=not self.chosen and not letter,
            name=self.structure.slug,
            others=[
                (each.slug, label_of(each, self.frame), structure_path(each, self.question))
                for each in self.frame.look.browse
            ],
            trail=list(self._trail()),
            listings=[each for each in listings if each.entries],
            hits=found.hits if found else (),
            total=found.total if found else 0,
            previous=self._path(*self.chosen, page=page - 1) if page > 1 else "",
            following="" if is_last else self._path(*self.chosen, page=page + 1),
            ways=self.room.ways(self.frame, self.question),
            question=self.question,
            notes=tell_filters(self.question.notes, self.frame.tongue),
        )

    def _documents(self, page: int) -> Found | None:
        """Documents are shown where a value is chosen; and those in no folder beside the outermost ones."""
        if not self.chosen and self.structure.fields != ("folder",):
            return None
        query = self.question.query
        if page > deepest_page(PER_PAGE):
            raise Refused(404, "There is no such page.")
        language = self.frame.tongue.code
        return classifying.documents(
            self.room.index, query, self.structure, self.chosen, page=page, language=language
        )

    def _classes(self, letter: str) -> list[Classes]:
        index, query = self.room.index, self.question.query
        language = self.frame.tongue.code
        if self.chosen:
            return classifying.inner_classes(index, query, self.structure, self.chosen[0], language=language)
        return [classifying.outer_classes(index, query, self.structure, letter=letter, language=language)]

    def _listing(self, classes: Classes) -> Listing:
        is_outer = classes.field == self.structure.fields[0]
        before = () if is_outer else self.chosen
        return Listing(
            field_label(classes.field, self.frame),
            tuple(self._entry(classes.field, each, before) for each in classes.found),
            tuple(
                (each, count, self._path(letter=each), each == classes.letter)
                for each, count in classes.letters
            ),
            classes.is_cut,
        )

    def _entry(self, field: str, found: Class, before: tuple[str, ...]) -> Entry:
        chosen = (*before, found.value)
        within = tuple(self._entry(self.structure.fields[1], each, chosen) for each in found.within)
        return Entry(self._words(field, found.value), found.count, self._path(*chosen), within)

    def _trail(self) -> Iterator[tuple[str, str]]:
        """The way back: each with its words and its address."""
        yield label_of(self.structure, self.frame), self._path()
        if self.chosen and self.structure.fields[0] == "folder":
            parts = self.chosen[0].split("/")
            for depth in range(1, len(parts) + 1):
                yield parts[depth - 1], self._path("/".join(parts[:depth]))
        elif self.chosen:
            yield self._words(self.structure.fields[0], self.chosen[0]), self._path(self.chosen[0])
        if self.chosen[1:]:
            yield self._words(self.structure.fields[1], self.chosen[1]), self._path(*self.chosen)

    def _words(self, field: str, value: str) -> str:
        if field == "folder":
            return value.rpartition("/")[2]
        return self.frame.value("media" if field == "format" else field, value)

    def _chosen_words(self) -> Sequence[str]:
        return [
            self._words(field, value)
            for field, value in zip(self.structure.fields, self.chosen, strict=False)
        ]

    def _path(self, *chosen: str, **more: str | int) -> str:
        return structure_path(self.structure, self.question, *chosen, **more)


def _number(text: str) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_PAGE
    return max(int(text), 1) if is_number else 1
