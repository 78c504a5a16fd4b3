"""The settings for people: the reference page, the sample file, help texts, and the rows of `config show`.

Everything is made from the descriptions in `schema`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from windrow.config.fields import Field, Settings, fields_of, variable
from windrow.config.job_settings import JobSettings
from windrow.config.kinds import SettingError, literal
from windrow.config.network_values import MASK
from windrow.config.schema import (
    COLLECTIONS,
    FILE_NAME,
    GOOD_CRAWLERS,
    INHERITED,
    JOBS,
    NAMED,
    OAI_SETS,
    SECTIONS,
    SOURCES,
    TABLES,
    Config,
    HttpSettings,
    LibrarySettings,
    SourceSettings,
    TableSettings,
)
from windrow.config.serve_settings import CollectionSettings, GoodCrawlerSettings, SetSettings
from windrow.config.source_kinds import REPOSITORY, all_kinds, find_field, kind_of
from windrow.errors import ConfigError

EXAMPLE_URL = "https://repository.example.org/oai"

_PREFACE = """\
# Configuration

A library is a folder with a `windrow.toml` in it. Every setting of that file is listed here with its
default; a file that sets none of them is complete.

The same settings can come from the environment and from flags. A flag beats the environment, the
environment beats the file, the file beats the default. What a source sets for itself beats what
`[harvest]` sets for all, wherever either was said; only a flag for all sources beats both.
`windrow config show` lists what holds, and who set it.

Durations are a number and a unit: `"250ms"`, `"30s"`, `"5m"`, `"12h"`, `"7d"`. Sizes are `"256 MB"`
(thousands) or `"256 MiB"` (1024s). In the environment, lists are written with commas, and headers
one to a line as `Name: value`. A variable set to nothing counts as not set. An empty text in the file
clears an optional setting that would otherwise come from `[harvest]`.

A source's name is part of its variables: in capitals, with `_` for each dot and dash.
"""

_COLLECTIONS = """\
## `[collections.NAME]`

One section for each group of sources that is to answer at addresses of its own: `/collection/NAME` for
people, `/oai/NAME` for harvesters. The name follows the same rule as a source's, and no source has it.
"""

_SETS = """\
## `[oai.sets.SPEC]`

One section for each set that a query defines. SPEC is its setSpec; where it has a colon it stands in
quotes, as in `[oai.sets."type:thesis"]`.
"""

_GOOD_CRAWLERS = """\
## `[crawlers.good.NAME]`

One section for each crawler that may ask for more than others. Its budget is its own, for all its addresses
together; neither that of a client nor that of a network holds for it. The name is yours to choose, by the
same rule as a source's.
"""

_JOBS = """\
## `[jobs.NAME]`

One section for each thing that is done [at certain times](../howto/keep-it-current.md);
`windrow schedule add` writes it. The name follows the same rule as a source's.
"""

_TABLES = """\
## `[tables.NAME]`

One section for each table of your own that statistics are [joined with](../howto/join-your-own-numbers.md).
The name follows the same rule as a source's.
"""

_SECRETS = """\
## Secrets

Passwords need not stand in the file. Give `WINDROW_SOURCES_NAME_PASSWORD` in the environment, or name
a file (`password_file`) or a variable (`password_env`) that holds the password. Of the three the
closest one given counts. Passwords, user names, secret parameters and the values of all but the
most harmless headers are shown as `********` everywhere. The address of a source is public: what is before
the @ counts as `username` and `password`, and each parameter that `public_query` does not name as part of
`secret_query`.
"""

_TITLES = {
    "library": "What the library says about itself.",
    "harvest": "What holds for every source that does not say otherwise.",
    "serve": "Where `windrow serve` listens, and what the world calls it.",
    "oai": "How the library answers as an OAI-PMH repository.",
    "sru": "How the library answers SRU, which library systems search it with.",
    "portal": "How the library looks to people.",
    "crawlers": "How much of the pages one client may ask for, and what crawlers are told and counted by.",
    "schedule": "How jobs are run.",
    "notify": "Who is told how jobs went: by mail, by webhook, by a command. Each way that is set is used.",
    "documents": "How documents in folders are read: what one file may cost, and how many at once.",
    "z3950": "Where clients of Z39.50 are answered, who they may be, and what one of them may use.",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of `config show`: a setting, its value, its origin and its help. Secrets are masked."""

    key: str
    value: str
    origin: str
    help: str


def holds_secret(config: Config) -> bool:
    return any(MASK in row.value and row.origin == FILE_NAME for row in rows(config))


def rows(config: Config) -> list[Row]:
    """List every setting of a library with its value and origin; for a source those of its kind."""
    groups: dict[str, Settings] = {section: getattr(config, section) for section in SECTIONS}
    groups |= {f"{SOURCES}.{name}": source for name, source in config.sources.items()}
    groups |= {f"{COLLECTIONS}.{name}": group for name, group in config.collections.items()}
    groups |= {".".join((*OAI_SETS, spec)): virtual for spec, virtual in config.oai_sets.items()}
    groups |= {".".join((*GOOD_CRAWLERS, name)): good for name, good in config.good_crawlers.items()}
    groups |= {f"{JOBS}.{name}": job for name, job in config.jobs.items()}
    groups |= {f"{TABLES}.{name}": table for name, table in config.tables.items()}
    listed = []
    for prefix, settings in groups.items():
        fields = (
            kind_of(settings).fields if isinstance(settings, SourceSettings) else fields_of(type(settings))
        )
        for key, described in fields.items():
            dotted = f"{prefix}.{key}"
            value = described.show(getattr(settings, described.attribute))
            listed.append(Row(dotted, value, config.origins[dotted], described.help))
    return listed


def help_text(key: str) -> str:
    """Return the help of the flag for a dotted key: what it does, its default."""
    section, _, rest = key.partition(".")
    name = rest.rpartition(".")[2]
    if section == SOURCES:
        return option_help(find_field(name))
    return option_help(fields_of(NAMED.get(section) or SECTIONS[section])[name])


def option_help(described: Field) -> str:
    """Return the help of the flag for a setting: what it does, its default."""
    return f"{described.help} [default: {_plain_default(described)}]"


def reference() -> str:
    parts = [_PREFACE]
    for section, kind in SECTIONS.items():
        parts.append(f"## `[{section}]`\n\n{_TITLES[section]}\n\n{_table(section, fields_of(kind))}")
    parts.append(_source_section())
    parts.append(f"{_COLLECTIONS}\n{_table('collections.NAME', fields_of(CollectionSettings))}")
    parts.append(f"{_SETS}\n{_table('oai.sets.SPEC', fields_of(SetSettings), has_variables=False)}")
    good = _table("crawlers.good.NAME", fields_of(GoodCrawlerSettings), has_variables=False)
    parts.append(f"{_GOOD_CRAWLERS}\n{good}")
    parts.append(f"{_JOBS}\n{_table('jobs.NAME', fields_of(JobSettings), has_variables=False)}")
    parts.append(f"{_TABLES}\n{_table('tables.NAME', fields_of(TableSettings), has_variables=False)}")
    parts.append(_SECRETS)
    return "\n".join(parts)


def _source_section() -> str:
    fields = fields_of(SourceSettings)
    shared = ", ".join(f"`{key}`" for key in fields_of(HttpSettings))
    text = (
        "One section for each source. The name is yours to choose: letters a-z, digits, dots, dashes and "
        "underscores, at most 64. What a source may set depends on its `kind`.\n"
    )
    own = {key: fields[key] for key in fields if key not in INHERITED}
    parts = [f"## `[sources.NAME]`\n\n{text}\n{_table('sources.NAME', own)}"]
    for kind in all_kinds().values():
        title = f'### `[sources.NAME]` of {kind.plural} (`kind = "{kind.name}"`)'
        parts.append(f"{title}\n\n{_table('sources.NAME', kind.own_fields)}")
        if kind.uses_http:
            parts.append(f"Each may also set, for itself, these from `[harvest]`: {shared}.\n")
    return "\n".join(parts)


def _table(section: str, fields: Mapping[str, Field], *, has_variables: bool = True) -> str:
    lines = ["| Setting | Default | Value | Environment | What it does |", "|---|---|---|---|---|"]
    for key, described in fields.items():
        kind = described.kind
        value = f"{kind.label} ({kind.unit})" if kind.unit else kind.label
        name = f"`{variable(*section.split('.'), key)}`" if has_variables else "none"
        lines.append(f"| `{key}` | {_cell_default(described)} | {value} | {name} | {described.help} |")
    return "\n".join(lines) + "\n"


def _cell_default(described: Field) -> str:
    return described.absent or f"`{described.default}`"


def _plain_default(described: Field) -> str:
    return described.absent or described.kind.show(described.kind.read(described.written)) or "none"


def sample(name: str) -> str:
    """Return the windrow.toml of a new library: short, with the common settings explained."""
    try:
        fields_of(LibrarySettings)["name"].read(name)
    except SettingError as exc:
        raise ConfigError(f"The name of the library {exc}.") from None
    parts = [
        "# The settings of this library. What is commented out shows its default.",
        "# `windrow config show` lists every setting, what it is and who set it.",
        "",
        "[library]",
        f"name = {literal(name)}",
        *_commented(fields_of(LibrarySettings), leave_out="name"),
        "",
        "# For every source; a source may set each of these for itself.",
        "[harvest]",
        *_commented(fields_of(SECTIONS["harvest"])),
        "",
        "# Sources are added with `windrow source add NAME URL`, or here:",
        "#",
        "# [sources.example]",
        f"# url = {literal(EXAMPLE_URL)}",
        *_commented(REPOSITORY.own_fields),
    ]
    return "\n".join(parts) + "\n"


def _commented(fields: Mapping[str, Field], *, leave_out: str = "") -> Iterator[str]:
    for key, described in fields.items():
        if described.is_sampled and not described.is_required and key != leave_out:
            yield f"# {key} = {described.default}  # {described.help}"
