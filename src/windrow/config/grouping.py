"""The tables with names of their own beside the sources, read and checked for `load`.

`[collections.NAME]` and `[oai.sets.SPEC]` group records, `[crawlers.good.NAME]` those who read them;
`[jobs.NAME]` is what is done at certain times.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from windrow.config import checks
from windrow.config.crawlers import GoodCrawlerSettings
from windrow.config.document import Document
from windrow.config.fields import Settings, fields_of
from windrow.config.jobs import JobSettings
from windrow.config.layers import Layer, read_environment, read_table, shorten, suggest
from windrow.config.schema import COLLECTIONS, GOOD_CRAWLERS, JOBS, OAI_SETS, TABLES
from windrow.config.serving import CollectionSettings, SetSettings
from windrow.config.tables import TableSettings
from windrow.model.set_roles import NO_RULES

S = TypeVar("S", bound=Settings)
Keys = tuple[str, ...]
# As the schema of OAI-PMH has it.
_SPEC = re.compile(r"[A-Za-z0-9\-_.!~*'()]+(?::[A-Za-z0-9\-_.!~*'()]+)*")
_LONGEST_SPEC = 200
_DEFAULT = "default"


def collection_tables(document: Document, sources: Container[str]) -> Mapping[str, object]:
    """Give the table of each collection by its name; a name is either a source's or a collection's."""
    tables = _tables(document, (COLLECTIONS,), "NAME")
    for name in tables:
        problem = checks.name_problem(name, "collection")
        if name in sources:
            problem = f"{name} is the name of a source already; both would answer at the same address."
        if problem:
            raise document.problem((COLLECTIONS, name), problem)
    return tables


def collections(
    document: Document,
    tables: Mapping[str, object],
    sources: Iterable[str],
    environ: Mapping[str, str],
    origins: dict[str, str],
) -> dict[str, CollectionSettings]:
    """Give the collections; each one's sources exist."""
    found: dict[str, CollectionSettings] = {}
    for name, table in tables.items():
        keys = (COLLECTIONS, name)
        in_file = read_table(document, keys, fields_of(CollectionSettings), table)
        layers = [read_environment(keys, fields_of(CollectionSettings), environ), in_file]
        collection = _fill(CollectionSettings, document, keys, layers, origins, name=name)
        _check_sources(document, collection, sources)
        _check_rules(document, collection, found.values())
        found[name] = replace(collection, title=collection.title or name)
    return found


def _check_rules(
    document: Document, collection: CollectionSettings, others: Iterable[CollectionSettings]
) -> None:
    """See that no source is in two collections that say different things of its sets: it has one index."""
    if collection.sets == NO_RULES:
        return
    for other in others:
        shared = [name for name in collection.sources if name in other.sources]
        if shared and other.sets not in (NO_RULES, collection.sets):
            raise document.problem(
                (COLLECTIONS, collection.name, "sets"),
                f"the source {shared[0]} is in the collections {other.name} and {collection.name}, which say"
                " different things of its sets.",
                hint=f"Say it of the source, in [sources.{shared[0]}.set_roles], or of one collection.",
            )


def virtual_sets(document: Document, origins: dict[str, str]) -> dict[str, SetSettings]:
    """Give the sets that queries define, by their setSpecs. Only the file can have them."""
    found = {}
    for spec, table in _tables(document, OAI_SETS, "SPEC").items():
        keys = (*OAI_SETS, spec)
        if len(spec) > _LONGEST_SPEC or not _SPEC.fullmatch(spec):
            rule = "letters, digits and any of -_.!~*'(), in parts with colons between them"
            raise document.problem(keys, f"{shorten(spec)} cannot be a setSpec: that has {rule}.")
        layers = [read_table(document, keys, fields_of(SetSettings), table)]
        virtual = _fill(SetSettings, document, keys, layers, origins, spec=spec)
        found[spec] = replace(virtual, name=virtual.name or spec)
    return found


def good_crawlers(document: Document, origins: dict[str, str]) -> dict[str, GoodCrawlerSettings]:
    """Give the crawlers that have a budget of their own, by name. Only the file can have them."""
    return _only_in_file(GoodCrawlerSettings, document, GOOD_CRAWLERS, "crawler", origins)


def jobs(document: Document, origins: dict[str, str]) -> dict[str, JobSettings]:
    """Give the jobs, by name. Only the file can have them."""
    return _only_in_file(JobSettings, document, (JOBS,), "job", origins)


def own_tables(document: Document, origins: dict[str, str]) -> dict[str, TableSettings]:
    """Return the owner's own tables, by name. Only the file can have them."""
    return _only_in_file(TableSettings, document, (TABLES,), "table", origins)


def _only_in_file(
    kind: type[S], document: Document, where: Keys, what: str, origins: dict[str, str]
) -> dict[str, S]:
    found = {}
    for name, table in _tables(document, where, "NAME").items():
        keys = (*where, name)
        problem = checks.name_problem(name, what)
        if problem:
            raise document.problem(keys, problem)
        layers = [read_table(document, keys, fields_of(kind), table)]
        found[name] = _fill(kind, document, keys, layers, origins, name=name)
    return found


def _tables(document: Document, keys: Keys, placeholder: str) -> Mapping[str, object]:
    """Give the tables under a path of keys by their names; none where the path leads nowhere."""
    found: object = document.values
    for key in keys:
        found = found.get(key, {}) if isinstance(found, Mapping) else {}
    if not isinstance(found, Mapping):
        where = ".".join(keys)
        raise document.problem(keys, f"{where} must be tables, each written as [{where}.{placeholder}].")
    return found


def _fill(
    kind: type[S],
    document: Document,
    keys: Keys,
    layers: Sequence[Layer],
    origins: dict[str, str],
    **fixed: object,
) -> S:
    """Fill a class of settings from its layers, closest first, and note who set what."""
    values: dict[str, object] = dict(fixed)
    where = ".".join(keys)
    for key, field in fields_of(kind).items():
        given = next((layer[key] for layer in layers if key in layer), None)
        if given is None and field.is_required:
            raise document.problem(keys, f"[{where}] has no {key}. {field.help}")
        origins[f"{where}.{key}"] = given.origin if given else _DEFAULT
        if given:
            values[field.attribute] = given.value
    return cast("Any", kind)(**values)  # type: ignore[no-any-return]


def _check_sources(document: Document, collection: CollectionSettings, sources: Iterable[str]) -> None:
    known = set(sources)
    for source in collection.sources:
        if source not in known:
            message = f"{COLLECTIONS}.{collection.name}.sources names {shorten(source)}, which is no source."
            raise document.problem(
                (COLLECTIONS, collection.name, "sources"), message + suggest(source, sorted(known))
            )
