"""Translation of templates at compile time: once per language rather than once per page.

`page_layout` has a Jinja environment for each language. Most messages of a page do not depend on anything
else, and looking them up on each rendering would be a good part of its cost.
"""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer

from windrow.web.i18n.translation import Translator


class TranslatedEnvironment(Environment):
    """An environment whose templates are in one language."""

    def __init__(self, spoken: Translator, **options: Any) -> None:
        super().__init__(**options)
        self.spoken = spoken


class TranslatedGenerator(CodeGenerator):
    """Compiles templates of such an environment; `parse` still returns them untranslated."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 - Jinja's name for it
        assert isinstance(self.environment, TranslatedEnvironment)
        super().visit_Template(_MessageTransformer(self.environment.spoken).visit(node), frame)


TranslatedEnvironment.code_generator_class = TranslatedGenerator


class _MessageTransformer(NodeTransformer):
    """Replaces `_("…")` by its translation if its argument is constant."""

    def __init__(self, spoken: Translator) -> None:
        self._spoken = spoken

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - Jinja's name for it
        self.generic_visit(node)
        is_message = isinstance(node.node, nodes.Name) and node.node.name == "_"
        if not is_message or node.kwargs or node.dyn_args or node.dyn_kwargs:
            return node
        match node.args:
            case [nodes.Const(value=str(text))]:
                words = self._spoken.say(text)
                return nodes.Const(words, lineno=node.lineno, environment=node.environment)
        return node
