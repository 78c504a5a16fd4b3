"""Rules between settings, and for the names of sources; `loader` checks them last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from windrow.config.fields import PREFIX, fields_of, shorten, suggest, variable
from windrow.config.job_settings import NotifySettings
from windrow.config.schema import (
    NAMED,
    PASSWORD,
    RESERVED,
    SECTIONS,
    SOURCE_NAME,
    SOURCES,
    HarvestSettings,
    HttpSettings,
    SourceSettings,
)
from windrow.config.serve_settings import ServeSettings
from windrow.config.source_kinds import every_field
from windrow.config.toml_document import Document
from windrow.errors import ConfigError

NAME_RULE = "begins with a letter or digit and has only a-z, 0-9, dot, dash and underscore, at most 64 in all"
# The paths that `windrow serve` answers at its root.
OUR_PATHS = frozenset(
    {
        "oai",
        "static",
        "health",
        "robots.txt",
        "search",
        "record",
        "form",
        "browse",
        "collection",
        "statistics",
        "status",
    }
    | {"about", "api", "suggest", "language", "look", "opensearch.xml"}
)


def name_problem(name: str, what: str = "source") -> str | None:
    """Return what is wrong with the name of a source or another named table; None if it is valid."""
    if not SOURCE_NAME.fullmatch(name):
        return f"{shorten(name)} cannot be the name of a {what}: a name {NAME_RULE}."
    if name in RESERVED:
        return f"{name} cannot be the name of a {what}: it is one of {', '.join(sorted(RESERVED))}."
    return None


def check_name(name: str, document: Document) -> None:
    problem = name_problem(name)
    if problem:
        raise document.problem((SOURCES, name), problem)


def check_harvest(harvest: HarvestSettings, document: Document) -> None:
    """Refuse library-wide settings that contradict one another."""
    for key, problem in _rival_passwords(harvest):
        raise document.problem(("harvest", key), f"harvest.{key} {problem}.")


def check_source(source: SourceSettings, document: Document) -> None:
    """Refuse settings of a source that contradict one another."""
    for key, problem in (*_rival_passwords(source), *_lonely_password(source)):
        raise document.problem((SOURCES, source.name, key), f"{SOURCES}.{source.name}.{key} {problem}.")


def _rival_passwords(settings: HttpSettings) -> Iterable[tuple[str, str]]:
    given = _passwords(settings)
    if len(given) > 1:
        yield given[1], f"must not be given together with {given[0]}: one of them is enough"


def _lonely_password(source: SourceSettings) -> Iterable[tuple[str, str]]:
    given = _passwords(source)
    if given and source.username is None:  # "": the address has a password only
        yield given[0], "needs a username as well"


def _passwords(settings: HttpSettings) -> list[str]:
    group = (field for field in fields_of(HttpSettings).values() if field.group == PASSWORD)
    return [field.key for field in group if getattr(settings, field.attribute)]


def check_serve(serve: ServeSettings, document: Document) -> None:
    """Refuse a public address to which no path can be added."""
    if not serve.url:
        return
    parts = urlsplit(serve.url)
    problem = ""
    if parts.query or parts.username is not None:
        problem = "must be an address without ? and without a user name"
    elif parts.path.strip("/").partition("/")[0] in OUR_PATHS:
        problem = "must be the address of the server; the paths of its pages, such as /oai, are added to it"
    if problem:
        raise document.problem(("serve", "url"), f"serve.url {problem}.")


def check_notify(notify: NotifySettings, document: Document) -> None:
    """Refuse notification channels that contradict themselves, or that could never deliver."""
    for key, problem in _wrong_ways(notify):
        raise document.problem(("notify", key), f"notify.{key} {problem}.")


def _wrong_ways(notify: NotifySettings) -> Iterable[tuple[str, str]]:
    fields = fields_of(NotifySettings).values()
    for group in {field.group: None for field in fields if field.group}:
        given = [each.key for each in fields if each.group == group and getattr(notify, each.attribute)]
        if len(given) > 1:
            yield given[1], f"must not be given together with {given[0]}: one of them is enough"
        if given and group == PASSWORD and not notify.username:
            yield given[0], "needs a username as well"
    if notify.mail_to and not notify.smtp_host:
        yield "mail_to", "needs smtp_host as well: the mail server that takes the mail"
    if notify.smtp_host and not notify.mail_to:
        yield "smtp_host", "needs mail_to as well: who gets mail"
    if notify.mail_to and not notify.mail_from:
        yield "mail_to", "needs mail_from as well, or a mail address as the library's contact"


def check_environment(environ: Mapping[str, str], names: Mapping[str, Iterable[str]]) -> None:
    """Refuse variables without meaning, and those with two meanings at once.

    `names` has the names in the file by their section: sources, collections.
    """
    present = [name for name in environ if name.startswith(f"{PREFIX}_") and environ[name]]
    for section, kind in SECTIONS.items():
        known = [variable(section, key) for key in fields_of(kind)]
        for name in present:
            if name.startswith(variable(section, "")) and name not in known:
                raise _means_nothing(name, known)
    for section, listed in names.items():
        owners: dict[str, str] = {}
        for name in listed:
            _check_named_variables(present, section, name, owners)


def _check_named_variables(present: Iterable[str], section: str, owner: str, owners: dict[str, str]) -> None:
    """Refuse a misspelt setting of a source, and a variable that another source already uses.

    A variable that ends like a setting may belong to a source of another library: it is ignored.
    """
    prefix = variable(section, owner, "")
    present = [name for name in present if name.startswith(prefix)]
    if not present:
        return
    fields = every_field() if section == SOURCES else fields_of(NAMED[section])
    known = [variable(section, owner, key) for key in fields]
    endings = tuple(f"_{key.upper()}" for key in fields)
    for name in present:
        if name in known and owners.setdefault(name, owner) != owner:
            message = f"{name} could mean {owners[name]} or {owner}: their names differ only in . - and _."
            raise ConfigError(message, hint="Rename one of the two.")
        if name not in known and not name[len(prefix) :].endswith(endings):
            raise _means_nothing(name, known)


def _means_nothing(name: str, known: Iterable[str]) -> ConfigError:
    return ConfigError(f"{shorten(name)} in the environment sets nothing.{suggest(name, known)}")
