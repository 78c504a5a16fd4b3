"""The rules that hold between settings, and for the names of sources; `load` asks them last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from windrow.config.document import Document
from windrow.config.fields import fields_of
from windrow.config.layers import PREFIX, shorten, suggest, variable
from windrow.config.schema import (
    PASSWORD,
    RESERVED,
    SECTIONS,
    SOURCE_NAME,
    SOURCES,
    HarvestSettings,
    HttpSettings,
    SourceSettings,
)
from windrow.errors import ConfigError

NAME_RULE = "begins with a letter or digit and has only a-z, 0-9, dot, dash and underscore, at most 64 in all"


def name_problem(name: str) -> str | None:
    """Say what is wrong with a source's name; None when nothing is."""
    if not SOURCE_NAME.fullmatch(name):
        return f"{shorten(name)} cannot be the name of a source: a name {NAME_RULE}."
    if name in RESERVED:
        return f"{name} cannot be the name of a source: it is one of {', '.join(sorted(RESERVED))}."
    return None


def check_name(name: str, document: Document) -> None:
    """Refuse a name that no source can have."""
    problem = name_problem(name)
    if problem:
        raise document.problem((SOURCES, name), problem)


def check_harvest(harvest: HarvestSettings, document: Document) -> None:
    """Refuse library-wide settings that contradict one another."""
    for key, problem in _rival_passwords(harvest):
        raise document.problem(("harvest", key), f"harvest.{key} {problem}.")


def check_source(source: SourceSettings, document: Document) -> None:
    """Refuse settings of a source that contradict one another."""
    for key, problem in (*_rival_passwords(source), *_lonely_password(source), *_wrong_bounds(source)):
        raise document.problem((SOURCES, source.name, key), f"{SOURCES}.{source.name}.{key} {problem}.")


def _wrong_bounds(source: SourceSettings) -> Iterable[tuple[str, str]]:
    begin, end = source.from_, source.until
    if begin and end and len(begin) != len(end):
        yield "until", "must be as fine as from: both dates, or both times"
    elif begin and end and begin > end:
        yield "until", "must not lie before from"


def _rival_passwords(settings: HttpSettings) -> Iterable[tuple[str, str]]:
    given = _passwords(settings)
    if len(given) > 1:
        yield given[1], f"must not be given together with {given[0]}: one of them is enough"


def _lonely_password(source: SourceSettings) -> Iterable[tuple[str, str]]:
    given = _passwords(source)
    if given and not source.username:
        yield given[0], "needs a username as well"


def _passwords(settings: HttpSettings) -> list[str]:
    group = (field for field in fields_of(HttpSettings).values() if field.group == PASSWORD)
    return [field.key for field in group if getattr(settings, field.attribute)]


def check_environment(environ: Mapping[str, str], names: Iterable[str]) -> None:
    """Refuse variables that mean nothing, and those that would mean two sources at once."""
    present = [name for name in environ if name.startswith(f"{PREFIX}_") and environ[name]]
    for section, kind in SECTIONS.items():
        known = [variable(section, key) for key in fields_of(kind)]
        for name in present:
            if name.startswith(variable(section, "")) and name not in known:
                raise _means_nothing(name, known)
    owners: dict[str, str] = {}
    for name in names:
        _check_source_variables(present, name, owners)


def _check_source_variables(present: Iterable[str], source: str, owners: dict[str, str]) -> None:
    """Refuse a misspelt setting of a source, and one that another source has claimed already.

    A variable that ends like a setting may belong to a source of another library: that one is let be.
    """
    prefix = variable(SOURCES, source, "")
    present = [name for name in present if name.startswith(prefix)]
    if not present:
        return
    known = [variable(SOURCES, source, key) for key in fields_of(SourceSettings)]
    endings = tuple(f"_{key.upper()}" for key in fields_of(SourceSettings))
    for name in present:
        if name in known and owners.setdefault(name, source) != source:
            message = f"{name} could mean {owners[name]} or {source}: their names differ only in . - and _."
            raise ConfigError(message, hint="Rename one of the two.")
        if name not in known and not name[len(prefix) :].endswith(endings):
            raise _means_nothing(name, known)


def _means_nothing(name: str, known: Iterable[str]) -> ConfigError:
    return ConfigError(f"{shorten(name)} in the environment sets nothing.{suggest(name, known)}")
