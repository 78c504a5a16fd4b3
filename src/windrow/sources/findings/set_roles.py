"""What the sets of a repository are recognised as: institutions, departments, types, by which layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windrow.model.set_layouts import KnownSet, Role, SetTree
from windrow.model.set_roles import NO_RULES, RoleRules, SetRoles
from windrow.sources.findings.finding import Finding, good, note
from windrow.wire.oai.answers import SetEntry

EXAMPLES = 3
LONGEST_NAME = 60
_ACTION = "takes them from the sets; windrow source sets NAME shows and changes that"
_NOTHING = (
    "takes institutions from the metadata; windrow source sets NAME --institution PATTERN names the sets"
)


def recognise(
    entries: Iterable[SetEntry], combinations: Iterable[Sequence[str]], rules: RoleRules = NO_RULES
) -> SetRoles:
    """Return what sets are, by what was listed and by the sets that some records are in."""
    known = [KnownSet(entry.spec, entry.name) for entry in entries]
    return SetRoles(SetTree(known, combinations), rules)


def role_names(roles: SetRoles, role: Role) -> list[str]:
    """Return the names of the sets that have a role; two of one name in the same place are one."""
    nodes = roles.tree.nodes
    found = ((nodes[spec].parents, roles.name(spec)) for spec, each in roles.roles.items() if each is role)
    return [name for _, name in dict.fromkeys(found)]


def role_words(roles: SetRoles) -> str:
    """Return the roles that sets have in a line: how many sets are what, with examples."""
    parts = []
    for role in Role:
        names = role_names(roles, role) if role is not Role.NONE else []
        if names:
            noun = role.value if len(names) == 1 else f"{role.value}s"
            different = list(dict.fromkeys(map(_cut, names)))
            some = ", ".join(different[:EXAMPLES]) + (" …" if len(different) > EXAMPLES else "")
            parts.append(f"{len(names):,} {noun} ({some})")
    return "; ".join(parts)


def layout_words(roles: SetRoles) -> str:
    """Return the layouts that were recognised."""
    return ", ".join(layout.value for layout in roles.tree.layouts)


def judge_roles(roles: SetRoles) -> Finding | None:
    """Return what the sets are recognised as; None where there are no sets."""
    if not roles.tree.nodes:
        return None
    facts: dict[str, object] = {
        "layouts": {layout.value: count for layout, count in roles.tree.layouts.items()},
        "roles": {role.value: len(role_names(roles, role)) for role in Role if role is not Role.NONE},
    }
    layout, words = layout_words(roles), role_words(roles)
    if not words:
        return note("institutions", "the sets follow no layout that is known", _NOTHING, **facts)
    by_layout = f"by their layout ({layout}), the sets are" if layout else "the sets are"
    return good("institutions", f"{by_layout} {words}", _ACTION, **facts)


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
