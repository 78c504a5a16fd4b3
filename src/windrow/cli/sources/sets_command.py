"""`windrow source sets`: show the sets of a source as a tree with their roles, and change the roles."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import JSON, opened_library, print_json, source_names
from windrow.cli.terminal import plural, print_hint, print_line, print_table, printable
from windrow.errors import UsageError
from windrow.model.set_assignment import METADATA_FIRST, NO_RULES, SETS_FIRST, RoleRules, SetRoles
from windrow.model.set_layouts import DEEPEST, Role

if TYPE_CHECKING:
    from windrow.store.records.derived_sets import SourceSets
    from windrow.wiring import Library

MAX_SETS_SHOWN = 200  # lines of the tree
_PATTERN = "A spec, a name, or a pattern of either; repeatable."


def _role_option(name: str, what: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        f"--{name}", metavar="PATTERN", help=f"Sets that are {what}. {_PATTERN}"
    )
    return option


def sets(
    name: Annotated[str, typer.Argument(help="The source.", autocompletion=source_names)],
    *,
    institution: Annotated[list[str] | None, _role_option("institution", "institutions")] = None,
    department: Annotated[list[str] | None, _role_option("department", "departments")] = None,
    collection: Annotated[
        list[str] | None, _role_option("collection", "collections of the repository, shown and not counted")
    ] = None,
    type_: Annotated[list[str] | None, _role_option("type", "types of records")] = None,
    ignore: Annotated[list[str] | None, _role_option("ignore", "none of these")] = None,
    levels: Annotated[
        list[str] | None,
        typer.Option(
            "--level",
            metavar="NUMBER=ROLE",
            help="What the sets of a level are, 1 being the outermost; repeatable.",
        ),
    ] = None,
    is_recognising: Annotated[
        bool | None,
        typer.Option("--recognise/--no-recognise", help="Whether known layouts give roles to other sets."),
    ] = None,
    prefer: Annotated[
        str | None,
        typer.Option(
            "--prefer",
            metavar=f"{SETS_FIRST}|{METADATA_FIRST}",
            help="Which counts where the metadata names another institution than the sets.",
        ),
    ] = None,
    is_reset: Annotated[bool, typer.Option("--reset", help="Forget the rules of this source first.")] = False,
    is_dry: Annotated[
        bool, typer.Option("--dry-run", help="Show what the rules would do, and change nothing.")
    ] = False,
    is_whole: Annotated[
        bool, typer.Option("--all", help=f"Show all sets, not only the first {MAX_SETS_SHOWN}.")
    ] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show what the sets of a source are, or give them other roles.

    Patterns are added to the rules there are. The records are mapped again at once, and the index
    follows; the repository is not asked.
    """
    given = {
        Role.INSTITUTION: institution,
        Role.DEPARTMENT: department,
        Role.COLLECTION: collection,
        Role.TYPE: type_,
        Role.NONE: ignore,
    }
    with opened_library() as opened:
        opened.source(name)
        before = opened.config.set_rules(name)
        own = _changed_rules(NO_RULES if is_reset else before, given, levels or (), is_recognising, prefer)
        _check(own)
        after = opened.config.rules_with(
            name, own
        )  # a source without rules of its own has those of its collection
        found = _sets_found(opened, name)
        old, new = found.roles(before), found.roles(after)
        moved = _count_changed_records(found, old, new)
        taken_in = None if is_dry or after == before else _apply(opened, name, own)
    shown = _as_dict(name, found, new) | {
        "institution": after.fallback or None,
        "rules": _rules_as_toml(after),
        "unused": list(new.unused),
        "changed": after != before,
        "moved": moved,
    }
    if is_json:
        print_json(shown)
        return
    if after == before or is_dry or is_whole:
        _show_tree(found, new, is_whole=is_whole)
    _sum_up(found, new)
    if after != before:
        _report_changes(name, moved, taken_in, is_dry=is_dry)


def _sets_found(opened: Library, name: str) -> SourceSets:
    from windrow.store import sources
    from windrow.store.records.derived_sets import SourceSets

    with opened.store.reading() as connection:
        state = sources.find(connection, name)
        found = None if state is None else SourceSets(connection, state.id)
    if found is None:
        raise UsageError(f"{name} has not been harvested yet", hint=f"Next: windrow harvest {name}")
    return found


def _changed_rules(
    rules: RoleRules,
    given: Mapping[Role, list[str] | None],
    levels: Sequence[str],
    is_recognising: bool | None,
    prefer: str | None,
) -> RoleRules:
    """Return the rules with the options added; a pattern keeps the role given last."""
    named = {pattern for patterns in given.values() for pattern in patterns or ()}
    patterns = {
        role.value: tuple(
            dict.fromkeys((*(each for each in rules.patterns(role) if each not in named), *(new or ())))
        )
        for role, new in given.items()
    }
    return replace(
        rules,
        **patterns,
        levels=_with_levels(rules.levels, levels),
        is_recognising=rules.is_recognising if is_recognising is None else is_recognising,
        prefer=prefer or rules.prefer,
        fallback=rules.fallback,
    )


def _with_levels(known: Sequence[Role], given: Sequence[str]) -> tuple[Role, ...]:
    levels = list(known)
    for text in given:
        number, _, role = text.partition("=")
        if not number.isdecimal() or not 1 <= int(number) <= DEEPEST or role not in tuple(Role):
            raise UsageError(
                f"--level {text} is no level and role",
                hint=f"Such as 1=institution. Roles: {', '.join(Role)}.",
            )
        levels += [Role.NONE] * (int(number) - len(levels))
        levels[int(number) - 1] = Role(role)
    return tuple(levels)


def _check(rules: RoleRules) -> None:
    """Validate the rules as windrow.toml would, before anything changes."""
    from windrow.config.collection_values import RULES
    from windrow.config.kinds import SettingError

    try:
        RULES.read(_rules_as_toml(rules))
    except SettingError as exc:
        raise UsageError(f"the table of roles {exc}") from None


def _rules_as_toml(rules: RoleRules) -> dict[str, object]:
    from windrow.config.collection_values import written_rules

    return written_rules(rules)


def _count_changed_records(found: SourceSets, old: SetRoles, new: SetRoles) -> int:
    return sum(
        count
        for group, count in found.live.items()
        if old.assign(found.groups[group]) != new.assign(found.groups[group])
    )


def _apply(opened: Library, name: str, rules: RoleRules) -> int | None:
    """Write the rules and map the records again. Return how many records were indexed."""
    from windrow.config import editor
    from windrow.config.loader import load

    editor.change_source(
        opened.folder, name, {"set_roles": _rules_as_toml(rules) or None}, environ=os.environ
    )
    opened.config = load(opened.folder, environ=os.environ)
    return remap_records(opened)


def remap_records(opened: Library) -> int | None:
    """Map records with the current settings and update the index; None if there is no index."""
    from windrow.wiring.indexing import follow_index
    from windrow.wiring.sets import follow_roles

    follow_roles(opened)
    return follow_index(opened).put if opened.generations.current() is not None else None


def _as_dict(name: str, found: SourceSets, roles: SetRoles) -> dict[str, Any]:
    tree, counts = roles.tree, found.counts(roles.tree)
    assigned = _assigned(found, roles)
    return {
        "source": name,
        "layouts": {layout.value: count for layout, count in tree.layouts.items()},
        "records": found.records,
        "with_institution": assigned,
        "without_institution": found.records - assigned,
        "sets": [
            {
                "spec": node.spec,
                "also": list(node.twins),
                "name": node.name,
                "parents": list(node.parents),
                "level": node.level,
                "layout": node.layout.value if node.layout else None,
                "role": roles.roles[node.spec].value,
                "by_rule": roles.is_ruled(node.spec),
                "records": counts.get(node.spec, 0),
            }
            for node in tree.nodes.values()
        ],
    }


def _assigned(found: SourceSets, roles: SetRoles) -> int:
    """Return how many records are in a set that is an institution, or below one."""
    return sum(
        count
        for group, count in found.live.items()
        if any(unit.institution for unit in roles.assign(found.groups[group]).units)
    )


def _show_tree(found: SourceSets, roles: SetRoles, *, is_whole: bool) -> None:
    if not roles.tree.nodes:
        print_line("Its records are in no sets.")
        return
    lines = list(_lines(roles, found.counts(roles.tree)))
    shown = lines if is_whole else lines[:MAX_SETS_SHOWN]
    print_table(("records", "role", "set", "name"), shown, right="r   ")
    if len(shown) < len(lines):
        print_hint(f"and {len(lines) - len(shown):,} more: --all")


def _sum_up(found: SourceSets, roles: SetRoles) -> None:
    from windrow.sources.repository_findings import describe_layouts, describe_roles

    assigned, fallback = _assigned(found, roles), roles.rules.fallback
    print_hint(
        f"Recognised: {describe_layouts(roles) or 'no known layout'}."
        f" {printable(describe_roles(roles))}".rstrip()
    )
    if any(roles.is_ruled(spec) for spec in roles.tree.nodes):
        print_hint("* has its role by a rule of yours.")
    if roles.unused:
        named = ", ".join(map(printable, roles.unused))
        print_hint(f"No set fits {named}: is that a spec or a name in the list above?")
    without = found.records - assigned
    if not without:
        rest = "."
    elif fallback:
        rest = f": where their metadata names none either, it is {printable(fallback)}, as the settings say."
    else:
        rest = ": windrow search missing:institution lists those that the metadata gives none either."
    print_hint(
        f"{plural(assigned, 'record')} in an institution by their sets; {plural(without, 'record')} not{rest}"
    )


def _lines(roles: SetRoles, counts: Mapping[str, int]) -> Iterator[list[str]]:
    """Yield the tree from the root, the sets with the most records first."""
    inside: dict[str, list[str]] = {}
    for node in roles.tree.nodes.values():
        for parent in node.parents or ("",):
            inside.setdefault(parent, []).append(node.spec)

    def order(spec: str) -> tuple[int, str]:
        return -counts.get(spec, 0), spec

    waiting = [(spec, 0) for spec in sorted(inside.get("", ()), key=order, reverse=True)]
    while waiting:
        spec, depth = waiting.pop()
        role = "" if roles.roles[spec] is Role.NONE else roles.roles[spec].value
        mark = "*" if roles.is_ruled(spec) else ""
        node = roles.tree.nodes[spec]
        name = printable(node.name) if node.name != spec else ""
        yield [f"{counts.get(spec, 0):,}", f"{role or '–'}{mark}", "  " * depth + printable(spec), name]
        waiting += [(each, depth + 1) for each in sorted(inside.get(spec, ()), key=order, reverse=True)]


def _report_changes(name: str, moved: int, taken_in: int | None, *, is_dry: bool) -> None:
    if is_dry:
        print_line(f"{plural(moved, 'record')} would read otherwise. Nothing was changed.")
        return
    print_line(f"{plural(moved, 'record')} of {name} read otherwise now.")
    if taken_in is None:
        print_hint("There is no index yet: windrow index")
    else:
        print_hint(f"The index follows: {plural(taken_in, 'record')} taken in again. Nothing was harvested.")
