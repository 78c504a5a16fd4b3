"""The pages of vocabularies: the list of all, top concepts, concepts from A to Z, search, and one concept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from windrow.index.protocol import FoundDocuments, Order
from windrow.model.thesaurus import Concept, Label, best_label
from windrow.search.filters import FILTERS
from windrow.vocabularies.vocabulary_directory import ROOT, PublishedVocabulary, VocabularyDirectory
from windrow.vocabularies.vocabulary_view import MOST_BESIDE, MOST_COUNTED, Named
from windrow.vocabularies.vocabulary_view import MOST_BESIDE as MOST_NARROWER
from windrow.web.http.http_request import HttpRefusal
from windrow.web.http.http_response import Response
from windrow.web.i18n.translation import message
from windrow.web.layout.page_cache import check_index_ready
from windrow.web.layout.page_layout import PageLayout, render_page
from windrow.web.layout.page_text import LinkedText, is_web_address, truncate
from windrow.web.vocabulary.vocabulary_context import (
    MAX_WITHIN,
    PER_PAGE,
    ConceptEntry,
    LabelText,
    VocabularyContext,
    label_text,
    language_name,
)
from windrow.web.vocabulary.vocabulary_downloads import download_formats

MAX_FOUND = 100
MAX_LETTERS = 200
MAX_COUNTED_WITHIN = 5_000  # concepts of a vocabulary whose second level is counted too
_MAX_QUERY_LENGTH = 200  # characters that are searched
_MAX_PAGE_DIGITS = 6  # digits


def show_list(frame: PageLayout, directory: VocabularyDirectory, address: str) -> Response:
    """Return the page of all vocabularies; `address` is appended to the link of each."""
    listed = [
        (
            label_text(best_label(each.vocabulary.title, (frame.tongue.code,)), frame.tongue, each.name),
            each.vocabulary,
            frame.link(each.path + address),
        )
        for each in directory.places
    ]
    return render_page(
        frame,
        "vocabulary/list.html",
        (b"vary", b"accept"),
        title=frame.tongue.say("Vocabularies"),
        canonical=ROOT,
        is_indexed=bool(listed),
        listed=listed,
    )


def show_vocabulary(context: VocabularyContext, pairs: Mapping[str, str]) -> Response:
    """Return the page of a vocabulary: its top concepts with their narrower ones."""
    vocabulary, page = context.place.vocabulary, page_number(pairs)
    tops = context.in_order(context.view.top_concepts())
    shown = tops[(page - 1) * PER_PAGE : page * PER_PAGE]
    if page > 1 and not shown:
        raise HttpRefusal(404, "There is no such page.")
    return _show_page(
        context,
        "vocabulary",
        title=context.title.words,
        canonical=context.place.path,
        is_indexed=page == 1,
        about=vocabulary,
        language_names=[language_name(each, context.tongue) for each in vocabulary.languages],
        schemes=[label_text(best_label(each.labels, context.languages), context.tongue, each.uri)
                 for each in vocabulary.schemes[:PER_PAGE]],
        tops=_entries_in_two_levels(context, shown),
        is_cut=len(tops) >= MOST_BESIDE,
        downloads=[(title, context.frame.link(f"{context.place.path}all{suffix}"), kind)
                   for title, suffix, kind in download_formats()],
        **page_links(context, context.place.path, page, len(tops)),
    )  # fmt: skip


def show_letters(context: VocabularyContext, pairs: Mapping[str, str]) -> Response:
    """Return a page of the concepts under a letter, by their labels in one language and its order."""
    view, languages = context.view, label_languages(context)
    language = pairs.get("language", "")
    if language not in languages:
        language = _best_language(languages, context.tongue.code)
    letters = view.initials(language)[:MAX_LETTERS]
    letter = pairs.get("letter", "")[:4] or (letters[0] if letters else "")
    after = Named(pairs.get("uri", ""), "", key=pairs["after"]) if pairs.get("after") else None
    found = view.listed(language, letter=letter, after=after, limit=PER_PAGE + 1) if letter else []
    shown = found[:PER_PAGE]
    path = f"{context.place.path}letters"
    known = {each.uri: each for each in view.concepts([each.uri for each in shown])}
    entries = [
        replace(context.entry(known[each.uri]), text=each.text, language=_foreign_to_page(language, context))
        for each in shown
        if each.uri in known
    ]
    here = {"letter": letter, "language": language}
    return _show_page(
        context,
        "letters",
        title=context.tongue.say("{vocabulary} from A to Z", vocabulary=context.title.words),
        canonical=path,
        letters=[
            (each, context.link(path, letter=each, language=language), each == letter) for each in letters
        ],
        languages=[
            (language_name(each, context.tongue), context.link(path, language=each), each == language)
            for each in languages
        ],
        entries=entries,
        previous=context.link(path, **here) if after else "",
        following=context.link(path, **here, after=shown[-1].key, uri=shown[-1].uri)
        if len(found) > PER_PAGE
        else "",
    )


def show_found(context: VocabularyContext, pairs: Mapping[str, str]) -> Response:
    text = pairs.get("q", "").strip()[:_MAX_QUERY_LENGTH]
    found = context.view.search(text, limit=MAX_FOUND + 1) if text else []
    shown = found[:MAX_FOUND]
    known = {each.uri: each for each in context.view.concepts([each.uri for each in shown])}
    entries = [
        (context.entry(known[each.uri]), _matched_name(context, known[each.uri], each.text, each.language))
        for each in shown
        if each.uri in known
    ]
    say = context.tongue.say
    return _show_page(
        context,
        "found",
        title=say("“{words}” in {vocabulary}", words=text, vocabulary=context.title.words)
        if text
        else say("Search in {vocabulary}", vocabulary=context.title.words),
        canonical=f"{context.place.path}search",
        asked=text,
        entries=entries,
        is_cut=len(found) > MAX_FOUND,
    )


def show_missing_vocabulary(frame: PageLayout, directory: VocabularyDirectory) -> Response:
    """Return the page (404) for an unknown vocabulary."""
    say = frame.tongue.say
    return render_page(
        frame,
        "vocabulary/missing.html",
        title=say("Nothing here"),
        words=say("There is no vocabulary of this name."),
        context=None,
        near=[],
        others=[
            (label_text(best_label(each.vocabulary.title, (frame.tongue.code,)), frame.tongue, each.name),
             frame.link(each.path))
            for each in directory.places
        ],
        status=404,
    )  # fmt: skip


def show_missing_concept(context: VocabularyContext, named: str) -> Response:
    """Return the page (404) for an unknown concept, with concepts of similar names."""
    say = context.tongue.say
    near = context.view.search(named[:_MAX_QUERY_LENGTH], limit=10)
    known = context.view.concepts([each.uri for each in near])
    return _show_page(
        context,
        "missing",
        title=say("Nothing here"),
        words=say(
            "{vocabulary} has no such concept. It may have been removed, or is called otherwise.",
            vocabulary=context.title.words,
        ),
        near=[context.entry(each) for each in known],
        others=[],
        status=404,
    )


def page_links(
    context: VocabularyContext, path: str, page: int, total: int, **query: str | int
) -> dict[str, object]:
    is_last = page * PER_PAGE >= total
    return {
        "previous": context.link(path, **query, **({"page": page - 1} if page > 2 else {}))
        if page > 1
        else "",
        "following": "" if is_last else context.link(path, **query, page=page + 1),
        "first": (page - 1) * PER_PAGE + 1,
        "total": total,
        "page_number": page,
    }


def page_number(pairs: Mapping[str, str]) -> int:
    """Return the requested page of a list; 1 if it is invalid."""
    text = pairs.get("page", "")
    is_number = text.isascii() and text.isdecimal() and len(text) <= _MAX_PAGE_DIGITS
    return max(int(text), 1) if is_number else 1


def label_languages(context: VocabularyContext) -> list[str]:
    """Return the languages of preferred labels; "" stands for labels without a language."""
    languages = list(context.place.vocabulary.languages)
    return languages if languages and not context.view.listed("", limit=1) else [*languages, ""]


def _show_page(context: VocabularyContext, template: str, **values: object) -> Response:
    status = values.pop("status", 200)
    assert isinstance(status, int)
    return render_page(
        context.frame,
        f"vocabulary/{template}.html",
        (b"vary", b"accept"),
        context=context,
        ways=context.room.ways(context.frame, context.question),
        status=status,
        **values,  # type: ignore[arg-type]
    )


def _entries_in_two_levels(context: VocabularyContext, tops: list[Concept]) -> list[ConceptEntry]:
    """Return concepts with their narrower ones; the top ones are counted first."""
    below = {each.uri: context.in_order(context.view.narrower(each.uri)) for each in tops}
    inner = [concept for each in tops for concept in below[each.uri][:MAX_WITHIN]]
    is_small = context.place.vocabulary.concepts <= MAX_COUNTED_WITHIN
    counted = [*tops, *(inner if is_small else [])]
    counts = context.counts([each.uri for each in counted][:MOST_COUNTED])
    having = context.view.having_narrower([each.uri for each in inner])
    return [
        replace(
            context.entry(top, counts.get(top.uri), has_more=bool(below[top.uri])),
            within=tuple(
                context.entry(each, counts.get(each.uri), has_more=each.uri in having)
                for each in below[top.uri][:MAX_WITHIN]
            ),
            is_cut=len(below[top.uri]) > MAX_WITHIN,
        )
        for top in tops
    ]


def _best_language(languages: list[str], wanted: str) -> str:
    near = [each for each in languages if each.partition("-")[0] == wanted]
    return next(iter(near or languages))


def _foreign_to_page(language: str, context: VocabularyContext) -> str:
    primary = language.partition("-")[0]
    return primary if primary != context.tongue.code else ""


def _matched_name(context: VocabularyContext, concept: Concept, text: str, language: str) -> LabelText | None:
    """Return the name that matched, if the list shows the concept under another."""
    shown = context.name_of(concept).words
    if not text or text in (shown, concept.notation):
        return None
    return LabelText(text, _foreign_to_page(language, context))


# The page of one concept: names, notes, relations, mappings and records.

MAX_RECORDS = 5
MAX_LABELS = 200
MAX_NOTES = 50
MAX_NOTE_LENGTH = 5_000
MAX_RELATED_CONCEPTS = 100  # broader and related concepts, mappings
MAX_VOCABULARIES = 20  # in which mappings are looked up
_DESCRIPTION_LETTERS = 300
NOTE_TITLES: Mapping[str, str] = {
    "definition": message("Definition"),
    "scope": message("Scope note"),
    "example": message("Example"),
    "note": message("Note"),
    "history": message("History"),
    "change": message("Changes of the concept"),
    "editorial": message("Note of the editors"),
}
MAPPING_TITLES: Mapping[str, str] = {
    "exact": message("Same concept elsewhere"),
    "close": message("Similar concepts elsewhere"),
    "broad": message("Broader concepts elsewhere"),
    "narrow": message("Narrower concepts elsewhere"),
    "related": message("Related concepts elsewhere"),
}


@dataclass(frozen=True, slots=True)
class ConceptNotes:
    """Notes of one kind, those in the reader's language first."""

    title: str
    texts: tuple[LabelText, ...]


@dataclass(frozen=True, slots=True)
class ConceptNames:
    """Names in one language; the language is empty where they have none."""

    title: str
    language: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConceptRecords:
    """The records of a concept and all narrower ones: the count, the first, and searches for all."""

    found: FoundDocuments
    searches: tuple[tuple[str, str], ...]  # field, and address of the search


def show_concept(
    context: VocabularyContext, directory: VocabularyDirectory, concept: Concept, pairs: Mapping[str, str]
) -> Response:
    check_index_ready(context.room.index)
    view, page = context.view, page_number(pairs)
    narrower = context.in_order(view.narrower(concept.uri))
    shown = narrower[(page - 1) * PER_PAGE : page * PER_PAGE]
    if page > 1 and not shown:
        raise HttpRefusal(404, "There is no such page.")
    name, place = context.name_of(concept), context.place
    notes = tuple(_concept_notes(context, concept))
    path = place.concept_path(concept.uri)
    return render_page(
        context.frame,
        "vocabulary/concept.html",
        (b"vary", b"accept"),
        title=f"{truncate(name.words, 200)} · {context.title.words}",
        description=truncate(notes[0].texts[0].words, _DESCRIPTION_LETTERS) if notes else "",
        canonical=path,
        is_indexed=page == 1 and not concept.is_deprecated and "?" not in path,
        context=context,
        concept=concept,
        name=name,
        paths=[[context.entry(each) for each in way] for way in view.paths(concept.uri) if way],
        notes=notes,
        narrower=context.entries(shown, is_counted=True),
        is_cut=len(narrower) >= MOST_NARROWER,
        preferred=_names_by_language(concept.preferred, context),
        alternative=_names_by_language(concept.alternative, context),
        broader=_concept_entries(context, view.broader(concept.uri)),
        related=_concept_entries(context, view.related(concept.uri)),
        replaced_by=_concept_entries(context, view.concepts(concept.replaced_by[:MAX_RELATED_CONCEPTS])),
        mappings=list(_mapped_concepts(context, directory, concept)),
        schemes=_concept_schemes(context, concept),
        records=_concept_records(context, concept),
        most_records=MAX_RECORDS,
        downloads=[
            (title, context.frame.link(place.concept_path(concept.uri, suffix)), kind)
            for title, suffix, kind in download_formats(is_whole=False)
        ],
        ways=context.room.ways(context.frame, context.question),
        **page_links(context, path, page, len(narrower)),  # type: ignore[arg-type]
    )


def _concept_entries(context: VocabularyContext, concepts: Sequence[Concept]) -> list[ConceptEntry]:
    return [context.entry(each) for each in context.in_order(concepts)[:MAX_RELATED_CONCEPTS]]


def _concept_notes(context: VocabularyContext, concept: Concept) -> Iterator[ConceptNotes]:
    own = context.tongue.code
    for kind, title in NOTE_TITLES.items():
        found = [note for note in concept.notes[:MAX_NOTES] if note.kind == kind]
        found.sort(key=lambda note: note.language.partition("-")[0] != own)
        if found:
            texts = (label_text(Label(note.text[:MAX_NOTE_LENGTH], note.language), context.tongue, "")
                     for note in found)  # fmt: skip
            yield ConceptNotes(context.tongue.say(title), tuple(texts))


def _names_by_language(labels: Sequence[Label], context: VocabularyContext) -> list[ConceptNames]:
    """Group names by language: the reader's first, then the others in order, those without one last."""
    found: dict[str, dict[str, None]] = {}
    for label in labels[:MAX_LABELS]:
        found.setdefault(label.language, {})[label.text] = None
    made = [
        ConceptNames(
            language_name(language, context.tongue) if language else context.tongue.say("Without a language"),
            language.partition("-")[0],
            tuple(names),
        )
        for language, names in found.items()
    ]
    own = context.tongue.code
    return sorted(made, key=lambda each: (each.language != own, not each.language, each.title.casefold()))


def _concept_schemes(context: VocabularyContext, concept: Concept) -> list[LabelText]:
    """Return the concept schemes that it is in, if the vocabulary has several."""
    known = {each.uri: each for each in context.place.vocabulary.schemes}
    if len(known) < 2:
        return []
    named = [known[uri] for uri in concept.schemes if uri in known]
    return [
        label_text(best_label(each.labels, context.languages), context.tongue, each.uri) for each in named
    ]


def _mapped_concepts(
    context: VocabularyContext, directory: VocabularyDirectory, concept: Concept
) -> Iterator[tuple[str, list[LinkedText]]]:
    """Yield mapped concepts by kind of mapping; those of this library link to their pages here."""
    mapped = concept.mappings[:MAX_RELATED_CONCEPTS]
    known = _known_concepts(directory, [each.uri for each in mapped])
    for kind, title in MAPPING_TITLES.items():
        said = []
        for each in mapped:
            if each.kind != kind:
                continue
            if each.uri in known:
                place, other = known[each.uri]
                found = replace(context, place=place)
                name = found.name_of(other)
                title_here = LinkedText(found.title.words, language=found.title.language)
                said.append(
                    LinkedText(name.words, found.concept_link(each.uri), name.language, places=(title_here,))
                )
            else:
                said.append(
                    LinkedText(each.uri, each.uri if is_web_address(each.uri) else "", is_outside=True)
                )
        if said:
            yield context.tongue.say(title), said


def _known_concepts(
    directory: VocabularyDirectory, uris: Sequence[str]
) -> dict[str, tuple[PublishedVocabulary, Concept]]:
    found: dict[str, tuple[PublishedVocabulary, Concept]] = {}
    for place in directory.places[:MAX_VOCABULARIES] if uris else ():
        for concept in place.view.concepts(uris):
            found.setdefault(concept.uri, (place, concept))
    return found


def _concept_records(context: VocabularyContext, concept: Concept) -> ConceptRecords | None:
    if not context.is_bound:
        return None
    query = context.records(concept.uri)
    found = context.room.index.search(query, limit=MAX_RECORDS, order=Order.NEWEST)
    return ConceptRecords(found, tuple(_record_searches(context, concept.uri, context.fields)))


def _record_searches(
    context: VocabularyContext, uri: str, fields: Iterable[str]
) -> Iterator[tuple[str, str]]:
    ways = context.room.ways(context.frame, context.question)
    for field in fields:
        address = ways.narrowed((field, uri)) if field in FILTERS else ways.exactly(uri, field)
        yield context.frame.label(field), address
