"""Words put into templates when they are compiled: once for each language, not once for each page.

Between `pages`, which has an environment a language, and Jinja. Most of what a page says depends on nothing
else, and to look it up again each time would be a good part of the work for one.
"""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer

from windrow.web.i18n.translation import Translator


class TranslatedEnvironment(Environment):
    """An environment whose templates speak one language."""

    def __init__(self, spoken: Translator, **options: Any) -> None:
        super().__init__(**options)
        self.spoken = spoken


class TranslatedGenerator(CodeGenerator):
    """Compiles a template of such an environment; what `parse` gives stays as it was written."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 - Jinja's name for it
        """Write the whole of it."""
        assert isinstance(self.environment, TranslatedEnvironment)
        super().visit_Template(_MessageTransformer(self.environment.spoken).visit(node), frame)


TranslatedEnvironment.code_generator_class = TranslatedGenerator


class _MessageTransformer(NodeTransformer):
    """Puts what `_("…")` says in its place, where it says the same on every page."""

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
