"""Known layouts of OAI-PMH sets: how each repository software encodes its hierarchy in setSpecs.

OAI-PMH defines sets as flat specs with names. A hierarchy is written with colons in the spec, in a code of
the software's own, or not at all. For each set this module determines the sets that contain it, its level,
and its usual role:

- DSpace lists `com_…` (communities) and `col_…` (collections) side by side, in any order. Which community
  contains which is inferred from the records: a record in a collection is in all communities around it.
- EPrints writes hexadecimal numbers: `6469766973696F6E733D736369:6D617468` is `divisions=sci`, `math`.
- OJS has `journal:section`.
- Invenio has `community-…`, in older versions and in Zenodo `user-…`.
- All other specs with colons are hierarchies as defined by OAI-PMH (section 2.7.2).
- An outermost set that is named after a kind of publication ("Doctoral theses", "Articles") is a type, not an
  institution, and so are the sets in it with such names. Inside an institution it is a department like any
  other; journal sections are not affected.
- If outer levels enclose the institutions (everything, a country, a kind of document), their names reveal it:
  levels are counted from the sets with names of universities.
- An aggregator, such as Windrow itself, passes sets on with their source as a prefix, `theseus:com_1_2`. They
  are read as if they came from that source; the prefix is not a level.
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
# Sets that an aggregator passes on: these prefixes do not occur below the first level of a hierarchy.
_PASSED_ON = ("com_", "community-", "user-")
_HANDLE_NUMBER = re.compile(r"([0-9]+)\Z")
_FEWEST_INSTITUTIONS = 2  # sets named as universities that determine the level of institutions
# The separator between the name of a set and that of its parent, if names are whole paths.
_PATH_MARK = re.compile(r"\s*(?:::?|/|>|»|→|\||[-–—](?=\s))\s*")
# Kinds of works that are not names of departments, unlike "Film" and "Painting".
_PUBLICATIONS = frozenset(
    {
        *("article", "bachelor", "book", "chapter", "conference paper", "dataset", "doctoral", "master"),
        *("patent", "poster", "preprint", "proceedings", "report", "review", "thesis"),
    }
)
_SHORTEST_TYPE = 4  # letters; "Art" is a subject as well
_OJS_SECTION = re.compile(r"[A-Z0-9%][A-Z0-9._%+-]*")  # abbreviations of sections: ART, EDI, B.R.


class Role(StrEnum):
    """The role of a set for its records."""

    INSTITUTION = "institution"
    DEPARTMENT = "department"
    COLLECTION = "collection"
    TYPE = "type"
    NONE = "none"


class Layout(StrEnum):
    """The software, or the convention, that determines the form of a setSpec."""

    DSPACE = "DSpace"
    EPRINTS = "EPrints"
    OJS = "OJS"
    INVENIO = "Invenio"
    COLON = "colon hierarchy"


class KnownSet(NamedTuple):
    """A set from ListSets and from records; `same_as` is another spec under which it is listed."""

    spec: str
    name: str = ""
    same_as: str | None = None


# The roles of levels if a layout does not define others: the outermost sets are institutions.
BY_LEVEL = (Role.INSTITUTION, Role.DEPARTMENT, Role.COLLECTION)

# Sets for aggregators, which all kinds of repositories have in addition to their own.
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
# The role implied by the first word of a hierarchy: `type:article`, `divisions=sci`, `ddc:340`.
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
    """One set in the tree: its parents, its level and its usual role."""

    spec: str
    name: str  # for people: from ListSets, without the path before it; else from the spec
    layout: Layout | None
    is_named: bool
    twins: tuple[str, ...] = ()  # other specs of the same set
    parents: tuple[str, ...] = ()
    ancestors: frozenset[str] = frozenset()
    is_listed: bool = False  # named by ListSets or by a record, and not only a prefix of another spec
    level: int = 1  # from the outermost set that may contain it, not counting the family's own word
    around: int = 0  # how many of these levels enclose the institutions
    family: str = ""  # the word that names a hierarchy: divisions, type, ddc
    usual: Role | None = None  # None: no layout determines it
    bare: str = ""  # the spec without an aggregator's prefix


class SetTree:
    """The sets of one source, with the hierarchy that their specs and records show.

    `combinations` are the sets of which records are members together.
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
        for _ in range(DEEPEST):
            known = self._same_as.get(spec)
            if known is None or known == spec:
                return spec
            spec = known
        return spec

    def closure(self, specs: Iterable[str]) -> list[str]:
        """Return these sets and those that contain them by spec: a record in `a:b` is in `a`."""
        return list(dict.fromkeys(chain.from_iterable(map(self._closure, specs))))

    def _closure(self, spec: str) -> tuple[str, ...]:
        """Return a set and those that contain it by spec, cached for all combinations."""
        known = self._closures.get(spec)
        if known is None:
            own = self.canonical(spec)
            node = self.nodes.get(own)
            ancestors = () if node is None or node.layout is Layout.DSPACE else sorted(node.ancestors)
            known = self._closures[spec] = () if node is None else (*ancestors, own)
        return known

    @cached_property
    def layouts(self) -> dict[Layout, int]:
        counts: dict[Layout, int] = {}
        for node in self.nodes.values():
            if node.layout is not None and node.usual is not None:
                counts[node.layout] = counts.get(node.layout, 0) + 1
        return counts

    def _add_prefixes(self) -> None:
        """Link sets to their parents by spec, and add parents that are not listed."""
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
        """Link the sets of DSpace by their common records."""
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
            if node.family and node.layout is Layout.COLON:  # the family's word is not a level
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
        """Count the levels that enclose the institutions, if the names reveal the institutions' level.

        A hierarchy under one outermost set starts further in if most of the sets at that level are named as
        universities and none of those around them is. A university's own communities are not affected.
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
            if around is None:  # no university in it: use the level of the other hierarchies if they agree
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
                node.usual = None  # a prefix that is not itself a set and has no known meaning
        for node in sorted(self.nodes.values(), key=lambda node: node.level):
            parents = [self.nodes[each].usual for each in node.parents]
            if _is_called_as_type(node) and all(role is Role.TYPE for role in parents):
                node.usual = Role.TYPE

    def _is_ojs(self, plain: Sequence[SetNode]) -> bool:
        inner = [node for node in plain if ":" in node.bare]
        if not inner or not all(self.nodes[self._outermost(node)].is_named for node in inner):
            return False
        return all(_OJS_SECTION.fullmatch(node.bare.partition(":")[2]) for node in inner)

    def _bare(self, spec: str) -> str:
        source, _, rest = spec.partition(":")
        return rest if rest and source in self._sources else spec

    def _outermost(self, node: SetNode) -> str:
        return f"{node.spec.removesuffix(node.bare)}{_top(node.bare)}"

    def _twin(self, listed: KnownSet | None, spec: str, known: Container[str]) -> str | None:
        """Return the known spec of a set that has several.

        DSpace lists a collection as `col_1_2` and as `hdl_1_2`. A community with a single collection of the
        same name is not such a pair, although both contain the same records.
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
    """Return for each set the outer sets that contain it, inferred from common records.

    A set is contained in an outer one if all its records are. If all records of an inner set are also in a
    second inner set, the outer sets of the second are explained by it and left out, unless no others remain.
    An outer set is contained in another one if all its records are, and one of its inner sets is contained in
    it too without another explanation. Of two outer sets with the same records, the one with the smaller
    number in its spec contains the other: repositories number them in the order of creation.
    """
    together, sizes = _together(combined)
    around = {spec: together.get(spec, frozenset()) & outer for spec in inner}
    own: dict[str, frozenset[str]] = {}
    shown: dict[str, set[str]] = {}  # by outer set: enclosing sets that an inner set reveals
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
    for spec in outer:  # containment of containers is transitive
        ancestors[spec] = _closed(spec, ancestors)
    for spec, found in own.items():
        ancestors[spec] = found.union(*(ancestors[each] for each in found)) if found else found
    return ancestors


def _together(
    combined: Sequence[frozenset[str]],
) -> tuple[dict[str, frozenset[str]], dict[str, int]]:
    """Return for each set those that contain all its records, and its number of combinations."""
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
    """Decode an EPrints spec from hexadecimal; return () for any other spec."""
    parts = spec.split(":")
    if len(parts) > DEEPEST or not all(_HEX.fullmatch(part) for part in parts):
        return ()
    try:
        texts = tuple(bytes.fromhex(part).decode() for part in parts)
    except ValueError:
        return ()
    return texts if _EPRINTS_FIELD.match(texts[0]) else ()


def _eprints_name(node: SetNode, nodes: Mapping[str, SetNode]) -> str:
    """Return an EPrints name without the field and the path before it: "Divisions = Science: Maths"."""
    name = node.name.partition(" = ")[2] or node.name
    for parent in node.parents:
        start = f"{nodes[parent].name}: "
        if name.startswith(start) and len(name) > len(start):
            return name[len(start) :]
    return name


def _last_name(name: str, parents: Iterable[str]) -> str:
    """Return a name without those of its parents: "Lund University: Faculty of Law"."""
    for parent in parents:
        mark = _PATH_MARK.match(name, len(parent)) if name.startswith(parent) else None
        if mark is not None and mark.end() < len(name):
            return name[mark.end() :]
    return name


def _is_called_as_type(node: SetNode) -> bool:
    if node.usual not in (Role.INSTITUTION, Role.DEPARTMENT) or node.family:
        return False
    if node.layout not in (Layout.DSPACE, Layout.COLON) or len(node.name) < _SHORTEST_TYPE:
        return False
    concept = load_controlled_values(TYPE).find(node.name)
    return concept is not None and concept.kind in _PUBLICATIONS


def _is_passed_on(spec: str) -> bool:
    source, _, rest = spec.partition(":")
    return (
        bool(rest)
        and not decode_eprints(spec)
        and _HEX.fullmatch(source) is None
        and (rest.startswith(_PASSED_ON) or bool(decode_eprints(rest)))
    )


def _levels_around(members: Sequence[SetNode], called: Container[str]) -> int | None:
    """Return the number of levels around the institutions of a hierarchy; None if none is recognised."""
    named = [node.level for node in members if node.spec in called]
    if not named:
        return None
    level = [node for node in members if node.level == min(named)]
    return min(named) - 1 if 2 * sum(node.spec in called for node in level) >= len(level) else 0


def _top(spec: str) -> str:
    return spec.partition(":")[0]


def _family(node: SetNode) -> str:
    """Return the word that names a hierarchy, if its spec begins with one."""
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
            return Role.DEPARTMENT  # a collection without a known community is not an institution
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
    if role is Role.DEPARTMENT:  # the outermost set, unless other sets show its institution
        return _at(node.level + has_institutions)
    return role


def _at(level: int) -> Role:
    return BY_LEVEL[min(level, len(BY_LEVEL)) - 1]
