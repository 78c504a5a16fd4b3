"""The ZeeRex record of a database for explain, made from the configuration and the table of indexes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from windrow.formats.mapping.markup import escape_xml
from windrow.model.query import FIELDS, SORTABLE, FieldKind
from windrow.protocols.cql.cql_conversion import WHOLE_FIELDS
from windrow.protocols.cql.cql_indexes import CONTEXT_SETS, OTHER_SETS, OWN, listed_indexes
from windrow.search.databases import Database
from windrow.search.record_schemas import RecordSchema, describe_schema
from windrow.web.sru.sru_responses import ZEEREX

DEFAULT_RECORDS, MAX_RECORDS, MAX_TERMS, DEFAULT_TERMS = 10, 1000, 200, 20
_PORTS = {"http": 80, "https": 443}
_LISTED = ("title", "identifier", "type", "language")  # fields whose terms other databases list
_NO_SCAN = ("allRecords", "resultSetId")
_RELATIONS = ("=", "==", "exact", "any", "all", "adj", "within", "<", "<=", ">", ">=", "<>")
_RELATION_MODIFIERS = (
    *(
        "stem",
        "relevant",
        "fuzzy",
        "ignoreCase",
        "respectCase",
        "ignoreAccents",
        "masked",
        "unmasked",
        "regexp",
    ),
    *("word", "string", "isoDate", "number", "uri", "partial", "locale"),
)
_BOOLEAN_MODIFIERS = ("unit=word", "unit=event", "distance", "ordered", "unordered")


@dataclass(frozen=True, slots=True)
class SruLimits:
    """The limits of one request."""

    records: int = DEFAULT_RECORDS  # if a request does not state how many
    most_records: int = MAX_RECORDS
    most_terms: int = MAX_TERMS


@dataclass(frozen=True, slots=True)
class ExplainedIndex:
    """One index, for pages and the reference documentation too."""

    set: str
    name: str
    fields: tuple[str, ...]
    is_scanned: bool
    is_sorted: bool
    has_whole_values: bool


def explained_indexes(database: Database | None = None) -> Iterator[ExplainedIndex]:
    """Yield the indexes of a database, without those that could find nothing in it."""
    own = set(database.indexes.values()) if database else set()
    for context_set, name, fields in listed_indexes():
        if own and (context_set.name == OWN or not own.issuperset(fields)):
            continue
        known = [field for field in fields if field in FIELDS]
        yield ExplainedIndex(
            context_set.name,
            name,
            fields,
            is_scanned=name not in _NO_SCAN and (len(known) == 1 or not fields),
            is_sorted=any(field in SORTABLE for field in fields),
            has_whole_values=any(
                field in WHOLE_FIELDS or FIELDS[field].kind is not FieldKind.WORDS for field in known
            ),
        )
    for name, field in (database.indexes if database else {}).items():
        prefix, _, inner = name.partition(".")
        yield ExplainedIndex(
            prefix,
            inner,
            (field,),
            is_scanned=field in _LISTED,
            is_sorted=field == "title",
            has_whole_values=field in _LISTED,
        )


def schemas_in(database: Database) -> list[RecordSchema]:
    """Return the record schemas of a database, the default one first."""
    return [describe_schema(name) for name in database.schemas]


def render_zeerex(
    database: Database, address: str, version: str, limits: SruLimits, *, contact: str = ""
) -> str:
    """Return the record; `address` is the public address of the database."""
    return "".join(
        (
            f'<explain xmlns="{ZEEREX}">',
            _server_info(address, version),
            _database_info(database, contact, address),
            f"<indexInfo>{''.join(_context_sets(database))}{''.join(_index_info(database))}</indexInfo>",
            f"<schemaInfo>{''.join(map(_schema_info, schemas_in(database)))}</schemaInfo>",
            f"<configInfo>{''.join(_config_info(database, limits))}</configInfo>",
            "</explain>",
        )
    )


def _server_info(address: str, version: str) -> str:
    found = urlsplit(address)
    port = found.port or _PORTS.get(found.scheme, 80)
    return (
        f'<serverInfo protocol="SRU" version="{version}" transport="{escape_xml(found.scheme)}"'
        ' method="GET POST">'
        f"<host>{escape_xml(found.hostname or '')}</host><port>{port}</port>"
        f"<database>{escape_xml(found.path.lstrip('/'))}</database></serverInfo>"
    )


def _database_info(database: Database, contact: str, address: str) -> str:
    description = (
        f"<description>{escape_xml(database.description)}</description>" if database.description else ""
    )
    who = f"<contact>{escape_xml(contact)}</contact>" if contact else ""
    link = f'<links><link type="sru">{escape_xml(address)}</link></links>'
    title = f'<title primary="true">{escape_xml(database.title)}</title>'
    return f"<databaseInfo>{title}{description}{who}{link}</databaseInfo>"


def _context_sets(database: Database) -> Iterator[str]:
    known = {each.name for each in CONTEXT_SETS}
    for each in CONTEXT_SETS:
        yield f'<set name="{each.name}" identifier="{each.uris[0]}"><title>{each.title}</title></set>'
    for prefix in dict.fromkeys(name.partition(".")[0] for name in database.indexes):
        if prefix not in known:
            uri = OTHER_SETS.get(prefix, (prefix,))[0]
            yield f'<set name="{escape_xml(prefix)}" identifier="{escape_xml(uri)}"/>'


def _index_info(database: Database) -> Iterator[str]:
    for each in explained_indexes(database):
        facts = {"search": True, "scan": each.is_scanned, "sort": each.is_sorted}
        said = "".join(f' {name}="{str(value).lower()}"' for name, value in facts.items())
        yield (
            f"<index{said}><title>{escape_xml(f'{each.set}.{each.name}')}</title>"
            f'<map><name set="{escape_xml(each.set)}">{escape_xml(each.name)}</name></map></index>'
        )


def _schema_info(schema: RecordSchema) -> str:
    location = f' location="{escape_xml(schema.location)}"' if schema.location else ""
    return (
        f'<schema name="{escape_xml(schema.name)}" identifier="{escape_xml(schema.identifier)}"{location}'
        f' retrieve="true" sort="false"><title>{escape_xml(schema.title)}</title></schema>'
    )


def _config_info(database: Database, limits: SruLimits) -> Iterator[str]:
    schemas: Sequence[str] = database.schemas
    yield f'<default type="numberOfRecords">{limits.records}</default>'
    yield f'<default type="retrieveSchema">{escape_xml(schemas[0])}</default>' if schemas else ""
    yield '<default type="contextSet">windrow</default><default type="relation">=</default>'
    yield f'<setting type="maximumRecords">{limits.most_records}</setting>'
    yield f'<setting type="maximumTerms">{limits.most_terms}</setting>'
    yield '<supports type="proximity"/><supports type="sort"/><supports type="scan"/>'
    yield '<supports type="maskingCharacter">*</supports><supports type="maskingCharacter">?</supports>'
    yield from (f'<supports type="relation">{escape_xml(each)}</supports>' for each in _RELATIONS)
    yield from (f'<supports type="relationModifier">{each}</supports>' for each in _RELATION_MODIFIERS)
    yield from (f'<supports type="booleanModifier">{each}</supports>' for each in _BOOLEAN_MODIFIERS)
