"""Known layouts of OAI-PMH sets: how each repository software writes its hierarchy into setSpecs. Pure.

OAI-PMH knows sets as flat specs with names; a hierarchy is in the colons of the spec, in a code of the
software's own, or nowhere at all. For each set this module finds which sets contain it, at which level it
lies, and which role it usually has there:

- DSpace lists `com_…` (communities) and `col_…` (collections) side by side, in any order. Which community
  contains which is inferred from the records: a record in a collection is in all communities around it.
- EPrints writes hexadecimal numbers: `6469766973696F6E733D736369:6D617468` is `divisions=sci`, `math`.
- OJS has `journal:section`.
- Invenio has `community-…`, in older versions and in Zenodo `user-…`.
- Everything else with colons is a hierarchy as OAI-PMH means it (section 2.7.2).
- An outermost set that is named after a kind of publication ("Doctoral theses", "Articles") is a type and no
  institution, and so are those in it that are. Inside an institution it is a department like others, and
  sections of journals are left as they are.
- Where something lies around the institutions (everything, a country, a kind of document), their names show
  it: levels are counted from the sets that are called universities.
- An aggregator, such as Windrow itself, passes sets on behind the name of their source, `theseus:com_1_2`.
  They are read as if they came from there; the name of the source is no level.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from windrow.model.controlled_values import TYPE, load_controlled_values
from windrow.model.text.proper_names import is_institution

DEEPEST = 50  # levels; a spec with more colons is one set without parents
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})+")
_EPRINTS_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9_.]*)=(.*)", re.DOTALL)
# Of sets that are passed on: what no hierarchy of institutions has below its first level.
_PASSED_ON = ("com_", "community-", "user-")
_HANDLE_NUMBER = re.compile(r"([0-9]+)\Z")
_FEWEST_INSTITUTIONS = 2  # sets called universities that show at which level the institutions are
# What stands between the name of a set and that of the set around it, where names are whole paths.
_PATH_MARK = re.compile(r"\s*(?:::?|/|>|»|→|\||[-–—](?=\s))\s*")
# Kinds of works whose names no department has, as "Film" and "Painting" are names of departments.
_PUBLICATIONS = frozenset(
    {
        *("article", "bachelor", "book", "chapter", "conference paper", "dataset", "doctoral", "master"),
        *("patent", "poster", "preprint", "proceedings", "report", "review", "thesis"),
    }
)
_SHORTEST_TYPE = 4  # letters; "Art" is a subject as well
_OJS_SECTION = re.compile(r"[A-Z0-9%][A-Z0-9._%+-]*")  # abbreviations of sections: ART, EDI, B.R.


class Role(StrEnum):
    """What a set is to the records in it."""

    INSTITUTION = "institution"
    DEPARTMENT = "department"
    COLLECTION = "collection"
    TYPE = "type"
    NONE = "none"


class Layout(StrEnum):
    """The software, or the convention, that a setSpec is written in."""

    DSPACE = "DSpace"
    EPRINTS = "EPrints"
    OJS = "OJS"
    INVENIO = "Invenio"
    COLON = "colon hierarchy"


class KnownSet(NamedTuple):
    """A set as ListSets and the records name it; `same_as` is the spec it is listed under as well."""

    spec: str
    name: str = ""
    same_as: str | None = None


# The role of a level where a layout says no more: the outermost sets are institutions.
BY_LEVEL = (Role.INSTITUTION, Role.DEPARTMENT, Role.COLLECTION)

# Sets for aggregators, which repositories of all kinds have beside their own.
_AGGREGATED = frozenset(
    {
        *("all", "dini", "driver", "ec_funded", "ec_fundeddata", "ec_fundedresources"),
        *("epicur", "fulltext", "oa", "open", "open_access", "openaccess"),
        *("openaire", "openaire4", "openaire_data", "public", "rss", "xmetadissplus"),
    }
)
_ARXIV = frozenset(
    {
        *("astro-ph", "cond-mat", "cs", "econ", "eess", "math"),
        *("nlin", "physics", "q-bio", "q-fin", "stat", "test"),
    }
)
# What the first word of a hierarchy says of everything below it: `type:article`, `divisions=sci`, `ddc:340`.
_WORDS = {
    Role.INSTITUTION: "institution institutions organisation organization universities university",
    Role.DEPARTMENT: """
        center centre college department departments dept division divisions faculties faculty group groups
        institut institute institutes org orgunit orgunits school schools unit units
    """,
    Role.COLLECTION: "col collection collections journal journals publication publications series",
    Role.TYPE: """
        dctype doc-type doctype document-type documenttype genre item-type itemtype pub-type publication-type
        publicationtype pubtype type types
    """,
    Role.NONE: """
        access author bibliography bk ccs creator date ddc format full_text fulltext funder has-source-swb
        hasfulltext ispublished issued jacs jel keyword keywords lang language languages lcc licence
        license loc media mime mimetype msc oa open-access open_access openaccess pacs peer_reviewed
        person persons proaixy project projects refereed rights rvk source status subject subjects topic
        topics udc withfulltext year
    """,
}
_FAMILIES: Mapping[str, Role] = {word: role for role, words in _WORDS.items() for word in words.split()}


@dataclass(slots=True)
class SetNode:
    """One set in the tree: what contains it, how deep it lies, and what it usually is."""

    spec: str
    name: str  # for people: from ListSets, without the path before it; else from the spec
    layout: Layout | None
    is_named: bool
    twins: tuple[str, ...] = ()  # other specs of the same set
    parents: tuple[str, ...] = ()
    ancestors: frozenset[str] = frozenset()
    is_listed: bool = False  # named by ListSets or by a record, and not only the beginning of another spec
    level: int = 1  # from the outermost set that it can be a part of; a family's own word is not counted
    around: int = 0  # how many of these levels lie around the institutions
    family: str = ""  # the word that says what a hierarchy is of: divisions, type, ddc
    usual: Role | None = None  # None: no layout says
    bare: str = ""  # the spec without the source that an aggregator puts before it


class SetTree:
    """The sets of one source, with the hierarchy that their specs and records show.

    `combinations` are the sets that records are in together.
    """

    def __init__(self, sets: Iterable[KnownSet], combinations: Iterable[Sequence[str]] = ()) -> None:
        listed = {each.spec: each for each in sets}
        combined = [tuple(specs) for specs in combinations]
        known = dict.fromkeys((*listed, *(spec for specs in combined for spec in specs)))
        self._sources = frozenset(_top(spec) for spec in known if _is_passed_on(spec))
        self._same_as = {spec: twin for spec in known if (twin := self._twin(listed.get(spec), spec, known))}
        self.combined = [frozenset(map(self.canonical, specs)) for specs in combined]
        own = dict.fromkeys(map(self.canonical, known))
        self.nodes = {spec: self._node(spec, listed.get(spec)) for spec in sorted(own)}
        for node in self.nodes.values():
            node.is_listed = True
        for spec in self._same_as:
            node = self.nodes[self.canonical(spec)]
            node.twins += (spec,)
            if spec in listed and listed[spec].name and not node.is_named:
                node.name, node.is_named = " ".join(listed[spec].name.split()), True
        self._add_prefixes()
        self._nest()
        self._settle_levels()
        self._settle_names()
        self._settle_institutions()
        self._settle_roles()
        self._closures: dict[str, tuple[str, ...]] = {}

    def canonical(self, spec: str) -> str:
        """Return the spec under which a set is counted that is listed under several."""
        for _ in range(DEEPEST):
            known = self._same_as.get(spec)
            if known is None or known == spec:
                return spec
            spec = known
        return spec

    def closure(self, specs: Iterable[str]) -> list[str]:
        """Return these sets and those that their specs lie in: a record in `a:b` is in `a`."""
        return list(dict.fromkeys(chain.from_iterable(map(self._closure, specs))))

    def _closure(self, spec: str) -> tuple[str, ...]:
        """Return a set and those that its spec lies in, worked out once for all combinations it is in."""
        known = self._closures.get(spec)
        if known is None:
            own = self.canonical(spec)
            node = self.nodes.get(own)
            ancestors = () if node is None or node.layout is Layout.DSPACE else sorted(node.ancestors)
            known = self._closures[spec] = () if node is None else (*ancestors, own)
        return known

    @cached_property
    def layouts(self) -> dict[Layout, int]:
        """How many sets are written in each layout that was recognised."""
        counts: dict[Layout, int] = {}
        for node in self.nodes.values():
            if node.layout is not None and node.usual is not None:
                counts[node.layout] = counts.get(node.layout, 0) + 1
        return counts

    def _add_prefixes(self) -> None:
        """Link the sets that lie in others by their specs, and add those that nobody listed."""
        for spec in list(self.nodes):
            if spec.count(":") > DEEPEST:
                continue
            parts = spec.split(":")
            paths = [":".join(parts[:end]) for end in range(1, len(parts) + 1)]
            if len(paths) > 1 and parts[0] in self._sources:
                self.nodes.setdefault(parts[0], self._node(parts[0], None))
                del paths[0]
            for place, path in enumerate(paths):
                node = self.nodes.setdefault(path, self._node(path, None))
                node.ancestors = frozenset(paths[:place])
                node.parents = tuple(paths[place - 1 : place])
                node.level = place + 1
                if len(paths) > 1 and node.layout is None:
                    node.layout = Layout.COLON

    def _nest(self) -> None:
        """Link the sets of DSpace by the records that are in them together."""
        communities = {spec for spec, node in self.nodes.items() if node.bare.startswith("com_")}
        collections = {
            spec
            for spec, node in self.nodes.items()
            if node.layout is Layout.DSPACE and spec not in communities
        }
        if not communities:
            return
        for spec, ancestors in containment(self.combined, communities, collections).items():
            node = self.nodes[spec]
            node.ancestors = ancestors
        for spec in communities | collections:
            node = self.nodes[spec]
            farther = {far for near in node.ancestors for far in self.nodes[near].ancestors}
            node.parents = tuple(sorted(node.ancestors - farther))

    def _settle_levels(self) -> None:
        for spec in sorted(self.nodes, key=lambda spec: len(self.nodes[spec].ancestors)):
            node = self.nodes[spec]
            if node.layout is Layout.DSPACE and node.parents:
                node.level = 1 + max(self.nodes[parent].level for parent in node.parents)
            node.family = _family(node)
            if node.family and node.layout is Layout.COLON:  # its word is no level
                top = {self._outermost(node)}
                node.level, node.ancestors = node.level - 1, node.ancestors - top
                node.parents = tuple(each for each in node.parents if each not in top)

    def _settle_names(self) -> None:
        whole = {spec: node.name for spec, node in self.nodes.items() if node.is_named}
        for node in sorted(self.nodes.values(), key=lambda node: node.level):
            if node.layout is Layout.EPRINTS and node.is_named:
                node.name = _eprints_name(node, self.nodes)
            elif node.layout is Layout.COLON and node.is_named:
                node.name = _last_name(node.name, [whole[each] for each in node.parents if each in whole])

    def _settle_institutions(self) -> None:
        """Count the levels that lie around the institutions, where their names show at which level they are.

        A hierarchy under one outermost set begins further in if most of the sets at that level are called
        universities and nothing around them is; a university's own communities are not touched by this.
        """
        plain = [
            node
            for node in self.nodes.values()
            if not node.family and node.layout in (Layout.DSPACE, Layout.COLON)
        ]
        called = {node.spec for node in plain if is_institution(node.name)}
        if len(called) < _FEWEST_INSTITUTIONS:
            return
        tops: dict[str, list[SetNode]] = {}
        for node in plain:
            outermost = [each for each in node.ancestors if not self.nodes[each].ancestors]
            for top in outermost or [node.spec]:
                tops.setdefault(top, []).append(node)
        shown = {top: _levels_around(members, called) for top, members in tops.items()}
        common = set(filter(None, shown.values()))
        for top, members in tops.items():
            around = shown[top]
            if around is None:  # no university in it; as in the others, if these agree
                deepest = max(node.level for node in members)
                around = next((each for each in common if each < deepest), 0) if len(common) == 1 else 0
            for node in members:
                node.around = min(around, node.around) if node.around else around

    def _settle_roles(self) -> None:
        plain = [node for node in self.nodes.values() if node.layout is Layout.COLON and not node.family]
        tops = {_top(node.bare) for node in plain}
        is_arxiv = "physics" in tops and tops <= _ARXIV
        has_names = any(node.is_named for node in self.nodes.values())
        has_institutions = any(_FAMILIES.get(node.family) is Role.INSTITUTION for node in self.nodes.values())
        if self._is_ojs(plain):
            for node in plain:
                node.layout = Layout.OJS
        for node in self.nodes.values():
            node.usual = _usual(node, has_institutions=has_institutions)
        for node in plain:
            if is_arxiv:  # its hierarchy is one of subjects
                node.usual = Role.NONE
            elif has_names and not node.around and not self.nodes[self._outermost(node)].is_listed:
                node.usual = None  # a prefix that is no set itself: what it stands for, nobody knows
        for node in sorted(self.nodes.values(), key=lambda node: node.level):
            parents = [self.nodes[each].usual for each in node.parents]
            if _is_called_as_type(node) and all(role is Role.TYPE for role in parents):
                node.usual = Role.TYPE

    def _is_ojs(self, plain: Sequence[SetNode]) -> bool:
        """Return whether all hierarchies are a journal and its sections, whose specs are in capitals."""
        inner = [node for node in plain if ":" in node.bare]
        if not inner or not all(self.nodes[self._outermost(node)].is_named for node in inner):
            return False
        return all(_OJS_SECTION.fullmatch(node.bare.partition(":")[2]) for node in inner)

    def _bare(self, spec: str) -> str:
        """Return the spec that a set has in its own repository, where an aggregator passes it on."""
        source, _, rest = spec.partition(":")
        return rest if rest and source in self._sources else spec

    def _outermost(self, node: SetNode) -> str:
        """Return the spec of the first level of a hierarchy."""
        return f"{node.spec.removesuffix(node.bare)}{_top(node.bare)}"

    def _twin(self, listed: KnownSet | None, spec: str, known: Container[str]) -> str | None:
        """Return the spec under which a set is known that has several.

        DSpace lists a collection as `col_1_2` and as `hdl_1_2`. A community with a single collection of its
        own name is another matter, though both hold the same records.
        """
        bare = self._bare(spec)
        before = spec.removesuffix(bare)
        start, _, handle = bare.partition("_")
        if start == "hdl":
            twins = (f"{before}{kind}_{handle}" for kind in ("com", "col"))
            return next((twin for twin in twins if twin in known), None)
        return None if start in ("com", "col") or listed is None else listed.same_as

    def _node(self, spec: str, known: KnownSet | None) -> SetNode:
        name = " ".join((known.name if known else "").split())
        bare = self._bare(spec)
        layout = None if spec in self._sources else _layout(bare)
        fallback = bare
        if layout is Layout.EPRINTS:
            last = decode_eprints(bare)[-1]
            fallback = last.partition("=")[2] or last
        elif ":" in bare:
            fallback = bare.rpartition(":")[2] or bare
        return SetNode(spec, name or fallback, layout, is_named=bool(name), bare=bare)


def containment(
    combined: Sequence[frozenset[str]], outer: set[str], inner: set[str]
) -> dict[str, frozenset[str]]:
    """Return for each set the outer sets that contain it, inferred from what records are in together.

    A set lies in an outer one if every record of it does. Where all records of an inner set are also in a
    second inner set, the outer sets of the second explain themselves: they are left out unless nothing else
    remains. An outer set lies in another one if every record of it does, and one of its inner sets shows it
    that is explained by no other. Of two outer sets with the same records, the one with the smaller number
    in its spec contains the other: repositories number what they make first first.
    """
    together, sizes = _together(combined)
    around = {spec: together.get(spec, frozenset()) & outer for spec in inner}
    own: dict[str, frozenset[str]] = {}
    shown: dict[str, set[str]] = {}  # by outer set: those around it that an inner set shows
    for spec, found in around.items():
        others = (together.get(spec, frozenset()) & inner) - {spec}
        explained = {each for other in others for each in around[other]}
        own[spec] = (found - explained) or found
        if own[spec] == found:
            for each in found:
                wider = (other for other in found if not others or sizes[other] > sizes[each])
                shown.setdefault(each, set()).update(wider)
    held = {each for found in own.values() for each in found}
    nested: dict[str, frozenset[str]] = {}
    for spec in outer:
        known = shown.get(spec, set()) if spec in held else outer
        nested[spec] = (together.get(spec, frozenset()) & known) - {spec}
    ancestors = {
        spec: frozenset(each for each in found if spec not in nested[each] or _is_older(each, spec))
        for spec, found in nested.items()
    }
    for spec in outer:  # what contains a container contains what is in it
        ancestors[spec] = _closed(spec, ancestors)
    for spec, found in own.items():
        ancestors[spec] = found.union(*(ancestors[each] for each in found)) if found else found
    return ancestors


def _together(
    combined: Sequence[frozenset[str]],
) -> tuple[dict[str, frozenset[str]], dict[str, int]]:
    """Return for each set those that all of its records are in, and in how many combinations it is."""
    together: dict[str, frozenset[str]] = {}
    sizes: dict[str, int] = {}
    for specs in combined:
        for spec in specs:
            together[spec] = together[spec] & specs if spec in together else specs
            sizes[spec] = sizes.get(spec, 0) + 1
    return together, sizes


def _closed(spec: str, ancestors: Mapping[str, frozenset[str]]) -> frozenset[str]:
    found, waiting = set(ancestors[spec]), list(ancestors[spec])
    while waiting:
        new = ancestors[waiting.pop()] - found - {spec}
        found |= new
        waiting += new
    return frozenset(found)


def _is_older(spec: str, other: str) -> bool:
    return _age(spec) < _age(other)


def _age(spec: str) -> tuple[int, str]:
    number = _HANDLE_NUMBER.search(spec)
    return (int(number[1]) if number and len(number[1]) < 19 else 0, spec)


def _layout(spec: str) -> Layout | None:
    if spec.startswith(("com_", "col_", "hdl_")):
        return Layout.DSPACE
    if decode_eprints(spec):
        return Layout.EPRINTS
    if spec.startswith(("community-", "user-")):
        return Layout.INVENIO
    return Layout.COLON if ":" in spec and spec.count(":") <= DEEPEST else None


def decode_eprints(spec: str) -> tuple[str, ...]:
    """Return the parts of a spec that EPrints wrote in hexadecimal, or nothing where it is no such spec."""
    parts = spec.split(":")
    if len(parts) > DEEPEST or not all(_HEX.fullmatch(part) for part in parts):
        return ()
    try:
        texts = tuple(bytes.fromhex(part).decode() for part in parts)
    except ValueError:
        return ()
    return texts if _EPRINTS_FIELD.match(texts[0]) else ()


def _eprints_name(node: SetNode, nodes: Mapping[str, SetNode]) -> str:
    """Return a name of EPrints without the field and the path before it: "Divisions = Science: Maths"."""
    name = node.name.partition(" = ")[2] or node.name
    for parent in node.parents:
        start = f"{nodes[parent].name}: "
        if name.startswith(start) and len(name) > len(start):
            return name[len(start) :]
    return name


def _last_name(name: str, parents: Iterable[str]) -> str:
    """Return a name without those of the sets around it: "Lund University: Faculty of Law"."""
    for parent in parents:
        mark = _PATH_MARK.match(name, len(parent)) if name.startswith(parent) else None
        if mark is not None and mark.end() < len(name):
            return name[mark.end() :]
    return name


def _is_called_as_type(node: SetNode) -> bool:
    """Return whether what would be an institution or a department is named after a kind of publication."""
    if node.usual not in (Role.INSTITUTION, Role.DEPARTMENT) or node.family:
        return False
    if node.layout not in (Layout.DSPACE, Layout.COLON) or len(node.name) < _SHORTEST_TYPE:
        return False
    concept = load_controlled_values(TYPE).find(node.name)
    return concept is not None and concept.kind in _PUBLICATIONS


def _is_passed_on(spec: str) -> bool:
    """Return whether a set of a known layout stands behind the name of the source that it was harvested from."""
    source, _, rest = spec.partition(":")
    return (
        bool(rest)
        and not decode_eprints(spec)
        and _HEX.fullmatch(source) is None
        and (rest.startswith(_PASSED_ON) or bool(decode_eprints(rest)))
    )


def _levels_around(members: Sequence[SetNode], called: Container[str]) -> int | None:
    """Return how many levels of one hierarchy lie around its institutions; None where none is called one."""
    named = [node.level for node in members if node.spec in called]
    if not named:
        return None
    level = [node for node in members if node.level == min(named)]
    return min(named) - 1 if 2 * sum(node.spec in called for node in level) >= len(level) else 0


def _top(spec: str) -> str:
    return spec.partition(":")[0]


def _family(node: SetNode) -> str:
    """Return the word that says what a hierarchy is of, where its spec begins with one."""
    if node.layout is Layout.EPRINTS:
        return decode_eprints(node.bare)[0].partition("=")[0].casefold()
    word = _top(node.bare).casefold()
    return word if node.layout is Layout.COLON and word in _FAMILIES else ""


def _usual(node: SetNode, *, has_institutions: bool) -> Role | None:
    if node.bare.casefold() in _AGGREGATED:
        return Role.NONE
    if node.family:
        return _in_family(node, has_institutions=has_institutions)
    match node.layout:
        case Layout.DSPACE if node.level == 1 and not node.bare.startswith("com_"):
            return Role.DEPARTMENT  # a collection whose community nobody shows is no institution
        case Layout.INVENIO:
            return Role.INSTITUTION
        case None:
            return None
    return _at(node.level - node.around) if node.level > node.around else Role.NONE


def _in_family(node: SetNode, *, has_institutions: bool) -> Role | None:
    role = _FAMILIES.get(node.family)
    if node.level < 1:
        return Role.NONE
    if role is Role.INSTITUTION:
        return _at(node.level)
    if role is Role.DEPARTMENT:  # the outermost that there is, unless others say whose they are
        return _at(node.level + has_institutions)
    return role


def _at(level: int) -> Role:
    return BY_LEVEL[min(level, len(BY_LEVEL)) - 1]
