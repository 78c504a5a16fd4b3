"""The page of one concept: its names, what it means, where it lies among the others, and its records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from windrow.faces.portal.said import Said
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import show
from windrow.faces.shared.readiness import check_ready
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.response import Response
from windrow.faces.shared.wording import cut, is_web
from windrow.faces.vocabulary.context import (
    PER_PAGE,
    Entry,
    Text,
    VocabularyContext,
    label_text,
    language_name,
)
from windrow.faces.vocabulary.downloads import offered
from windrow.faces.vocabulary.lists import page_number, turning
from windrow.finding.filters import FILTERS
from windrow.index.protocol import Found, Order
from windrow.model.vocabulary import Concept, Label, best_label
from windrow.vocabularies.directory import Directory, Place
from windrow.vocabularies.view import MOST_BESIDE as MOST_NARROWER

MOST_RECORDS = 5
MOST_LABELS = 200
MOST_NOTES = 50
LONGEST_NOTE = 5_000
MOST_BESIDE = 100  # broader and related concepts, mappings
MOST_VOCABULARIES = 20  # in which mappings are looked up
_DESCRIPTION_LETTERS = 300
NOTES: Mapping[str, str] = {
    "definition": message("Definition"),
    "scope": message("Scope note"),
    "example": message("Example"),
    "note": message("Note"),
    "history": message("History"),
    "change": message("Changes of the concept"),
    "editorial": message("Note of the editors"),
}
MAPPINGS: Mapping[str, str] = {
    "exact": message("Same concept elsewhere"),
    "close": message("Similar concepts elsewhere"),
    "broad": message("Broader concepts elsewhere"),
    "narrow": message("Narrower concepts elsewhere"),
    "related": message("Related concepts elsewhere"),
}


@dataclass(frozen=True, slots=True)
class Note:
    """Notes of one kind, those in the reader's language first."""

    title: str
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """Names in one language; the language is empty where they have none."""

    title: str
    language: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a concept and of all below it: how many, the first, and the searches for all."""

    found: Found
    searches: tuple[tuple[str, str], ...]  # the field, and the address of the search


def show_concept(
    context: VocabularyContext, directory: Directory, concept: Concept, pairs: Mapping[str, str]
) -> Response:
    """Return the page."""
    check_ready(context.room.index)
    view, page = context.view, page_number(pairs)
    narrower = context.in_order(view.narrower(concept.uri))
    shown = narrower[(page - 1) * PER_PAGE : page * PER_PAGE]
    if page > 1 and not shown:
        raise Refused(404, "There is no such page.")
    name, place = context.name_of(concept), context.place
    notes = tuple(_notes(context, concept))
    path = place.concept_path(concept.uri)
    return show(
        context.frame,
        "vocabulary/concept.html",
        (b"vary", b"accept"),
        title=f"{cut(name.words, 200)} · {context.title.words}",
        description=cut(notes[0].texts[0].words, _DESCRIPTION_LETTERS) if notes else "",
        canonical=path,
        is_indexed=page == 1 and not concept.is_deprecated and "?" not in path,
        context=context,
        concept=concept,
        name=name,
        paths=[[context.entry(each) for each in way] for way in view.paths(concept.uri) if way],
        notes=notes,
        narrower=context.entries(shown, is_counted=True),
        is_cut=len(narrower) >= MOST_NARROWER,
        preferred=_names(concept.preferred, context),
        alternative=_names(concept.alternative, context),
        broader=_entries(context, view.broader(concept.uri)),
        related=_entries(context, view.related(concept.uri)),
        replaced_by=_entries(context, view.concepts(concept.replaced_by[:MOST_BESIDE])),
        mappings=list(_mappings(context, directory, concept)),
        schemes=_schemes(context, concept),
        records=_records(context, concept),
        most_records=MOST_RECORDS,
        downloads=[
            (title, context.frame.link(place.concept_path(concept.uri, suffix)), kind)
            for title, suffix, kind in offered(is_whole=False)
        ],
        ways=context.room.ways(context.frame, context.question),
        **turning(context, path, page, len(narrower)),  # type: ignore[arg-type]
    )


def _entries(context: VocabularyContext, concepts: Sequence[Concept]) -> list[Entry]:
    return [context.entry(each) for each in context.in_order(concepts)[:MOST_BESIDE]]


def _notes(context: VocabularyContext, concept: Concept) -> Iterator[Note]:
    own = context.tongue.code
    for kind, title in NOTES.items():
        found = [note for note in concept.notes[:MOST_NOTES] if note.kind == kind]
        found.sort(key=lambda note: note.language.partition("-")[0] != own)
        if found:
            texts = (label_text(Label(note.text[:LONGEST_NOTE], note.language), context.tongue, "")
                     for note in found)  # fmt: skip
            yield Note(context.tongue.say(title), tuple(texts))


def _names(labels: Sequence[Label], context: VocabularyContext) -> list[Names]:
    """Return names by language: the reader's first, then the others in order, those of none last."""
    found: dict[str, dict[str, None]] = {}
    for label in labels[:MOST_LABELS]:
        found.setdefault(label.language, {})[label.text] = None
    made = [
        Names(
            language_name(language, context.tongue) if language else context.tongue.say("Without a language"),
            language.partition("-")[0],
            tuple(names),
        )
        for language, names in found.items()
    ]
    own = context.tongue.code
    return sorted(made, key=lambda each: (each.language != own, not each.language, each.title.casefold()))


def _schemes(context: VocabularyContext, concept: Concept) -> list[Text]:
    """Return the parts of the vocabulary that it is in, where there are several."""
    known = {each.uri: each for each in context.place.vocabulary.schemes}
    if len(known) < 2:
        return []
    named = [known[uri] for uri in concept.schemes if uri in known]
    return [
        label_text(best_label(each.labels, context.languages), context.tongue, each.uri) for each in named
    ]


def _mappings(
    context: VocabularyContext, directory: Directory, concept: Concept
) -> Iterator[tuple[str, list[Said]]]:
    """Yield the concepts of other vocabularies by kind; those of this library lead to their pages here."""
    mapped = concept.mappings[:MOST_BESIDE]
    known = _known(directory, [each.uri for each in mapped])
    for kind, title in MAPPINGS.items():
        said = []
        for each in mapped:
            if each.kind != kind:
                continue
            if each.uri in known:
                place, other = known[each.uri]
                found = replace(context, place=place)
                name = found.name_of(other)
                title_here = Said(found.title.words, language=found.title.language)
                said.append(
                    Said(name.words, found.concept_link(each.uri), name.language, places=(title_here,))
                )
            else:
                said.append(Said(each.uri, each.uri if is_web(each.uri) else "", is_outside=True))
        if said:
            yield context.tongue.say(title), said


def _known(directory: Directory, uris: Sequence[str]) -> dict[str, tuple[Place, Concept]]:
    found: dict[str, tuple[Place, Concept]] = {}
    for place in directory.places[:MOST_VOCABULARIES] if uris else ():
        for concept in place.view.concepts(uris):
            found.setdefault(concept.uri, (place, concept))
    return found


def _records(context: VocabularyContext, concept: Concept) -> Records | None:
    """Return the first records; None where no field is bound to the vocabulary."""
    if not context.is_bound:
        return None
    query = context.records(concept.uri)
    found = context.room.index.search(query, limit=MOST_RECORDS, order=Order.NEWEST)
    return Records(found, tuple(_searches(context, concept.uri, context.fields)))


def _searches(context: VocabularyContext, uri: str, fields: Iterable[str]) -> Iterator[tuple[str, str]]:
    ways = context.room.ways(context.frame, context.question)
    for field in fields:
        address = ways.narrowed((field, uri)) if field in FILTERS else ways.exactly(uri, field)
        yield context.frame.label(field), address
