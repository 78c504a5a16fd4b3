"""The layout around a page: site, theme, language and navigation, and the rendering of templates in it.

A front end has one `PageLayouts` and asks it for the layout of each request. Templates are Jinja with
autoescape and are given finished values; those that extend `shared/site.html` are rendered by `render_page`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

from markupsafe import Markup

from windrow import __version__
from windrow.model.counted_fields import normalised_value
from windrow.model.thesaurus import Expander
from windrow.search.filters import TopicLabels
from windrow.vocabularies.vocabulary_directory import VocabularyDirectory
from windrow.web.http.conditional import fingerprint
from windrow.web.http.content_negotiation import best_language
from windrow.web.http.http_request import Request
from windrow.web.http.http_response import Header, Response, html_response
from windrow.web.i18n.translation import PAGE_LANGUAGES, Translator, get_translator
from windrow.web.i18n.value_labels import value_label
from windrow.web.layout.page_text import is_web_address, strip_invisible, truncate, truncate_pieces
from windrow.web.layout.site import SiteAddress
from windrow.web.layout.theme import Theme, Themes

if TYPE_CHECKING:
    from jinja2 import Environment


_WEB = Path(__file__).parents[1]


def render_template(template: str, *, spoken: Translator | None = None, **values: object) -> bytes:
    """Render a template, named as in `oai/error.html`.

    In a template, `_` translates a message, and `several` one that depends on a number.
    """
    language = spoken or get_translator("en")
    words = {
        "tongue": language,
        "tongues": PAGE_LANGUAGES,
        "_": language.say,
        "several": language.several,
        "number": language.number,
    }
    return (
        template_environment(language.code)
        .get_template(template)
        .render(words, **values)
        .encode("utf-8", "replace")
    )


@cache
def template_environment(code: str = "en") -> Environment:
    import jinja2  # noqa: PLC0415 - harvesters never need it

    from windrow.web.layout.template_translation import TranslatedEnvironment  # noqa: PLC0415 - imports jinja2

    folders = sorted(_WEB.glob("*/templates"))
    made = TranslatedEnvironment(
        get_translator(code),
        loader=jinja2.PrefixLoader(
            {folder.parent.name: jinja2.FileSystemLoader(folder) for folder in folders}
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {"clean": strip_invisible, "cut": truncate, "cut_pieces": truncate_pieces}
    made.tests["web"] = is_web_address
    return made


LANGUAGE_COOKIE = "windrow_language"
VARY_PAGE: Header = (b"vary", b"accept-language, cookie, accept-encoding")
NAVIGATION_PARTS = frozenset(
    ("browse", "gallery", "statistics", "status", "about")
)  # paths in the navigation
_MAX_COOKIE_LENGTH = 4096
_MAX_PATH_LENGTH = 4000
_PLAIN = re.compile(r"[!-~]*")


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The layout of one page. `here` is its path and query, without the site's path."""

    site: SiteAddress
    tongue: Translator
    look: Theme
    here: str = "/"
    words: str = ""  # in the search box
    feed: str = ""  # the address of an Atom feed of what is shown
    has_gallery: bool = False  # the library, or the page's collection, has pictures
    topics: TopicLabels | None = field(default=None, compare=False, repr=False)  # of the library
    expander: Expander | None = field(default=None, compare=False, repr=False)  # for fields with vocabularies
    vocabularies: VocabularyDirectory | None = field(default=None, compare=False, repr=False)
    has_vocabularies: bool = False  # there are vocabularies to browse

    def link(self, path: str) -> str:
        return self.site.path + path

    def concept(self, vocabulary: str, uri: str) -> str:
        """Return the address of a concept's page; empty if there is none."""
        path = self.vocabularies.concept_path(vocabulary, uri) if self.vocabularies is not None else ""
        return self.link(path) if path else ""

    def concept_of(self, field: str, value: str) -> str:
        """Return the address of the page of the concept that a value denotes; empty if there is none."""
        if self.expander is None or field not in self.expander.fields:
            return ""
        found = self.expander.meanings(field, [value], self.look.name or None).get(value)
        return self.concept(found.vocabulary, found.uri) if found else ""

    def inside(self, path: str) -> str:
        """Return the address of a path within the page's collection, if it has one."""
        name = self.look.name
        return self.link(f"{path}?collection={quote_plus(name)}" if name else path)

    def switch(self, code: str) -> str:
        """Return the address that changes the language and returns here."""
        return self.link(f"/language?to={code}&back={quote_plus(self.here)}")

    @property
    def home(self) -> str:
        """Return the address of the library's or the collection's home page."""
        return self.link(f"/collection/{quote(self.look.name)}") if self.look.name else self.site.home

    @property
    def style(self) -> str:
        """Return the address of the theme's style sheet; empty for the default colours."""
        return self.link(f"/look/{self.look.style}") if self.look.style else ""

    @property
    def logo(self) -> str:
        return self.link(f"/look/{self.look.logo}") if self.look.logo else ""

    def kept(self, template: str) -> Markup:
        """Return a rendered part that is the same on all pages of a theme and language; cached.

        The template may depend on the section of the site, and on nothing else of the page.
        """
        part = f"{self.here.partition('?')[0]}/".split("/")[1]
        part = part if part in NAVIGATION_PARTS else ""  # otherwise clients could fill the memory with paths
        key = (template, self.site, self.tongue.code, self.has_gallery, self.has_vocabularies, part)
        made = self.look.kept.get(key)
        if made is None:
            bare = replace(self, here=f"/{part}", words="", feed="")
            body = render_template(template, spoken=self.tongue, site=self.site, frame=bare)
            made = self.look.kept[key] = Markup(body.decode())  # noqa: S704 - the template escapes
        return made

    def label(self, field: str) -> str:
        return self.look.label(field, self.tongue)

    def own_label(self, field: str) -> str:
        """Return the configured label of a field; empty if there is none."""
        return self.look.own_label(field, self.tongue)

    def value(self, field: str, value: str) -> str:
        if self.expander is not None and field in self.expander.fields:
            label = self.expander.label(field, value, self.tongue.code, self.look.name or None)
            if label is not None:
                return label
        return value_label(field, value, self.tongue, self.look.types, self.topics)

    def type_label(self, wording: str) -> str:
        """Return the label of a resource type, in any spelling."""
        return self.value("type", normalised_value("type", wording, self.look.types))


class PageLayouts:
    """Makes layouts for the requests of one site.

    `began` returns since when pages have had the layout with a given mark, in Unix seconds; it makes
    If-Modified-Since aware of layout changes. `gallery` returns whether a collection, or with "" the library,
    has pictures. `topics` are labels of topics in several languages, `expander` the vocabularies that fields
    are bound to, `vocabularies` all vocabularies.
    """

    def __init__(
        self,
        site: SiteAddress,
        looks: Themes,
        *,
        language: str = "en",
        began: Callable[[str], int] = lambda _mark: 0,
        gallery: Callable[[str], bool] | None = None,
        topics: TopicLabels | None = None,
        expander: Expander | None = None,
        vocabularies: VocabularyDirectory | None = None,
    ) -> None:
        self.site = site
        self.looks = looks
        self._language = language
        self._gallery = gallery
        self.topics = topics
        self.expander = expander
        self.vocabularies = vocabularies
        self._mark = fingerprint(
            __version__, site, site.style, site.script, looks.library, looks.types.mark, language
        )
        # The mark without the gallery: otherwise the first picture would cause a write during a page view.
        self.since = began(self._mark)

    @property
    def mark(self) -> str:
        """Return a mark that changes whenever pages would look different for the same content."""
        vocabularies = "+vocabularies" if self.vocabularies else ""
        if self.expander is not None:
            vocabularies += f"+{self.expander.mark}"
        return f"{self._mark}+gallery{vocabularies}" if self._has_gallery() else self._mark + vocabularies

    def frame(
        self, request: Request, *, collection: str | None = None, words: str = "", here: str = ""
    ) -> PageLayout:
        """Return the layout for a request, in the chosen language or the browser's preferred one.

        `here` overrides the path and query of the request.
        """
        look = self.looks.of(collection)
        place = here or self._here(request)
        has_gallery = self._has_gallery(look.name)
        tongue = self.spoken(request)
        return PageLayout(
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

    def spoken(self, request: Request) -> Translator:
        return request_language(request, self._language)

    def _here(self, request: Request) -> str:
        query = request.query.decode("ascii", "ignore")
        path = request.path.removeprefix(self.site.path) if self.site.path else request.path
        here = quote(path) + (f"?{query}" if query else "")
        is_fit = len(here) <= _MAX_PATH_LENGTH and _PLAIN.fullmatch(here)
        return here if is_fit else quote(path[:200])

    def _has_gallery(self, collection: str = "") -> bool:
        return self._gallery is not None and self._gallery(collection)


def request_language(request: Request, default: str = "en") -> Translator:
    """Return the language for a request: the chosen one, else the one that the browser prefers."""
    chosen = cookie_language(request.headers.get(b"cookie", b""))
    accepted = request.headers.get(b"accept-language", b"")
    return get_translator(chosen or best_language(accepted, tuple(PAGE_LANGUAGES), default))


def cookie_language(cookie: bytes) -> str:
    """Return the language in the language cookie; empty if there is none."""
    if LANGUAGE_COOKIE.encode() not in cookie or len(cookie) > _MAX_COOKIE_LENGTH:
        return ""
    try:
        found = SimpleCookie(cookie.decode("latin-1")).get(LANGUAGE_COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None and found.value in PAGE_LANGUAGES else ""


def render_page(
    frame: PageLayout,
    template: str,
    *headers: Header,
    title: str,
    description: str = "",
    canonical: str = "",
    is_indexed: bool = False,
    status: int = 200,
    **values: object,
) -> Response:
    """Render a template in a layout. `canonical` is a path of this site.

    Unless it `is_indexed`, search engines follow its links and do not keep it.
    """
    body = render_template(
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
    return html_response(body, VARY_PAGE, *headers, status=status, is_indexed=is_indexed)
