"""The pages of a vocabulary as a whole: what it is with its top concepts, from A to Z, search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from windrow.faces.shared.frame import Frame, show
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.response import Response
from windrow.faces.vocabulary.context import (
    MOST_WITHIN,
    PER_PAGE,
    Entry,
    Text,
    VocabularyContext,
    label_text,
    language_name,
)
from windrow.faces.vocabulary.downloads import offered
from windrow.model.vocabulary import Concept, best_label
from windrow.vocabularies.counting import MOST_COUNTED
from windrow.vocabularies.directory import ROOT, Directory
from windrow.vocabularies.view import MOST_BESIDE, Named

MOST_FOUND = 100
MOST_LETTERS = 200
MOST_COUNTED_WITHIN = 5_000  # concepts of a vocabulary whose second level is counted, too
_LONGEST = 200  # letters that are searched
_LONGEST_PAGE = 6  # digits


def show_list(frame: Frame, directory: Directory, address: str) -> Response:
    """Return the page with all vocabularies; `address` ends what leads to each of them."""
    listed = [
        (
            label_text(best_label(each.vocabulary.title, (frame.tongue.code,)), frame.tongue, each.name),
            each.vocabulary,
            frame.link(each.path + address),
        )
        for each in directory.places
    ]
    return show(
        frame,
        "vocabulary/list.html",
        (b"vary", b"accept"),
        title=frame.tongue.say("Vocabularies"),
        canonical=ROOT,
        is_indexed=bool(listed),
        listed=listed,
    )


def show_vocabulary(context: VocabularyContext, pairs: Mapping[str, str]) -> Response:
    """Return the page of a vocabulary with its top concepts, each with those right below it."""
    vocabulary, page = context.place.vocabulary, page_number(pairs)
    tops = context.in_order(context.view.top_concepts())
    shown = tops[(page - 1) * PER_PAGE : page * PER_PAGE]
    if page > 1 and not shown:
        raise Refused(404, "There is no such page.")
    return _show(
        context,
        "vocabulary",
        title=context.title.words,
        canonical=context.place.path,
        is_indexed=page == 1,
        about=vocabulary,
        language_names=[language_name(each, context.tongue) for each in vocabulary.languages],
        schemes=[label_text(best_label(each.labels, context.languages), context.tongue, each.uri)
                 for each in vocabulary.schemes[:PER_PAGE]],
        tops=_two_levels(context, shown),
        is_cut=len(tops) >= MOST_BESIDE,
        downloads=[(title, context.frame.link(f"{context.place.path}all{suffix}"), kind)
                   for title, suffix, kind in offered()],
        **turning(context, context.place.path, page, len(tops)),
    )  # fmt: skip


def show_letters(context: VocabularyContext, pairs: Mapping[str, str]) -> Response:
    """Return a page of the concepts under a letter, by their labels in one language and in its order."""
    view, languages = context.view, label_languages(context)
    language = pairs.get("language", "")
    if language not in languages:
        language = _best_language(languages, context.tongue.code)
    letters = view.initials(language)[:MOST_LETTERS]
    letter = pairs.get("letter", "")[:4] or (letters[0] if letters else "")
    after = Named(pairs.get("uri", ""), "", key=pairs["after"]) if pairs.get("after") else None
    found = view.listed(language, letter=letter, after=after, limit=PER_PAGE + 1) if letter else []
    shown = found[:PER_PAGE]
    path = f"{context.place.path}letters"
    known = {each.uri: each for each in view.concepts([each.uri for each in shown])}
    entries = [
        replace(context.entry(known[each.uri]), text=each.text, language=_foreign(language, context))
        for each in shown
        if each.uri in known
    ]
    here = {"letter": letter, "language": language}
    return _show(
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
    """Return the page of the concepts that a search within the vocabulary finds."""
    text = pairs.get("q", "").strip()[:_LONGEST]
    found = context.view.search(text, limit=MOST_FOUND + 1) if text else []
    shown = found[:MOST_FOUND]
    known = {each.uri: each for each in context.view.concepts([each.uri for each in shown])}
    entries = [(context.entry(known[each.uri]), _matched(context, known[each.uri], each.text, each.language))
               for each in shown if each.uri in known]  # fmt: skip
    say = context.tongue.say
    return _show(
        context,
        "found",
        title=say("“{words}” in {vocabulary}", words=text, vocabulary=context.title.words)
        if text
        else say("Search in {vocabulary}", vocabulary=context.title.words),
        canonical=f"{context.place.path}search",
        asked=text,
        entries=entries,
        is_cut=len(found) > MOST_FOUND,
    )


def show_missing_vocabulary(frame: Frame, directory: Directory) -> Response:
    """Return the page for a vocabulary that the library does not have."""
    say = frame.tongue.say
    return show(
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
    """Return the page for a concept that the vocabulary does not have, with some of similar names."""
    say = context.tongue.say
    near = context.view.search(named[:_LONGEST], limit=10)
    known = context.view.concepts([each.uri for each in near])
    return _show(
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


def turning(
    context: VocabularyContext, path: str, page: int, total: int, **query: str | int
) -> dict[str, object]:
    """Return what a page of a list leads on to."""
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
    """Return which page of a list is asked for; the first for nonsense."""
    text = pairs.get("page", "")
    is_number = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_PAGE
    return max(int(text), 1) if is_number else 1


def label_languages(context: VocabularyContext) -> list[str]:
    """Return the languages of preferred labels; the empty one where labels have none."""
    languages = list(context.place.vocabulary.languages)
    return languages if languages and not context.view.listed("", limit=1) else [*languages, ""]


def _show(context: VocabularyContext, template: str, **values: object) -> Response:
    status = values.pop("status", 200)
    assert isinstance(status, int)
    return show(
        context.frame,
        f"vocabulary/{template}.html",
        (b"vary", b"accept"),
        context=context,
        ways=context.room.ways(context.frame, context.question),
        status=status,
        **values,  # type: ignore[arg-type]
    )


def _two_levels(context: VocabularyContext, tops: list[Concept]) -> list[Entry]:
    """Return concepts with those right below each; the top ones are counted first."""
    below = {each.uri: context.in_order(context.view.narrower(each.uri)) for each in tops}
    inner = [concept for each in tops for concept in below[each.uri][:MOST_WITHIN]]
    is_small = context.place.vocabulary.concepts <= MOST_COUNTED_WITHIN
    counted = [*tops, *(inner if is_small else [])]
    counts = context.counts([each.uri for each in counted][:MOST_COUNTED])
    having = context.view.having_narrower([each.uri for each in inner])
    return [
        replace(
            context.entry(top, counts.get(top.uri), has_more=bool(below[top.uri])),
            within=tuple(
                context.entry(each, counts.get(each.uri), has_more=each.uri in having)
                for each in below[top.uri][:MOST_WITHIN]
            ),
            is_cut=len(below[top.uri]) > MOST_WITHIN,
        )
        for top in tops
    ]


def _best_language(languages: list[str], wanted: str) -> str:
    near = [each for each in languages if each.partition("-")[0] == wanted]
    return next(iter(near or languages))


def _foreign(language: str, context: VocabularyContext) -> str:
    primary = language.partition("-")[0]
    return primary if primary != context.tongue.code else ""


def _matched(context: VocabularyContext, concept: Concept, text: str, language: str) -> Text | None:
    """Return the name that was found, where the list shows the concept by another one."""
    shown = context.name_of(concept).words
    if not text or text in (shown, concept.notation):
        return None
    return Text(text, _foreign(language, context))
