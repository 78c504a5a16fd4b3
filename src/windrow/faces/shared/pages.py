"""Pages for people: Jinja templates of every face, autoescaped, with finished values handed in."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.faces.shared.tongue import TONGUES, Tongue, tongue
from windrow.faces.shared.wording import clean, cut, cut_pieces, is_web

if TYPE_CHECKING:
    from jinja2 import Environment

_FACES = Path(__file__).parents[1]


def render(template: str, *, spoken: Tongue | None = None, **values: object) -> bytes:
    """Give the page that a template makes of these values; templates are named as `oai/error.html`.

    In a template `_` says a message in the language of the page, `several` one that depends on a number.
    """
    language = spoken or tongue("en")
    words = {
        "tongue": language,
        "tongues": TONGUES,
        "_": language.say,
        "several": language.several,
        "number": language.number,
    }
    return (
        environment(language.code).get_template(template).render(words, **values).encode("utf-8", "replace")
    )


@cache
def environment(code: str = "en") -> Environment:
    """Give what finds and reads the templates, for pages in a language."""
    import jinja2  # noqa: PLC0415 - harvesters never need it

    from windrow.faces.shared.words_in import SpokenEnvironment  # noqa: PLC0415 - which needs it

    folders = sorted(_FACES.glob("*/templates"))
    made = SpokenEnvironment(
        tongue(code),
        loader=jinja2.PrefixLoader(
            {folder.parent.name: jinja2.FileSystemLoader(folder) for folder in folders}
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {"clean": clean, "cut": cut, "cut_pieces": cut_pieces}
    made.tests["web"] = is_web
    return made
