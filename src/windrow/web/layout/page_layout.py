"""What surrounds a page for people: whose page it is, in which language, and where the reader is.

A face has one `Frames` and asks it for the frame of each request; templates that extend `shared/site.html`
are rendered with `show`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote, quote_plus

from markupsafe import Markup

from windrow import __version__
from windrow.faces.shared.accepting import best_language
from windrow.faces.shared.conditional import digest
from windrow.faces.shared.field_words import value_words
from windrow.faces.shared.look import Look, Looks
from windrow.faces.shared.pages import render
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Header, Response, page
from windrow.faces.shared.site import Site
from windrow.faces.shared.tongue import TONGUES, Tongue, tongue
from windrow.finding.topic_labels import TopicLabels
from windrow.model.expansion import Expander
from windrow.model.normalising import normalised
from windrow.vocabularies.directory import Directory

COOKIE = "windrow_language"
VARY: Header = (b"vary", b"accept-language, cookie, accept-encoding")
PARTS = frozenset(("browse", "gallery", "statistics", "status", "about"))  # that the navigation leads to
_LONGEST_COOKIE = 4096
_LONGEST_HERE = 4000
_PLAIN = re.compile(r"[!-~]*")


@dataclass(frozen=True, slots=True)
class Frame:
    """The surroundings of one page. `here` is its path and query, without the path of the site."""

    site: Site
    tongue: Tongue
    look: Look
    here: str = "/"
    words: str = ""  # in the search box
    feed: str = ""  # the address of an Atom feed of what is shown
    has_gallery: bool = False  # there are pictures to see, in the collection if it is a page of one
    topics: TopicLabels | None = field(default=None, compare=False, repr=False)  # of the library
    expander: Expander | None = field(
        default=None, compare=False, repr=False
    )  # where fields have vocabularies
    vocabularies: Directory | None = field(default=None, compare=False, repr=False)
    has_vocabularies: bool = False  # there are some to walk through

    def link(self, path: str) -> str:
        """Give the address of a path of this site."""
        return self.site.path + path

    def concept(self, vocabulary: str, uri: str) -> str:
        """Return the address of the page of a concept; nothing where there is none."""
        path = self.vocabularies.concept_path(vocabulary, uri) if self.vocabularies is not None else ""
        return self.link(path) if path else ""

    def concept_of(self, field: str, value: str) -> str:
        """Return the address of the page of the concept that a value names; nothing where it names none."""
        if self.expander is None or field not in self.expander.fields:
            return ""
        found = self.expander.meanings(field, [value], self.look.name or None).get(value)
        return self.concept(found.vocabulary, found.uri) if found else ""

    def inside(self, path: str) -> str:
        """Give the address of a path within the collection that the page is of; else as `link` does."""
        name = self.look.name
        return self.link(f"{path}?collection={quote_plus(name)}" if name else path)

    def switch(self, code: str) -> str:
        """Give the address that changes the language and comes back here."""
        return self.link(f"/language?to={code}&back={quote_plus(self.here)}")

    @property
    def home(self) -> str:
        """The first page of the library or of the collection."""
        return self.link(f"/collection/{quote(self.look.name)}") if self.look.name else self.site.home

    @property
    def style(self) -> str:
        """The style sheet with the colours of this look; empty for the usual ones."""
        return self.link(f"/look/{self.look.style}") if self.look.style else ""

    @property
    def logo(self) -> str:
        """The address of the picture, or nothing."""
        return self.link(f"/look/{self.look.logo}") if self.look.logo else ""

    def kept(self, template: str) -> Markup:
        """Give what a template makes that is the same on all pages of a look and language; made once.

        It learns in which part of the site the reader is, and nothing else of the page around it.
        """
        part = f"{self.here.partition('?')[0]}/".split("/")[1]
        part = part if part in PARTS else ""  # or strangers would fill the memory with paths
        key = (template, self.site, self.tongue.code, self.has_gallery, self.has_vocabularies, part)
        made = self.look.kept.get(key)
        if made is None:
            bare = replace(self, here=f"/{part}", words="", feed="")
            body = render(template, spoken=self.tongue, site=self.site, frame=bare)
            made = self.look.kept[key] = Markup(body.decode())  # noqa: S704 - a template of ours escapes
        return made

    def label(self, field: str) -> str:
        """Give what a field is called."""
        return self.look.label(field, self.tongue)

    def own_label(self, field: str) -> str:
        """Give what the settings call a field; nothing where they do not."""
        return self.look.own_label(field, self.tongue)

    def value(self, field: str, value: str) -> str:
        """Give a value of a field as people read it."""
        if self.expander is not None and field in self.expander.fields:
            label = self.expander.label(field, value, self.tongue.code, self.look.name or None)
            if label is not None:
                return label
        return value_words(field, value, self.tongue, self.look.types, self.topics)

    def type_label(self, wording: str) -> str:
        """Return what a type in any wording is called in the reader's language."""
        return self.value("type", normalised("type", wording, self.look.types))


class Frames:
    """Makes frames for the requests of one site.

    `began` is asked since when pages have looked as a mark says, in Unix seconds. Whoever knows only the date
    of a page that it has is then told of another look, too. `gallery` is asked whether there are pictures in
    a collection, or with "" in the library. `topics` has the labels of topics in several languages,
    `expander` the vocabularies that fields are bound to, `vocabularies` all there are.
    """

    def __init__(
        self,
        site: Site,
        looks: Looks,
        *,
        language: str = "en",
        began: Callable[[str], int] = lambda _mark: 0,
        gallery: Callable[[str], bool] | None = None,
        topics: TopicLabels | None = None,
        expander: Expander | None = None,
        vocabularies: Directory | None = None,
    ) -> None:
        self.site = site
        self.looks = looks
        self._language = language
        self._gallery = gallery
        self.topics = topics
        self.expander = expander
        self.vocabularies = vocabularies
        self._mark = digest(
            __version__, site, site.style, site.script, looks.library, looks.types.mark, language
        )
        # Not of the mark with the gallery: that would be a write for a page view, on the first picture.
        self.since = began(self._mark)

    @property
    def mark(self) -> str:
        """What differs where a page of the library would, though what it is about is the same."""
        vocabularies = "+vocabularies" if self.vocabularies else ""
        if self.expander is not None:
            vocabularies += f"+{self.expander.mark}"
        return f"{self._mark}+gallery{vocabularies}" if self._has_gallery() else self._mark + vocabularies

    def frame(
        self, request: Request, *, collection: str | None = None, words: str = "", here: str = ""
    ) -> Frame:
        """Give the frame for a request: in the language that was chosen, else in one the browser likes.

        `here` is for whoever knows the path and query of the page better than the request does.
        """
        look = self.looks.of(collection)
        place = here or self._here(request)
        has_gallery = self._has_gallery(look.name)
        tongue = self.spoken(request)
        return Frame(
            self.site,
            tongue,
            look,
            place,
            words,
            has_gallery=has_gallery,
            topics=self.topics,
            expander=self.expander,
            vocabularies=self.vocabularies,
            has_vocabularies=bool(self.vocabularies),
        )

    def spoken(self, request: Request) -> Tongue:
        """Give the language for a request."""
        return spoken(request, self._language)

    def _here(self, request: Request) -> str:
        query = request.query.decode("ascii", "ignore")
        path = request.path.removeprefix(self.site.path) if self.site.path else request.path
        here = quote(path) + (f"?{query}" if query else "")
        is_fit = len(here) <= _LONGEST_HERE and _PLAIN.fullmatch(here)
        return here if is_fit else quote(path[:200])

    def _has_gallery(self, collection: str = "") -> bool:
        return self._gallery is not None and self._gallery(collection)


def spoken(request: Request, default: str = "en") -> Tongue:
    """Return the language for a request: the one that was chosen, else the one that the browser prefers."""
    chosen = chosen_language(request.headers.get(b"cookie", b""))
    accepted = request.headers.get(b"accept-language", b"")
    return tongue(chosen or best_language(accepted, tuple(TONGUES), default))


def chosen_language(cookie: bytes) -> str:
    """Give the language that a cookie of ours names; nothing where there is none."""
    if COOKIE.encode() not in cookie or len(cookie) > _LONGEST_COOKIE:
        return ""
    try:
        found = SimpleCookie(cookie.decode("latin-1")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None and found.value in TONGUES else ""


def show(
    frame: Frame,
    template: str,
    *headers: Header,
    title: str,
    description: str = "",
    canonical: str = "",
    is_indexed: bool = False,
    status: int = 200,
    **values: object,
) -> Response:
    """Give the page that a template makes in a frame. `canonical` is a path of this site.

    Unless it `is_indexed`, search engines follow its links and do not keep it.
    """
    body = render(
        template,
        spoken=frame.tongue,
        site=frame.site,
        frame=frame,
        title=title,
        description=description,
        canonical=frame.site.url + canonical if canonical else "",
        is_indexed=is_indexed,
        **values,
    )
    return page(body, VARY, *headers, status=status, is_indexed=is_indexed)
