"""XCQL: the XML form of CQL that responses echo."""

from __future__ import annotations

from windrow.formats.xml_words import xml_words
from windrow.protocols.cql.tree import Boolean, Clause, CqlQuery, Modifier, Node, Prefixed


def xcql(query: CqlQuery) -> str:
    """Return a query in XCQL, the XML form that responses echo."""
    keys = "".join(
        f"<key><index>{xml_words(key.index)}</index>{_modifiers(key.modifiers)}</key>" for key in query.sort
    )
    return _xcql(query.root, "", f"<sortKeys>{keys}</sortKeys>" if keys else "")


def _xcql(node: Node, prefixes: str, end: str = "") -> str:
    match node:
        case Prefixed(prefix, uri, inner):
            name = f"<name>{xml_words(prefix)}</name>" if prefix else ""
            one = f"<prefix>{name}<identifier>{xml_words(uri)}</identifier></prefix>"
            return _xcql(inner, prefixes + one, end)
        case Clause(term, index, relation):
            return (
                f"<searchClause>{_prefixes(prefixes)}<index>{xml_words(index or 'cql.serverChoice')}</index>"
                f"<relation><value>{xml_words(relation.name)}</value>{_modifiers(relation.modifiers)}"
                f"</relation><term>{xml_words(term)}</term>{end}</searchClause>"
            )
        case Boolean(name, left, right, modifiers):
            return (
                f"<triple>{_prefixes(prefixes)}<boolean><value>{name}</value>{_modifiers(modifiers)}</boolean>"
                f"<leftOperand>{_xcql(left, '')}</leftOperand>"
                f"<rightOperand>{_xcql(right, '')}</rightOperand>{end}</triple>"
            )


def _prefixes(written: str) -> str:
    return f"<prefixes>{written}</prefixes>" if written else ""


def _modifiers(modifiers: tuple[Modifier, ...]) -> str:
    if not modifiers:
        return ""
    each = (
        f"<modifier><type>{xml_words(one.name)}</type>"
        + (
            f"<comparison>{xml_words(one.symbol)}</comparison><value>{xml_words(one.value)}</value>"
            * bool(one.symbol)
        )
        + "</modifier>"
        for one in modifiers
    )
    return f"<modifiers>{''.join(each)}</modifiers>"
