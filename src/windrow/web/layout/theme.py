"""How the library, or a collection of it, looks: its name, picture, colour, words, facets. From the config.

The picture and the colours are served by us under `/look`, named after their content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

from windrow.config.appearance import Translated, in_language
from windrow.config.classifiers import Structure, structure_of
from windrow.config.schema import Config
from windrow.config.type_tables import type_tables
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.colours import shades_of
from windrow.faces.shared.pictures import KINDS, read_logo
from windrow.faces.shared.refusal import Refused, check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, FOR_EVER, Response
from windrow.faces.shared.tongue import Tongue
from windrow.model.concepts import ConceptTable

LABELS: Mapping[str, str] = {
    "institution": message("Institution"),
    "department": message("Department"),
    "year": message("Year"),
    "type": message("Type"),
    "language": message("Language"),
    "access": message("Access"),
    "licence": message("Licence"),
    "subject": message("Subject"),
    "keyword": message("Keyword"),
    "creator": message("Author"),
    "contributor": message("Other people"),
    "publisher": message("Publisher"),
    "journal": message("Part of"),
    "source": message("Source"),
    "set": message("Set"),
    "holding": message("Collection of the repository"),
    "missing": message("Missing"),
    "collection": message("Collection"),
    "title": message("Title"),
    "description": message("Abstract"),
    "date": message("Date"),
    "pages": message("Pages"),
    "identifier": message("Identifier"),
    "rights": message("Rights"),
    "period": message("Period"),
    "place": message("Place"),
    "kind": message("Form"),
    "intensity": message("Pace"),
    "event_language": message("Language of the occasion"),
    "time": message("Time"),
    "prerequisites": message("Prerequisites"),
    "exam": message("Degree"),
    "profession": message("Profession"),
    "folder": message("Folder"),
    "media": message("Kind of file"),
    "size": message("Size of file"),
    "month": message("Month"),
    "initial": message("First letter"),
    "text": message("Text"),
    "relation": message("Related"),
    "notes": message("Other text"),
}
_KINDS = {**KINDS, ".css": b"text/css; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class Look:
    """How the pages of the library (`name` is empty) or of a collection look."""

    title: str
    name: str = ""
    intro: Translated = ()
    facets: tuple[str, ...] = ()
    browse: tuple[Structure, ...] = ()
    labels: Mapping[str, Translated] = field(default_factory=dict)
    types: ConceptTable | None = field(default=None, compare=False, repr=False)  # where settings extend it
    style: str = ""  # the file's name under /look; empty for the usual colours
    logo: str = ""
    kept: dict[Hashable, Markup] = field(default_factory=dict, compare=False, repr=False)  # of `Frame.kept`

    def label(self, name: str, tongue: Tongue) -> str:
        """Give what a field is called here."""
        return self.own_label(name, tongue) or tongue.say(LABELS.get(name, name))

    def own_label(self, name: str, tongue: Tongue) -> str:
        """Give what the settings call a field; nothing where they do not."""
        own = self.labels.get(name)
        return in_language(own, tongue.code) if own else ""

    def introduction(self, tongue: Tongue) -> list[str]:
        """Give the paragraphs of the introduction."""
        return paragraphs(self.intro, tongue)


class Looks:
    """The looks of a library and its collections, made once; ConfigError for a picture that is none."""

    def __init__(self, config: Config) -> None:
        self._files: dict[str, tuple[bytes, bytes]] = {}
        portal, types = config.portal, type_tables(config)
        self.types = types
        self.library = Look(
            config.library.name,
            intro=portal.intro,
            facets=portal.facets,
            browse=tuple(map(structure_of, portal.browse)),
            labels=dict(portal.labels),
            types=types.library,
            style=self._keep_style(portal.accent),
            logo=self._keep_picture(config, portal.logo, "portal"),
        )
        self.collections = {name: self._collection(config, name) for name in config.collections}

    def of(self, collection: str | None) -> Look:
        """Give the look of a collection's pages; the library's for none, and for one that is not there."""
        return self.collections.get(collection or "", self.library)

    async def __call__(self, request: Request, rest: str) -> Response:
        """Answer with a picture or a style sheet: the face at `/look`."""
        check_read(request.method)
        found = self._files.get(rest.removeprefix("/"))
        if found is None:
            raise Refused(404, "There is no such file.")
        kind, body = found
        # The headers of data keep a script in an SVG from running, also when it is opened by itself.
        return Response(200, body, [(b"content-type", kind), FOR_EVER, *DATA_HEADERS])

    def _collection(self, config: Config, name: str) -> Look:
        own, library = config.collections[name], self.library
        return Look(
            own.title,
            name,
            own.intro,
            own.facets or library.facets,
            tuple(map(structure_of, own.browse)) or library.browse,
            {**library.labels, **dict(own.labels)},
            self.types.of_collection(name),
            self._keep_style(own.accent) or library.style,
            self._keep_picture(config, own.logo, "collections", name) or library.logo,
        )

    def _keep_style(self, accent: str | None) -> str:
        if not accent:
            return ""
        shades = shades_of(accent)
        light = f":root{{--accent:{shades.light};--accent-ink:{shades.on_light}}}"
        dark = f":root{{--accent:{shades.dark};--accent-ink:{shades.on_dark}}}"
        return self._keep(".css", f"{light}@media (prefers-color-scheme:dark){{{dark}}}\n".encode())

    def _keep_picture(self, config: Config, name: str | None, *section: str) -> str:
        return self._keep(*read_logo(config, name, *section)) if name else ""

    def _keep(self, suffix: str, body: bytes) -> str:
        name = hashlib.sha256(body).hexdigest()[:16] + suffix
        self._files[name] = (_KINDS[suffix], body)
        return name


def paragraphs(words: Translated, tongue: Tongue) -> list[str]:
    """Give the paragraphs of a text from the config, which have an empty line between them."""
    found = in_language(words, tongue.code).replace("\r\n", "\n").split("\n\n")
    return [part.strip() for part in found if part.strip()]
