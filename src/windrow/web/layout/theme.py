"""The theme of the library or of a collection: name, logo, colour, labels and facets, from the configuration.

Logos and colour style sheets are served under `/look`, with a hash of their content in the name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from windrow.config.collection_values import Structure, Translated, in_language, parse_structure
from windrow.config.schema import FILE_NAME, Config
from windrow.config.toml_document import read_document
from windrow.config.type_tables import type_tables
from windrow.errors import ConfigError
from windrow.model.controlled_values import ControlledValues
from windrow.web.http.http_request import HttpRefusal, Request, check_read
from windrow.web.http.http_response import DATA_HEADERS, IMMUTABLE_CACHE, Response
from windrow.web.i18n.translation import Translator, message

# Readable shades of a colour on light and dark pages: a contrast of 4.5 between text and background (WCAG 2).
# A configured colour keeps its hue and is made darker or lighter only as far as needed.

MIN_CONTRAST = 4.5
_STEPS = 50
_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)
_LIGHT_PAPERS = ("#fcfbf8", "#ffffff", "#f1f2ec")  # the backgrounds in windrow.css
_DARK_PAPERS = ("#161a17", "#1e2420", "#252c27")
Rgb = tuple[int, int, int]


class Shades(NamedTuple):
    """A colour for text and buttons, and the text colour on it; for light pages and for dark ones."""

    light: str
    on_light: str
    dark: str
    on_dark: str


def derive_shades(colour: str) -> Shades:
    light = _readable_shade(colour, _LIGHT_PAPERS, towards=_BLACK)
    dark = _readable_shade(colour, _DARK_PAPERS, towards=_WHITE)
    return Shades(light, _text_colour_on(light), dark, _text_colour_on(dark))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2), from 1 to 21."""
    high, low = sorted((_luminance(_rgb(one)), _luminance(_rgb(other))), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _readable_shade(colour: str, papers: tuple[str, ...], *, towards: Rgb) -> str:
    start = _rgb(colour)
    for step in range(_STEPS + 1):
        mixed = _mix(start, towards, step / _STEPS)
        if min(contrast(mixed, paper) for paper in papers) >= MIN_CONTRAST:
            return mixed
    return _mix(start, towards, 1.0)


def _text_colour_on(colour: str) -> str:
    return max("#ffffff", "#10140f", key=lambda ink: contrast(ink, colour))


def _mix(start: Rgb, end: Rgb, part: float) -> str:
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(start, end, strict=True))


def _rgb(colour: str) -> Rgb:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(rgb: Rgb) -> float:
    red, green, blue = (_linear(part / 255) for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    value: float = part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
    return value


MAX_PICTURE_BYTES = 1_000_000
PICTURE_TYPES = {
    ".svg": b"image/svg+xml",
    ".png": b"image/png",
    ".jpg": b"image/jpeg",
    ".jpeg": b"image/jpeg",
    ".webp": b"image/webp",
}
_SIGNATURES = {".png": b"\x89PNG\r\n", ".jpg": b"\xff\xd8\xff", ".jpeg": b"\xff\xd8\xff", ".webp": b"RIFF"}
_LOGO = "logo"


def read_logo(config: Config, name: str, *section: str) -> tuple[str, bytes]:
    """Return suffix and content of a configured image; raise ConfigError, with its line, if it is invalid."""
    path = (config.path / name).resolve()
    problem, body = _inspect_picture(path, config.path.resolve())
    if problem:
        raise _picture_error(config, section, f"{name} {problem}.")
    return path.suffix.lower(), body


def _inspect_picture(path: Path, folder: Path) -> tuple[str, bytes]:
    """Return what is wrong with an image (empty if nothing), and its content."""
    suffix = path.suffix.lower()
    if not path.is_relative_to(folder):
        return "leads out of the library folder", b""
    if suffix not in PICTURE_TYPES:
        return f"leads to {path.name}, which is no picture", b""
    try:
        with path.open("rb") as file:
            body = file.read(MAX_PICTURE_BYTES + 1)
    except OSError as exc:
        return f"cannot be read: {exc.strerror}", b""
    if len(body) > MAX_PICTURE_BYTES:
        return f"is larger than {MAX_PICTURE_BYTES:,} bytes", b""
    is_whole = b"<svg" in body[:4096] if suffix == ".svg" else body.startswith(_SIGNATURES[suffix])
    return "" if is_whole else "is not a picture of the kind that its name says", body


def _picture_error(config: Config, section: tuple[str, ...], problem: str) -> ConfigError:
    key = ".".join((*section, _LOGO))
    message, hint = f"{key}: {problem}", "It must be a picture in the library folder."
    origin = config.origins.get(key, FILE_NAME)
    if origin != FILE_NAME:  # an environment variable
        return ConfigError(f"{origin}: {message}", hint=hint)
    return read_document(config.path / FILE_NAME).problem((*section, _LOGO), message, hint=hint)


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
_PICTURE_TYPES = {**PICTURE_TYPES, ".css": b"text/css; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class Theme:
    """The theme of the library (`name` is empty) or of a collection."""

    title: str
    name: str = ""
    intro: Translated = ()
    facets: tuple[str, ...] = ()
    browse: tuple[Structure, ...] = ()
    labels: Mapping[str, Translated] = field(default_factory=dict)
    types: ControlledValues | None = field(
        default=None, compare=False, repr=False
    )  # where settings extend it
    style: str = ""  # the file name under /look; empty for the default colours
    logo: str = ""
    # by `PageLayout.kept`
    kept: dict[Hashable, Markup] = field(default_factory=dict, compare=False, repr=False)

    def label(self, name: str, tongue: Translator) -> str:
        return self.own_label(name, tongue) or tongue.say(LABELS.get(name, name))

    def own_label(self, name: str, tongue: Translator) -> str:
        """Return the configured label of a field; empty if there is none."""
        own = self.labels.get(name)
        return in_language(own, tongue.code) if own else ""

    def introduction(self, tongue: Translator) -> list[str]:
        return split_paragraphs(self.intro, tongue)


class Themes:
    """The themes of a library and its collections; ConfigError for an invalid image."""

    def __init__(self, config: Config) -> None:
        self._files: dict[str, tuple[bytes, bytes]] = {}
        portal, types = config.portal, type_tables(config)
        self.types = types
        self.library = Theme(
            config.library.name,
            intro=portal.intro,
            facets=portal.facets,
            browse=tuple(map(parse_structure, portal.browse)),
            labels=dict(portal.labels),
            types=types.library,
            style=self._keep_style(portal.accent),
            logo=self._keep_picture(config, portal.logo, "portal"),
        )
        self.collections = {name: self._collection(config, name) for name in config.collections}

    def of(self, collection: str | None) -> Theme:
        """Return a collection's theme; the library's for None or an unknown collection."""
        return self.collections.get(collection or "", self.library)

    async def __call__(self, request: Request, rest: str) -> Response:
        """Serve a logo or a style sheet: the front end for `/look`."""
        check_read(request.method)
        found = self._files.get(rest.removeprefix("/"))
        if found is None:
            raise HttpRefusal(404, "There is no such file.")
        kind, body = found
        # The headers keep a script in an SVG from running, also when the SVG is opened on its own.
        return Response(200, body, [(b"content-type", kind), IMMUTABLE_CACHE, *DATA_HEADERS])

    def _collection(self, config: Config, name: str) -> Theme:
        own, library = config.collections[name], self.library
        return Theme(
            own.title,
            name,
            own.intro,
            own.facets or library.facets,
            tuple(map(parse_structure, own.browse)) or library.browse,
            {**library.labels, **dict(own.labels)},
            self.types.of_collection(name),
            self._keep_style(own.accent) or library.style,
            self._keep_picture(config, own.logo, "collections", name) or library.logo,
        )

    def _keep_style(self, accent: str | None) -> str:
        if not accent:
            return ""
        shades = derive_shades(accent)
        light = f":root{{--accent:{shades.light};--accent-ink:{shades.on_light}}}"
        dark = f":root{{--accent:{shades.dark};--accent-ink:{shades.on_dark}}}"
        return self._keep(".css", f"{light}@media (prefers-color-scheme:dark){{{dark}}}\n".encode())

    def _keep_picture(self, config: Config, name: str | None, *section: str) -> str:
        return self._keep(*read_logo(config, name, *section)) if name else ""

    def _keep(self, suffix: str, body: bytes) -> str:
        name = hashlib.sha256(body).hexdigest()[:16] + suffix
        self._files[name] = (_PICTURE_TYPES[suffix], body)
        return name


def split_paragraphs(words: Translated, tongue: Translator) -> list[str]:
    """Split a configured text at empty lines."""
    found = in_language(words, tongue.code).replace("\r\n", "\n").split("\n\n")
    return [part.strip() for part in found if part.strip()]
