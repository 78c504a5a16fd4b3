"""Every message that pages can say, as templates and code have them: for comparing with the catalogues."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from jinja2 import nodes

import windrow
from windrow.protocols.query.mistakes import MistakeCode, Remedy
from windrow.search.request import SENTENCES
from windrow.web.layout.page_layout import template_environment

SOURCE = Path(windrow.__file__).parent
PLAIN, PLURAL = frozenset({"_", "say", "message"}), "several"


def all_messages() -> dict[str, bool]:
    """Give each message with whether it depends on a number."""
    found: dict[str, bool] = {}
    mistakes = (each.value for each in (*MistakeCode, *Remedy))
    notes = ((text, False) for text in (*SENTENCES.values(), *mistakes))
    for text, is_plural in (*_in_templates(), *_in_code(), *notes):
        found[text] = found.get(text, False) or is_plural
    return found


def _in_templates() -> Iterator[tuple[str, bool]]:
    for path in SOURCE.glob("web/*/templates/*.html"):
        for call in template_environment().parse(path.read_text(encoding="utf-8")).find_all(nodes.Call):
            name = call.node.name if isinstance(call.node, nodes.Name) else ""
            first = call.args[0] if call.args else None
            if isinstance(first, nodes.Const) and (name in PLAIN or name == PLURAL):
                yield first.value, name == PLURAL


def _in_code() -> Iterator[tuple[str, bool]]:
    for folder in ("web", "stats"):
        for path in (SOURCE / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    yield from _said(node)


def _said(call: ast.Call) -> Iterator[tuple[str, bool]]:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str) and (name in PLAIN or name == PLURAL):
        yield first.value, name == PLURAL
