"""Load a Config from a library folder: file, environment and flags merged.

Flags take precedence over the environment, the environment over the file, the file over the defaults. A
source's own settings take precedence over those for all sources, except that a flag for all sources
overrides everything, being the most recent.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit, urlunsplit

from windrow.config import source_kinds, validation
from windrow.config.fields import (
    Field,
    Layer,
    LayerValue,
    Settings,
    fields_of,
    read_environment,
    read_flag,
    read_table,
    shorten,
    suggest,
    variable,
)
from windrow.config.job_settings import JobSettings, NotifySettings, ScheduleSettings
from windrow.config.kinds import PATH, SettingError, is_clean
from windrow.config.network_values import hide_in_path, is_mail, split_url
from windrow.config.schema import (
    COLLECTION,
    COLLECTIONS,
    FILE_NAME,
    GOOD_CRAWLERS,
    INHERITED,
    INNER,
    JOBS,
    KIND,
    OAI,
    OAI_SETS,
    PASSWORD,
    SECTIONS,
    SOURCES,
    TABLES,
    Config,
    DocumentSettings,
    HarvestSettings,
    HttpSettings,
    LibrarySettings,
    SourceSettings,
    TableSettings,
)
from windrow.config.serve_settings import (
    CollectionSettings,
    CrawlerSettings,
    GoodCrawlerSettings,
    OaiSettings,
    PortalSettings,
    ServeSettings,
    SetSettings,
    SruSettings,
    Z3950Settings,
)
from windrow.config.source_kinds import KindDescription
from windrow.config.toml_document import Document, read_document
from windrow.errors import ConfigError, LibraryMissing
from windrow.model.set_assignment import NO_RULES

# Named tables besides the sources: `[collections.NAME]` and `[oai.sets.SPEC]` group records,
# `[crawlers.good.NAME]` sets the rate limit of a crawler, `[jobs.NAME]` is run at certain times.

S = TypeVar("S", bound=Settings)
Keys = tuple[str, ...]
# As in the XML schema of OAI-PMH.
_SPEC = re.compile(r"[A-Za-z0-9\-_.!~*'()]+(?::[A-Za-z0-9\-_.!~*'()]+)*")
_LONGEST_SPEC = 200
_DEFAULT = "default"


def collection_tables(document: Document, sources: Container[str]) -> Mapping[str, object]:
    """Return the table of each collection by its name; a collection and a source cannot share a name."""
    tables = _tables(document, (COLLECTIONS,), "NAME")
    for name in tables:
        problem = validation.name_problem(name, "collection")
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
    """Return the collections; the sources of each must exist."""
    found: dict[str, CollectionSettings] = {}
    for name, table in tables.items():
        keys = (COLLECTIONS, name)
        in_file = read_table(document, keys, fields_of(CollectionSettings), table)
        layers = [read_environment(keys, fields_of(CollectionSettings), environ), in_file]
        collection = _fill_settings(CollectionSettings, document, keys, layers, origins, name=name)
        _check_sources(document, collection, sources)
        _check_rules(document, collection, found.values())
        found[name] = replace(collection, title=collection.title or name)
    return found


def _check_rules(
    document: Document, collection: CollectionSettings, others: Iterable[CollectionSettings]
) -> None:
    """Check that no source is in two collections with different set rules: its records are indexed once."""
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
    """Return the sets defined by queries, by their setSpecs. Only the file can define them."""
    found = {}
    for spec, table in _tables(document, OAI_SETS, "SPEC").items():
        keys = (*OAI_SETS, spec)
        if len(spec) > _LONGEST_SPEC or not _SPEC.fullmatch(spec):
            rule = "letters, digits and any of -_.!~*'(), in parts with colons between them"
            raise document.problem(keys, f"{shorten(spec)} cannot be a setSpec: that has {rule}.")
        layers = [read_table(document, keys, fields_of(SetSettings), table)]
        virtual = _fill_settings(SetSettings, document, keys, layers, origins, spec=spec)
        found[spec] = replace(virtual, name=virtual.name or spec)
    return found


def good_crawlers(document: Document, origins: dict[str, str]) -> dict[str, GoodCrawlerSettings]:
    """Return the crawlers with a rate limit of their own, by name. Only the file can define them."""
    return _only_in_file(GoodCrawlerSettings, document, GOOD_CRAWLERS, "crawler", origins)


def jobs(document: Document, origins: dict[str, str]) -> dict[str, JobSettings]:
    """Return the jobs, by name. Only the file can define them."""
    return _only_in_file(JobSettings, document, (JOBS,), "job", origins)


def own_tables(document: Document, origins: dict[str, str]) -> dict[str, TableSettings]:
    """Return the owner's tables, by name. Only the file can define them."""
    return _only_in_file(TableSettings, document, (TABLES,), "table", origins)


def _only_in_file(
    kind: type[S], document: Document, where: Keys, what: str, origins: dict[str, str]
) -> dict[str, S]:
    found = {}
    for name, table in _tables(document, where, "NAME").items():
        keys = (*where, name)
        problem = validation.name_problem(name, what)
        if problem:
            raise document.problem(keys, problem)
        layers = [read_table(document, keys, fields_of(kind), table)]
        found[name] = _fill_settings(kind, document, keys, layers, origins, name=name)
    return found


def _tables(document: Document, keys: Keys, placeholder: str) -> Mapping[str, object]:
    """Return the tables under a path of keys by their names; empty if the path does not exist."""
    found: object = document.values
    for key in keys:
        found = found.get(key, {}) if isinstance(found, Mapping) else {}
    if not isinstance(found, Mapping):
        where = ".".join(keys)
        raise document.problem(keys, f"{where} must be tables, each written as [{where}.{placeholder}].")
    return found


def _fill_settings(
    kind: type[S],
    document: Document,
    keys: Keys,
    layers: Sequence[Layer],
    origins: dict[str, str],
    **fixed: object,
) -> S:
    """Fill a class of settings from its layers, closest first, and record the origins."""
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


DEFAULT = "default"
_NOTHING: Mapping[str, object] = MappingProxyType({})


def load(library: Path, *, environ: Mapping[str, str], flags: Mapping[str, object] = _NOTHING) -> Config:
    """Return the settings of the library in a folder.

    Flags are named by dotted key (`harvest.timeout`, `sources.NAME.from`), with text or a value as in the
    file; None means that the flag was not given.
    """
    return load_document(read_document(library / FILE_NAME), environ=environ, flags=flags)


def load_document(
    document: Document, *, environ: Mapping[str, str], flags: Mapping[str, object] = _NOTHING
) -> Config:
    document = _with_collections(document)
    tables = _source_tables(document)
    groups = collection_tables(document, tables)
    validation.check_environment(environ, {SOURCES: tables, COLLECTIONS: groups})
    said = _read_flags(flags, tables, environ, document)
    origins: dict[str, str] = {}
    layers = {section: _section_layers(document, section, environ, said) for section in SECTIONS}
    library = _build_settings(LibrarySettings, "library", layers["library"], origins)
    library = replace(library, name=library.name or _default_name(document.path))
    harvest = _resolve_paths(
        _build_settings(HarvestSettings, "harvest", layers["harvest"], origins), document.path.parent
    )
    validation.check_harvest(harvest, document)
    serve = _build_settings(ServeSettings, "serve", layers["serve"], origins)
    validation.check_serve(serve, document)
    sources = {}
    for name, table in tables.items():
        keys, kind = (SOURCES, name), _kind_of(name, table, environ, flags, document)
        if isinstance(table, Mapping):
            _refuse_unknown(document, name, kind, table)
        own = _table_layers(document, keys, source_kinds.readable_fields(kind), table, environ, said)
        sources[name] = _build_source(
            document, name, kind, own, _merge_layers(own, layers["harvest"]), origins
        )
    return Config(
        path=document.path.parent,
        library=library,
        harvest=harvest,
        serve=serve,
        oai=_with_library_name(library, _build_settings(OaiSettings, "oai", layers["oai"], origins)),
        sru=_build_settings(SruSettings, "sru", layers["sru"], origins),
        portal=_build_settings(PortalSettings, "portal", layers["portal"], origins),
        crawlers=_build_settings(CrawlerSettings, "crawlers", layers["crawlers"], origins),
        schedule=_build_settings(ScheduleSettings, "schedule", layers["schedule"], origins),
        notify=_notify(document, library, layers["notify"], origins),
        documents=_build_settings(DocumentSettings, "documents", layers["documents"], origins),
        z3950=_resolve_paths(
            _build_settings(Z3950Settings, "z3950", layers["z3950"], origins), document.path.parent
        ),
        sources=MappingProxyType(sources),
        collections=MappingProxyType(collections(document, groups, tables, environ, origins)),
        jobs=MappingProxyType(jobs(document, origins)),
        tables=MappingProxyType(own_tables(document, origins)),
        oai_sets=MappingProxyType(virtual_sets(document, origins)),
        good_crawlers=MappingProxyType(good_crawlers(document, origins)),
        origins=MappingProxyType(origins),
    )


def _section_layers(
    document: Document, section: str, environ: Mapping[str, str], said: Mapping[str, Layer]
) -> list[Layer]:
    table = document.values.get(section, {})
    inner = {key for outer, key in INNER if outer == section}
    if inner and isinstance(table, Mapping):
        table = {key: value for key, value in table.items() if key not in inner}
    return _table_layers(document, (section,), fields_of(SECTIONS[section]), table, environ, said)


def _with_library_name(library: LibrarySettings, oai: OaiSettings) -> OaiSettings:
    """Return the settings of the repository, with those of the library as defaults."""
    contact = library.contact if is_mail(library.contact) else None
    published = {
        "friends": tuple(map(_without_userinfo, oai.friends)),
        "branding_icon": oai.branding_icon and _without_userinfo(oai.branding_icon),
        "branding_link": oai.branding_link and _without_userinfo(oai.branding_link),
    }
    return replace(
        oai, name=oai.name or library.name, admin_email=oai.admin_email or contact, **cast("Any", published)
    )


def _without_userinfo(url: str) -> str:
    """Return an address for Identify, which is public, without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _notify(
    document: Document, library: LibrarySettings, layers: Sequence[Layer], origins: dict[str, str]
) -> NotifySettings:
    """Return the settings of notifications, with the library's defaults for the sender of mail."""
    notify = _resolve_paths(_build_settings(NotifySettings, "notify", layers, origins), document.path.parent)
    contact = library.contact if is_mail(library.contact) else None
    notify = replace(notify, mail_from=notify.mail_from or contact)
    validation.check_notify(notify, document)
    return notify


def _with_collections(document: Document) -> Document:
    """Return the document with its [collection.NAME] tables moved to [collections.NAME]."""
    values = dict(document.values)
    singular, plural = values.get(COLLECTION), values.get(COLLECTIONS, {})
    if not isinstance(singular, Mapping) or not isinstance(plural, Mapping):
        return document
    for name in singular:
        if name in plural:
            message = f"the collection {shorten(name)} is there twice: as [{COLLECTION}.{name}] as well"
            raise document.problem((COLLECTION, name), f"{message}.")
    del values[COLLECTION]
    return replace(document, values=values | {COLLECTIONS: {**plural, **singular}})


def _source_tables(document: Document) -> Mapping[str, object]:
    """Return the table of each source by its name, after refusing unknown tables of the file."""
    known = (*SECTIONS, SOURCES, COLLECTIONS, JOBS, TABLES)
    for key in document.values:
        if key not in known:
            message = f"there is no section {shorten(key)}.{suggest(key, known)}"
            raise document.problem((key,), message, hint=f"There are: {', '.join(known)}.")
    tables = document.values.get(SOURCES, {})
    if not isinstance(tables, Mapping):
        raise document.problem((SOURCES,), "sources must be tables, each written as [sources.NAME].")
    for name in tables:
        validation.check_name(name, document)
    return tables


def _table_layers(
    document: Document,
    keys: tuple[str, ...],
    fields: Mapping[str, Field],
    table: object,
    environ: Mapping[str, str],
    said: Mapping[str, Layer],
) -> list[Layer]:
    """Return the layers of one table from flags, environment and file, closest first."""
    in_file = read_table(document, keys, fields, table)
    return [said.get(".".join(keys), {}), read_environment(keys, fields, environ), in_file]


def _merge_layers(own: Sequence[Layer], shared: Sequence[Layer]) -> list[Layer]:
    """Return the layers of one source, closest first, with the layers for all sources in their places."""
    flags, environment, in_file = ({key: layer[key] for key in layer if key in INHERITED} for layer in shared)
    return [own[0], flags, own[1], own[2], environment, in_file]


def _build_settings(
    kind: type[S], prefix: str, layers: Sequence[Layer], origins: dict[str, str], /, **fixed: object
) -> S:
    """Fill a class of settings from its layers, and record the origins."""
    values: dict[str, object] = dict(fixed)
    fields = fields_of(kind)
    for key, field in fields.items():
        rivals = [other for other in fields if fields[other].group == field.group] if field.group else [key]
        given = _closest_value(key, rivals, layers)
        origins[f"{prefix}.{key}"] = given.origin if given else DEFAULT
        if given and field.attribute not in fixed:
            values[field.attribute] = given.value
    return cast("Any", kind)(**values)  # type: ignore[no-any-return]


def _resolve_paths(settings: S, folder: Path) -> S:
    """Return settings with paths relative to the library folder, not to the working folder."""
    fields = (field for field in fields_of(type(settings)).values() if field.kind is PATH)
    given = {field.attribute: getattr(settings, field.attribute) for field in fields}
    paths = {key: str(folder / path) for key, path in given.items() if path}
    return cast("S", replace(cast("Any", settings), **paths))


def _closest_value(key: str, rivals: Sequence[str], layers: Sequence[Layer]) -> LayerValue | None:
    """Return the value of the closest layer that sets the setting, or another of its group."""
    for layer in layers:
        if any(rival in layer for rival in rivals):
            return layer.get(key)
    return None


def _kind_of(
    name: str, table: object, environ: Mapping[str, str], flags: Mapping[str, object], document: Document
) -> KindDescription[Any]:
    """Return the kind of a source, which determines its options."""
    in_file = table.get("kind") if isinstance(table, Mapping) else None
    in_environment = environ.get(variable(SOURCES, name, "kind")) or None
    given = flags.get(f"{SOURCES}.{name}.kind") or in_environment or in_file or OAI
    try:
        return source_kinds.find_kind(KIND.read(given))
    except SettingError as exc:
        raise document.problem((SOURCES, name, "kind"), f"{SOURCES}.{name}.kind {exc}.") from None


def _refuse_unknown(
    document: Document, name: str, kind: KindDescription[Any], table: Mapping[str, object]
) -> None:
    """Refuse an option that only plug-in kinds have; unknown options are refused by `read_table`."""
    fields = source_kinds.readable_fields(kind)
    for key in table:
        if key not in fields and source_kinds.kinds_with(key):
            words = source_kinds.unknown_option(kind, name, key)
            raise document.problem((SOURCES, name, key), f"{SOURCES}.{name}.{key} {words}.")


def _build_source(
    document: Document,
    name: str,
    kind: KindDescription[Any],
    own: Sequence[Layer],
    layers: Sequence[Layer],
    origins: dict[str, str],
) -> SourceSettings:
    given = {key: layer[key].value for layer in reversed(own) for key in layer}
    for key in sorted(given.keys() - kind.fields.keys()):
        words = source_kinds.unknown_option(kind, name, key)
        raise document.problem((SOURCES, name, key), f"{SOURCES}.{name}.{key} {words}.")
    fixed = {"name": name, "kind": kind.name}
    if "url" not in given:
        url = kind.default_url(name, given)
        if url is None:
            raise document.problem((SOURCES, name), f'the source {name} has no url; add url = "https://…".')
        fixed["url"] = url
    source: SourceSettings = _build_settings(kind.settings, f"{SOURCES}.{name}", layers, origins, **fixed)
    if kind.is_repository:
        source = _split_source_secrets(source, own, origins)
    source = _resolve_paths(source, document.path.parent)
    if kind.uses_http:
        validation.check_source(source, document)
    return source_kinds.settle_kind(source, frozenset(given), document)


def _split_source_secrets(
    source: SourceSettings, own: Sequence[Layer], origins: dict[str, str]
) -> SourceSettings:
    """Return the source with the secrets of its address moved to their settings: `url` is public.

    Credentials in the address take precedence over those in the settings, being more specific. A source's
    own password applies to a user name in the address; the password for the whole library does not.
    """
    found = split_url(source.url, source.public_query)
    given: dict[str, str | None] = {"url": hide_in_path(found.url, source.secret_path)}
    if found.query:
        given["secret_query"] = "&".join(filter(None, (found.query, source.secret_query)))
    if found.username is not None:
        given["username"] = found.username
        passwords = [key for key, field in fields_of(HttpSettings).items() if field.group == PASSWORD]
        if found.password is not None or not any(key in layer for layer in own for key in passwords):
            given |= {**dict.fromkeys(passwords), "password": found.password}
    for key in given:
        origins[f"{SOURCES}.{source.name}.{key}"] = origins[f"{SOURCES}.{source.name}.url"]
    return replace(source, **cast("Any", given))


def _read_flags(
    flags: Mapping[str, object],
    tables: Mapping[str, object],
    environ: Mapping[str, str],
    document: Document,
) -> dict[str, dict[str, LayerValue]]:
    """Return the given flags, by section and key."""
    said: dict[str, dict[str, LayerValue]] = {}
    for dotted, value in flags.items():
        section, _, key = dotted.rpartition(".")
        first, _, name = section.partition(".")
        if first == SOURCES and name in tables:
            fields = source_kinds.readable_fields(_kind_of(name, tables[name], environ, flags, document))
        else:
            fields = _fields_at(section, tables)
        if key not in fields:
            raise ConfigError(f"There is no setting {shorten(dotted)}.{suggest(key, fields)}")
        if value is not None:
            said.setdefault(section, {})[key] = read_flag(fields[key], value)
    return said


def _fields_at(section: str, tables: Mapping[str, object]) -> Mapping[str, Field]:
    if section in SECTIONS:
        return fields_of(SECTIONS[section])
    known = [*SECTIONS, *(f"{SOURCES}.{source}" for source in tables)]
    raise ConfigError(f"There is no section {shorten(section)}.{suggest(section, known)}")


def _default_name(path: Path) -> str:
    """Return the folder's name; file systems allow characters that must not be printed."""
    return "".join(letter if is_clean(letter) else "�" for letter in path.parent.resolve().name)


# The library's folder, which every command needs first.

LIBRARY_VARIABLE = "WINDROW_LIBRARY"


def find_library(explicit: str | None, environ: Mapping[str, str], cwd: Path) -> Path:
    """Return the library's folder: as named, else WINDROW_LIBRARY, else the working folder or one above."""
    if explicit is not None:
        return _named_folder(explicit, "--library", cwd)
    if environ.get(LIBRARY_VARIABLE):
        return _named_folder(environ[LIBRARY_VARIABLE], LIBRARY_VARIABLE, cwd)
    for folder in (cwd, *cwd.parents):
        if _is_library(folder):
            return folder
    raise LibraryMissing(f"There is no {FILE_NAME} in {cwd} or any folder above it.")


def _named_folder(folder: str, who: str, cwd: Path) -> Path:
    path = cwd / folder
    if not _is_library(path):
        raise LibraryMissing(f"{who} says {folder!r}, but there is no {FILE_NAME} in {path}.")
    return path


def _is_library(folder: Path) -> bool:
    # Unlike Path.is_file, this returns False without permission or for an impossible name.
    return os.path.isfile(folder / FILE_NAME)
