"""Pages for people: Jinja templates of every face, autoescaped, with finished values handed in."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

_FACES = Path(__file__).parents[1]


def render(template: str, **values: object) -> bytes:
    """Give the page that a template makes of these values; templates are named as `oai/error.html`."""
    return _environment().get_template(template).render(values).encode("utf-8", "replace")


@cache
def _environment() -> Environment:
    import jinja2  # noqa: PLC0415 - harvesters never need it

    folders = sorted(_FACES.glob("*/templates"))
    return jinja2.Environment(
        loader=jinja2.PrefixLoader(
            {folder.parent.name: jinja2.FileSystemLoader(folder) for folder in folders}
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
