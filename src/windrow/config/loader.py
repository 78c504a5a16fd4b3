"""From a library folder to a Config: file, environment and flags laid over one another.

Flags beat the environment, which beats the file, which beats the defaults. A source's own settings
beat those for all sources, except that a flag for all beats everything: it was said just now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit, urlunsplit

from windrow.config import checks, grouping, source_kinds
from windrow.config.addresses import hide_in_path, split_url
from windrow.config.crawlers import CrawlerSettings
from windrow.config.document import Document, read_document
from windrow.config.documents import DocumentSettings
from windrow.config.fields import Field, Settings, fields_of
from windrow.config.hosts import is_mail
from windrow.config.jobs import ScheduleSettings
from windrow.config.kinds import PATH, SettingError, is_clean
from windrow.config.layers import (
    Given,
    Layer,
    read_environment,
    read_flag,
    read_table,
    shorten,
    suggest,
    variable,
)
from windrow.config.notify import NotifySettings
from windrow.config.portal import PortalSettings
from windrow.config.schema import (
    COLLECTION,
    COLLECTIONS,
    FILE_NAME,
    INHERITED,
    INNER,
    JOBS,
    KIND,
    OAI,
    PASSWORD,
    SECTIONS,
    SOURCES,
    TABLES,
    Config,
    HarvestSettings,
    HttpSettings,
    LibrarySettings,
    SourceSettings,
)
from windrow.config.serving import OaiSettings, ServeSettings, SruSettings
from windrow.config.source_kinds import KindDescription
from windrow.config.z3950 import Z3950Settings
from windrow.errors import ConfigError

S = TypeVar("S", bound=Settings)
DEFAULT = "default"
_NOTHING: Mapping[str, object] = MappingProxyType({})


def load(library: Path, *, environ: Mapping[str, str], flags: Mapping[str, object] = _NOTHING) -> Config:
    """Give the settings of the library in a folder.

    Flags go by dotted key (`harvest.timeout`, `sources.NAME.from`), as text or as the file would have
    them; None means that the flag was not given.
    """
    return settle(read_document(library / FILE_NAME), environ=environ, flags=flags)


def settle(
    document: Document, *, environ: Mapping[str, str], flags: Mapping[str, object] = _NOTHING
) -> Config:
    """Give the settings that a document, the environment and the flags make together."""
    document = _with_collections(document)
    tables = _source_tables(document)
    groups = grouping.collection_tables(document, tables)
    checks.check_environment(environ, {SOURCES: tables, COLLECTIONS: groups})
    said = _read_flags(flags, tables, environ, document)
    origins: dict[str, str] = {}
    layers = {section: _section_layers(document, section, environ, said) for section in SECTIONS}
    library = _build(LibrarySettings, "library", layers["library"], origins)
    library = replace(library, name=library.name or _default_name(document.path))
    harvest = _anchor(_build(HarvestSettings, "harvest", layers["harvest"], origins), document.path.parent)
    checks.check_harvest(harvest, document)
    serve = _build(ServeSettings, "serve", layers["serve"], origins)
    checks.check_serve(serve, document)
    sources = {}
    for name, table in tables.items():
        keys, kind = (SOURCES, name), _kind_of(name, table, environ, flags, document)
        if isinstance(table, Mapping):
            _refuse_unknown(document, name, kind, table)
        own = _table_layers(document, keys, source_kinds.readable_fields(kind), table, environ, said)
        sources[name] = _build_source(document, name, kind, own, _weave(own, layers["harvest"]), origins)
    return Config(
        path=document.path.parent,
        library=library,
        harvest=harvest,
        serve=serve,
        oai=_named_after(library, _build(OaiSettings, "oai", layers["oai"], origins)),
        sru=_build(SruSettings, "sru", layers["sru"], origins),
        portal=_build(PortalSettings, "portal", layers["portal"], origins),
        crawlers=_build(CrawlerSettings, "crawlers", layers["crawlers"], origins),
        schedule=_build(ScheduleSettings, "schedule", layers["schedule"], origins),
        notify=_notify(document, library, layers["notify"], origins),
        documents=_build(DocumentSettings, "documents", layers["documents"], origins),
        z3950=_anchor(_build(Z3950Settings, "z3950", layers["z3950"], origins), document.path.parent),
        sources=MappingProxyType(sources),
        collections=MappingProxyType(grouping.collections(document, groups, tables, environ, origins)),
        jobs=MappingProxyType(grouping.jobs(document, origins)),
        tables=MappingProxyType(grouping.own_tables(document, origins)),
        oai_sets=MappingProxyType(grouping.virtual_sets(document, origins)),
        good_crawlers=MappingProxyType(grouping.good_crawlers(document, origins)),
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


def _named_after(library: LibrarySettings, oai: OaiSettings) -> OaiSettings:
    """Give the settings of the repository, with what the library says where they say nothing."""
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
    """Return an address that Identify publishes: what is before the @ is for nobody else."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _notify(
    document: Document, library: LibrarySettings, layers: Sequence[Layer], origins: dict[str, str]
) -> NotifySettings:
    """Give who is told, and from whom mail is where they do not say."""
    notify = _anchor(_build(NotifySettings, "notify", layers, origins), document.path.parent)
    contact = library.contact if is_mail(library.contact) else None
    notify = replace(notify, mail_from=notify.mail_from or contact)
    checks.check_notify(notify, document)
    return notify


def _with_collections(document: Document) -> Document:
    """Return the document with what it has as [collection.NAME] among its [collections.NAME]."""
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
    """Give the table of each source by its name, once nothing else in the file is unknown."""
    known = (*SECTIONS, SOURCES, COLLECTIONS, JOBS, TABLES)
    for key in document.values:
        if key not in known:
            message = f"there is no section {shorten(key)}.{suggest(key, known)}"
            raise document.problem((key,), message, hint=f"There are: {', '.join(known)}.")
    tables = document.values.get(SOURCES, {})
    if not isinstance(tables, Mapping):
        raise document.problem((SOURCES,), "sources must be tables, each written as [sources.NAME].")
    for name in tables:
        checks.check_name(name, document)
    return tables


def _table_layers(
    document: Document,
    keys: tuple[str, ...],
    fields: Mapping[str, Field],
    table: object,
    environ: Mapping[str, str],
    said: Mapping[str, Layer],
) -> list[Layer]:
    """Give what flags, environment and file say of one table, closest first."""
    in_file = read_table(document, keys, fields, table)
    return [said.get(".".join(keys), {}), read_environment(keys, fields, environ), in_file]


def _weave(own: Sequence[Layer], shared: Sequence[Layer]) -> list[Layer]:
    """Give the layers of one source, closest first, with those for all sources where they belong."""
    flags, environment, in_file = ({key: layer[key] for key in layer if key in INHERITED} for layer in shared)
    return [own[0], flags, own[1], own[2], environment, in_file]


def _build(
    kind: type[S], prefix: str, layers: Sequence[Layer], origins: dict[str, str], /, **fixed: object
) -> S:
    """Fill a class of settings from its layers, and note who set what."""
    values: dict[str, object] = dict(fixed)
    fields = fields_of(kind)
    for key, field in fields.items():
        rivals = [other for other in fields if fields[other].group == field.group] if field.group else [key]
        given = _closest(key, rivals, layers)
        origins[f"{prefix}.{key}"] = given.origin if given else DEFAULT
        if given and field.attribute not in fixed:
            values[field.attribute] = given.value
    return cast("Any", kind)(**values)  # type: ignore[no-any-return]


def _anchor(settings: S, folder: Path) -> S:
    """Give settings whose paths go from the library folder on, whatever the folder at hand is."""
    fields = (field for field in fields_of(type(settings)).values() if field.kind is PATH)
    given = {field.attribute: getattr(settings, field.attribute) for field in fields}
    paths = {key: str(folder / path) for key, path in given.items() if path}
    return cast("S", replace(cast("Any", settings), **paths))


def _closest(key: str, rivals: Sequence[str], layers: Sequence[Layer]) -> Given | None:
    """Give what the closest layer says that speaks of the setting, or of another in its group."""
    for layer in layers:
        if any(rival in layer for rival in rivals):
            return layer.get(key)
    return None


def _kind_of(
    name: str, table: object, environ: Mapping[str, str], flags: Mapping[str, object], document: Document
) -> KindDescription[Any]:
    """Return the kind of a source, of which it depends what else can be said of it."""
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
    """Refuse an option that only a kind of a plug-in has; for one that nothing has, `read_table` does."""
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
    source: SourceSettings = _build(kind.settings, f"{SOURCES}.{name}", layers, origins, **fixed)
    if kind.is_repository:
        source = _part_from_secrets(source, own, origins)
    source = _anchor(source, document.path.parent)
    if kind.uses_http:
        checks.check_source(source, document)
    return source_kinds.settle_kind(source, frozenset(given), document)


def _part_from_secrets(
    source: SourceSettings, own: Sequence[Layer], origins: dict[str, str]
) -> SourceSettings:
    """Return the source with the secrets of its address in the settings for them: `url` is public.

    Credentials in the address, being nearer, come before those of the settings. A password of the source's
    own belongs to a user name in the address; one for the whole library does not.
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
) -> dict[str, dict[str, Given]]:
    """Return the flags that were used, by section and key."""
    said: dict[str, dict[str, Given]] = {}
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
    """Give the folder's name; a file system allows characters that nothing should print."""
    return "".join(letter if is_clean(letter) else "�" for letter in path.parent.resolve().name)
