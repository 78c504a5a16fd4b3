"""Institutions, departments, collections and types that a record's sets assign to it.

`set_layouts` determines the usual role of a set; the rules of the settings override it. A record's assignment
depends on its combination of sets. A repository has few combinations, so each is resolved once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from operator import attrgetter

from windrow.model.document import Document, Unit, make_document
from windrow.model.set_layouts import Role, SetNode, SetTree, containment
from windrow.model.text.folding import fold

SETS_FIRST, METADATA_FIRST = "sets", "metadata"
_WILD = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class RoleRules:
    """The settings for a source's sets.

    A pattern is compared with the spec and with the name of a set; one without `*`, `?` and `[` names a
    single set. `levels` assigns a role to each level, the outermost first. A role with rules is assigned by
    these alone; without `is_recognising`, so are all others. `fallback` is the institution of the whole
    source.
    """

    institution: tuple[str, ...] = ()
    department: tuple[str, ...] = ()
    collection: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    levels: tuple[Role, ...] = ()
    is_recognising: bool = True
    prefer: str = SETS_FIRST
    fallback: str = ""

    def patterns(self, role: Role) -> tuple[str, ...]:
        found: tuple[str, ...] = getattr(self, role.value)
        return found

    @property
    def ruled(self) -> frozenset[Role]:
        return frozenset(role for role in Role if self.patterns(role)) | frozenset(self.levels)


NO_RULES = RoleRules()


@dataclass(frozen=True, slots=True)
class Assignment:
    """What the sets of a record assign to it."""

    units: tuple[Unit, ...] = ()
    collections: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    prefer: str = SETS_FIRST
    fallback: str = ""  # the institution if neither the sets nor the metadata name one

    def __bool__(self) -> bool:
        return bool(self.units or self.collections or self.types or self.fallback)

    def to_json(self) -> str:
        parts = {"units": self.units, "collections": self.collections, "types": self.types}
        found: dict[str, object] = {name: value for name, value in parts.items() if value}
        if self.prefer != SETS_FIRST:
            found["prefer"] = self.prefer
        if self.fallback:
            found["fallback"] = self.fallback
        return _to_json(found)


_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
UNASSIGNED = Assignment()


def parse_assignment(text: str | None) -> Assignment:
    if not text or text == "{}":
        return UNASSIGNED
    found = json.loads(text)
    return Assignment(
        tuple(Unit(*each) for each in found.get("units", ())),
        tuple(found.get("collections", ())),
        tuple(found.get("types", ())),
        found.get("prefer", SETS_FIRST),
        found.get("fallback", ""),
    )


@dataclass(slots=True)
class SetRoles:
    """The roles of all sets of a source, and the assignments of set combinations."""

    tree: SetTree
    rules: RoleRules = NO_RULES
    records: Mapping[str, int] = field(default_factory=dict)  # by spec: decides between spellings of a name
    roles: dict[str, Role] = field(default_factory=dict)
    _names: dict[tuple[Role, str], str] = field(default_factory=dict)
    _shown: dict[str, str] = field(default_factory=dict)  # by spec; filled after the roles are settled
    _owners: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Settle the role of each set, the outer ones first."""
        for node in sorted(self.tree.nodes.values(), key=lambda node: (len(node.ancestors), node.spec)):
            self.roles[node.spec] = self._role(node)
        counted = sorted(self.tree.nodes, key=lambda spec: (-self.records.get(spec, 0), spec))
        for spec in counted:
            name = self.tree.nodes[spec].name
            self._names.setdefault((self.roles[spec], fold(name)), name)
        self._link_flat()

    def _link_flat(self) -> None:
        """Infer the institution of each department where rules assign roles to sets without a hierarchy."""
        flat = [node.spec for node in self.tree.nodes.values() if not node.ancestors]
        outer = {spec for spec in flat if self.roles[spec] is Role.INSTITUTION}
        inner = {spec for spec in flat if self.roles[spec] is Role.DEPARTMENT}
        if outer and inner:
            found = containment(self.tree.combined, outer, inner)
            self._owners = {spec: found[spec] for spec in inner}

    def is_ruled(self, spec: str) -> bool:
        return self._rule(self.tree.nodes[spec])[0] is not None

    @property
    def unused(self) -> tuple[str, ...]:
        nodes = self.tree.nodes.values()
        patterns = dict.fromkeys(each for role in Role for each in self.rules.patterns(role))
        return tuple(each for each in patterns if not any(_is_met(node, each) for node in nodes))

    def assign(self, specs: Iterable[str]) -> Assignment:
        found = self.tree.closure(specs)
        outer = [spec for spec in found if self.roles[spec] is Role.INSTITUTION]
        inner = [spec for spec in found if self.roles[spec] is Role.DEPARTMENT]
        units = self._units(outer, inner)
        return Assignment(
            units,
            self._named(Role.COLLECTION, found),
            self._named(Role.TYPE, found),
            self.rules.prefer,
            "" if any(unit.institution for unit in units) else self.rules.fallback,
        )

    def name(self, spec: str) -> str:
        """Return the name of a set; of spellings that differ in case alone, the most used one."""
        known = self._shown.get(spec)
        if known is None:
            role, node = self.roles[spec], self.tree.nodes[spec]
            known = self._shown[spec] = self._names.get((role, fold(node.name)), node.name)
        return known

    def _units(self, outer: Sequence[str], inner: Sequence[str]) -> tuple[Unit, ...]:
        nodes, pairs, strays = self.tree.nodes, dict[Unit, None](), list[str]()
        for spec in inner:
            ancestors = nodes[spec].ancestors or self._owners.get(spec, frozenset())
            around = [each for each in outer if each in ancestors]
            owners = around or (outer if len(outer) == 1 and not ancestors else ())
            pairs.update(dict.fromkeys(Unit(self.name(each), self.name(spec)) for each in owners))
            strays += () if owners else (spec,)
        paired = {unit.institution for unit in pairs}
        bare = list(dict.fromkeys(name for name in map(self.name, outer) if name not in paired))
        for spec in strays:  # if only one institution remains, unassigned departments belong to it
            owner = bare[0] if len(bare) == 1 and not nodes[spec].ancestors else None
            pairs[Unit(owner, self.name(spec))] = None
        paired = {unit.institution for unit in pairs}
        pairs.update(dict.fromkeys(Unit(name, None) for name in bare if name not in paired))
        return tuple(sorted(pairs, key=_order))

    def _named(self, role: Role, specs: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted({self.name(spec) for spec in specs if self.roles[spec] is role}))

    def _role(self, node: SetNode) -> Role:
        ruled, is_exact = self._rule(node)
        usual = self._recognised(node) if self.rules.is_recognising else None
        if usual in self.rules.ruled:
            usual = None
        if ruled is None:
            return usual or Role.NONE
        if is_exact or ruled not in (Role.INSTITUTION, Role.DEPARTMENT):
            return ruled
        if any(self.roles.get(each) is ruled for each in node.ancestors):
            # A pattern such as com_* also matches the communities in a community; only the outermost is
            # meant.
            below = Role.DEPARTMENT if ruled is Role.INSTITUTION else Role.COLLECTION
            is_free = self.rules.is_recognising and below not in self.rules.ruled
            nested = any(self.roles.get(each) is below for each in node.ancestors)
            return below if is_free and not nested else usual or Role.NONE
        return ruled

    def _recognised(self, node: SetNode) -> Role | None:
        """Return the usual role of a set, counting levels from an institution that the settings name."""
        if Role.INSTITUTION not in self.rules.ruled or node.usual not in (Role.DEPARTMENT, Role.COLLECTION):
            return node.usual
        around = {each: self.roles.get(each) for each in node.ancestors}
        inside = [each for each, role in around.items() if role is Role.INSTITUTION]
        if not inside:
            return node.usual
        is_nested = any(role is Role.DEPARTMENT for role in around.values())
        return Role.COLLECTION if is_nested else Role.DEPARTMENT

    def _rule(self, node: SetNode) -> tuple[Role | None, bool]:
        """Return the role that the settings assign to a set, and whether they name this set alone."""
        patterns = [(role, each) for role in reversed(Role) for each in self.rules.patterns(role)]
        for role, pattern in patterns:
            if not _WILD & set(pattern) and _is_met(node, pattern):
                return role, True
        for role, pattern in patterns:
            if _WILD & set(pattern) and _is_met(node, pattern):
                return role, False
        if 1 <= node.level <= len(self.rules.levels):
            return self.rules.levels[node.level - 1], True
        return None, False


def _is_met(node: SetNode, pattern: str) -> bool:
    if not _WILD & set(pattern):
        return pattern in (node.spec, node.name, *node.twins)
    is_spec = any(fnmatchcase(spec, pattern) for spec in (node.spec, *node.twins))
    return is_spec or fnmatchcase(node.name.casefold(), pattern.casefold())


def _order(unit: Unit) -> tuple[bool, str, str]:
    return unit.institution is None, unit.institution or "", unit.department or ""


def apply_assignment(document: Document, sets: Assignment) -> Document:
    """Apply what a record's sets assign to it to its document.

    An institution that the sets name overrides the metadata: a repository has one name for each set, and many
    spellings in its records. The metadata fills in what the sets leave open: a department of the same
    institution, or the institution of a department. `prefer = "metadata"` reverses this. If neither names an
    institution, the settings' institution for the whole source is used. Overridden metadata is kept in
    `extra`. Types from sets follow the document's own.
    """
    if not sets:
        return document
    units, stated = sets.units, Unit(document.institution, document.department)
    if any(stated):
        is_by_metadata = sets.prefer == METADATA_FIRST
        units = _by_metadata(stated, units) if is_by_metadata else _by_sets(stated, units)
    units = _filled(units, sets.fallback)
    first = units[0] if units else Unit(None, None)
    values = list(_values(document))
    values[_PLACES["institution"]], values[_PLACES["department"]] = first
    values[_PLACES["units"]] = units
    values[_PLACES["collections"]] = sets.collections
    values[_PLACES["types"]] = _joined(document.types, sets.types)
    if any(stated):
        values[_PLACES["extra"]] = _kept(document.extra, stated, units)
    return make_document(*values)


def _by_sets(stated: Unit, units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    named = [unit for unit in units if unit.institution is not None]
    if not named:
        return tuple(Unit(stated.institution, unit.department) for unit in units) or _single(stated)
    if len(units) == 1 and units[0].department is None and _is_same(stated.institution, units[0].institution):
        return (Unit(units[0].institution, stated.department),)
    return units


def _by_metadata(stated: Unit, units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    if stated.institution is None:
        names = {unit.institution for unit in units}
        if stated.department is not None and len(names) == 1:
            return (Unit(names.pop(), stated.department),)
        return units or _single(stated)
    if stated.department is not None:
        return (stated,)
    same = [unit for unit in units if unit.institution and fold(unit.institution) == fold(stated.institution)]
    return tuple(same) or (stated,)


def _filled(units: tuple[Unit, ...], fallback: str) -> tuple[Unit, ...]:
    if not fallback or any(unit.institution for unit in units):
        return units
    return tuple(Unit(fallback, unit.department) for unit in units) or (Unit(fallback),)


def _single(stated: Unit) -> tuple[Unit, ...]:
    return (stated,) if any(stated) else ()


def _is_same(stated: str | None, name: str | None) -> bool:
    return stated is None or (name is not None and fold(stated) == fold(name))


def _joined(stated: Sequence[str], added: Sequence[str]) -> tuple[str, ...]:
    if not added:
        return tuple(stated)
    known = set(map(fold, stated))
    return (*stated, *(each for each in added if fold(each) not in known))


def _kept(
    extra: dict[str, tuple[str, ...]], stated: Unit, units: Sequence[Unit]
) -> dict[str, tuple[str, ...]]:
    kept = {}
    for place, name in enumerate(Unit._fields):
        value, used = stated[place], {fold(unit[place] or "") for unit in units}
        if value and fold(value) not in used:
            kept[f"metadata:{name}"] = (value,)
    return {**extra, **kept} if kept else extra


_PLACES = {name: place for place, name in enumerate(Document.__dataclass_fields__)}
_values = attrgetter(*_PLACES)
