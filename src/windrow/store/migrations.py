"""Numbered schema migrations. They are only ever appended, never edited."""

from __future__ import annotations

import json
from collections.abc import Callable

from windrow.config.network_values import endpoint, mask_url, split_url
from windrow.config.secrets import Mask, address_secrets
from windrow.errors import StoreError, StoreVersion
from windrow.store.connection import Connection

_0001_FIRST = """
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE source (
  id {serial}, name TEXT NOT NULL UNIQUE, url TEXT NOT NULL, identity TEXT,
  sets_at TEXT, reconciled_at TEXT
);
CREATE TABLE source_set (
  id {serial}, source_id INTEGER NOT NULL REFERENCES source (id), spec TEXT NOT NULL,
  name TEXT NOT NULL, parent_id INTEGER, merged_into INTEGER, UNIQUE (source_id, spec)
);
CREATE TABLE format (id {serial}, prefix TEXT NOT NULL UNIQUE);
CREATE TABLE set_group (
  id {serial}, source_id INTEGER NOT NULL, members TEXT NOT NULL, UNIQUE (source_id, members)
);
CREATE TABLE set_member (
  group_id INTEGER NOT NULL, set_id INTEGER NOT NULL, PRIMARY KEY (group_id, set_id)
) {without_rowid};
CREATE INDEX set_member_set ON set_member (set_id, group_id);
CREATE TABLE envelope (id {serial}, declarations {blob} NOT NULL UNIQUE);
CREATE TABLE dictionary (
  id {serial}, source_id INTEGER NOT NULL, format_id INTEGER NOT NULL, data {blob} NOT NULL
);
CREATE TABLE record (
  id {key}, source_id INTEGER NOT NULL REFERENCES source (id), identifier TEXT NOT NULL,
  stamp TEXT NOT NULL, is_deleted BOOLEAN NOT NULL, seq BIGINT NOT NULL, changed_at BIGINT NOT NULL,
  added_run INTEGER NOT NULL, changed_run INTEGER NOT NULL, group_id INTEGER NOT NULL
);
CREATE UNIQUE INDEX record_identifier ON record (source_id, identifier);
CREATE UNIQUE INDEX record_moved ON record (seq) WHERE seq <> id;
CREATE TABLE block (
  id {key}, source_id INTEGER NOT NULL, dictionary_id INTEGER, data {blob} NOT NULL
);
CREATE TABLE payload (
  record_id BIGINT NOT NULL, format_id INTEGER NOT NULL, envelope_id INTEGER NOT NULL,
  block_id BIGINT NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL, about INTEGER NOT NULL,
  PRIMARY KEY (record_id, format_id)
) {without_rowid};
CREATE TABLE history (
  seq {key}, record_id BIGINT NOT NULL, run_id INTEGER NOT NULL, kind TEXT NOT NULL,
  changed_at BIGINT NOT NULL, stamp TEXT NOT NULL, format_id INTEGER, envelope_id INTEGER,
  block_id BIGINT, start INTEGER, length INTEGER
);
CREATE INDEX history_record ON history (record_id, seq);
CREATE INDEX history_run ON history (run_id, seq);
CREATE TABLE run (
  id {serial}, source_id INTEGER NOT NULL, kind TEXT NOT NULL, started TEXT NOT NULL,
  ended TEXT, outcome TEXT, arguments TEXT NOT NULL, counters TEXT NOT NULL, claimed INTEGER
);
CREATE TABLE problem (
  id {serial}, run_id INTEGER NOT NULL REFERENCES run (id), code TEXT NOT NULL,
  message TEXT NOT NULL, weight TEXT NOT NULL, url TEXT, kept TEXT, times INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX problem_run ON problem (run_id);
CREATE TABLE quarantine (
  id {serial}, source_id INTEGER NOT NULL, run_id INTEGER NOT NULL, format TEXT NOT NULL,
  identifier TEXT, reason TEXT NOT NULL, raw {blob} NOT NULL, created TEXT NOT NULL, resolved TEXT
);
CREATE INDEX quarantine_source ON quarantine (source_id, identifier);
CREATE TABLE "window" (
  id {serial}, source_id INTEGER NOT NULL, run_id INTEGER NOT NULL, format TEXT NOT NULL,
  spec TEXT NOT NULL, since TEXT, until TEXT, state TEXT NOT NULL, token TEXT,
  seen INTEGER NOT NULL DEFAULT 0, claimed INTEGER, started_at TEXT
);
CREATE INDEX window_source ON "window" (source_id, state);
CREATE TABLE cursor (
  source_id INTEGER NOT NULL, format TEXT NOT NULL, spec TEXT NOT NULL, next_from TEXT, size INTEGER,
  run_id INTEGER NOT NULL, PRIMARY KEY (source_id, format, spec)
);
CREATE TABLE lease (
  name TEXT PRIMARY KEY, owner TEXT NOT NULL, pid INTEGER NOT NULL, host TEXT NOT NULL,
  birth TEXT NOT NULL, since TEXT NOT NULL, beat BIGINT NOT NULL
);
CREATE TABLE listed (
  run_id INTEGER NOT NULL, identifier TEXT NOT NULL, PRIMARY KEY (run_id, identifier)
) {without_rowid};
CREATE TABLE host (name TEXT PRIMARY KEY, not_before TEXT);
INSERT INTO setting (key, value) VALUES ('seq', '0');
"""

# The time and run of a change follow from its number, so they are recorded once per transaction. Where a
# clock was set back the greatest time so far is repeated, so that times grow as numbers do.
_0002_MOMENTS = """
CREATE TABLE moment (seq {key}, at BIGINT NOT NULL, run_id INTEGER NOT NULL);
INSERT INTO moment SELECT MAX(seq), MAX(at), run_id FROM (
  SELECT seq, run_id, MAX(changed_at) OVER (ORDER BY seq) AS at,
    seq - ROW_NUMBER() OVER (PARTITION BY run_id, changed_at ORDER BY seq) AS stretch, changed_at
  FROM (
    SELECT seq, changed_run AS run_id, changed_at FROM record UNION
    SELECT seq, run_id, changed_at FROM history UNION
    SELECT id, added_run, 0 FROM record WHERE seq <> id
  ) AS numbered
) AS told GROUP BY run_id, changed_at, stretch;
CREATE INDEX moment_run ON moment (run_id);
DROP INDEX history_run;
ALTER TABLE record DROP COLUMN changed_at;
ALTER TABLE record DROP COLUMN added_run;
ALTER TABLE record DROP COLUMN changed_run;
ALTER TABLE history DROP COLUMN run_id;
ALTER TABLE history DROP COLUMN changed_at;
DROP INDEX record_identifier;
CREATE UNIQUE INDEX record_identifier ON record (identifier, source_id);
CREATE TABLE virtual_set (
  id {serial}, spec TEXT NOT NULL UNIQUE, name TEXT NOT NULL, query TEXT NOT NULL
);
CREATE TABLE virtual_member (
  set_id INTEGER NOT NULL, record_id BIGINT NOT NULL, PRIMARY KEY (set_id, record_id)
) {without_rowid};
CREATE INDEX virtual_member_record ON virtual_member (record_id);
"""

# For crawlers: the list pages of each source, aliases of identifiers that lead to another record now, records
# to be requested again, and visits per day.
_0003_CRAWLERS = """
CREATE TABLE leaf (
  source_id INTEGER NOT NULL, number INTEGER NOT NULL, first_id BIGINT NOT NULL, last_id BIGINT NOT NULL,
  total INTEGER NOT NULL, live INTEGER NOT NULL, seq BIGINT NOT NULL, PRIMARY KEY (source_id, number)
) {without_rowid};
CREATE TABLE alias (
  source_id INTEGER NOT NULL, identifier TEXT NOT NULL, record_id BIGINT NOT NULL, at BIGINT NOT NULL,
  PRIMARY KEY (source_id, identifier)
) {without_rowid};
CREATE TABLE refresh (
  record_id {key}, source_id INTEGER NOT NULL, asked BIGINT, tried BIGINT, outcome TEXT
);
CREATE INDEX refresh_asked ON refresh (source_id, asked) WHERE asked IS NOT NULL;
CREATE TABLE visit (
  day TEXT NOT NULL, kind TEXT NOT NULL, family TEXT NOT NULL, count BIGINT NOT NULL,
  PRIMARY KEY (day, kind, family)
) {without_rowid};
CREATE INDEX record_gone ON record (source_id) WHERE is_deleted;
"""

# Jobs and their runs. Times are floating-point seconds, because leases can be short.
_0004_JOBS = """
CREATE TABLE job (
  name TEXT PRIMARY KEY, cadence TEXT NOT NULL, is_hosted BOOLEAN NOT NULL, is_paused BOOLEAN NOT NULL,
  due DOUBLE PRECISION, at DOUBLE PRECISION, attempt INTEGER NOT NULL, tries INTEGER NOT NULL,
  losses INTEGER NOT NULL, run_id INTEGER, until DOUBLE PRECISION, failing_since DOUBLE PRECISION,
  failures INTEGER NOT NULL
);
CREATE TABLE job_run (
  id {serial}, job TEXT NOT NULL, due DOUBLE PRECISION NOT NULL, started DOUBLE PRECISION NOT NULL,
  ended DOUBLE PRECISION, outcome TEXT, code INTEGER, attempt INTEGER NOT NULL, owner TEXT NOT NULL,
  pid INTEGER NOT NULL, host TEXT NOT NULL, birth TEXT NOT NULL, summary TEXT NOT NULL, log TEXT NOT NULL,
  retry_at DOUBLE PRECISION
);
CREATE INDEX job_run_job ON job_run (job, id);
CREATE TABLE build (
  id {serial}, step TEXT NOT NULL, collection TEXT NOT NULL, started DOUBLE PRECISION NOT NULL,
  ended DOUBLE PRECISION, outcome TEXT, records BIGINT NOT NULL, generation TEXT NOT NULL,
  summary TEXT NOT NULL, owner TEXT NOT NULL, pid INTEGER NOT NULL, host TEXT NOT NULL, birth TEXT NOT NULL
);
"""

# Files that are read as documents, and the members of archives among them.
_0005_DOCUMENTS = """
CREATE TABLE held_file (
  source_id INTEGER NOT NULL, path TEXT NOT NULL, member TEXT NOT NULL, identifier TEXT NOT NULL,
  size BIGINT NOT NULL, mtime_ns BIGINT NOT NULL, sha256 TEXT NOT NULL, media_type TEXT NOT NULL,
  guards TEXT NOT NULL, beside TEXT NOT NULL, given TEXT NOT NULL, reader TEXT NOT NULL,
  state TEXT NOT NULL, looked_at BIGINT NOT NULL, PRIMARY KEY (source_id, path, member)
) {without_rowid};
CREATE UNIQUE INDEX held_file_identifier ON held_file (source_id, identifier);
CREATE INDEX held_file_state ON held_file (source_id, state) WHERE state <> '';
"""

# Records that a comparison of identifiers did not find: pending a second comparison, or deleted by it.
_0006_VANISHED = """
CREATE TABLE vanished (
  record_id BIGINT PRIMARY KEY, source_id INTEGER NOT NULL, at TEXT NOT NULL, is_marked BOOLEAN NOT NULL
) {without_rowid};
CREATE INDEX vanished_source ON vanished (source_id, is_marked);
"""

_PAGES_AT_ONCE = 4096  # pages overwritten by one row
# Columns that hold the address of a source, or text of a server that may repeat it, with the key of each row.
_NOTES = (
    ("source", "id", "identity"),
    ("problem", "id", "message"),
    ("problem", "id", "url"),
    ("run", "id", "arguments"),
    ("quarantine", "id", "reason"),
    ("job_run", "id", "summary"),
    ("build", "id", "summary"),
)
_JSON_NOTES = ("identity", "arguments")


def _0007_secrets(connection: Connection) -> None:
    """Remove credentials and secret parameters from the addresses of sources and from all notes.

    The endpoint is computed from the full address, so that no source seems to have moved.
    """
    run = connection.execute
    run("ALTER TABLE source ADD COLUMN endpoint TEXT NOT NULL DEFAULT ''")
    mask = _mask_of_addresses(connection)
    addresses = run("SELECT id, url FROM source").all()
    for number, url in addresses:
        values = (split_url(url).url, endpoint(url), number)
        run("UPDATE source SET url = ?, endpoint = ? WHERE id = ?", values)
    for table, key, column in _NOTES:
        for number, text in run(f"SELECT {key}, {column} FROM {table} WHERE {column} IS NOT NULL").all():
            if column in _JSON_NOTES:
                safe = json.dumps(_masked(json.loads(text), mask))
            else:
                safe = mask.text(mask_url(text) if column == "url" else text)
            if safe != text:
                run(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (safe, number))
    if any(split_url(url).url != url for _, url in addresses) and connection.dialect == "sqlite":
        _overwrite_remains(connection)


def mask_before(connection: Connection, current: int) -> Mask | None:
    """Return the mask for secrets in the addresses of a database with an older schema.

    None if it needs no masking: its addresses are clean, or it has none yet.
    """
    if not current or current >= MIGRATIONS.index(_0007_secrets) + 1:
        return None
    urls = [str(url) for (url,) in connection.execute("SELECT url FROM source")]
    return _mask_of_addresses(connection) if any(split_url(url).url != url for url in urls) else None


def _mask_of_addresses(connection: Connection) -> Mask:
    run = connection.execute
    words = {str(word) for (word,) in run("SELECT prefix FROM format UNION SELECT spec FROM source_set")}
    urls = [str(url) for (url,) in run("SELECT url FROM source")]
    return Mask(secret for url in urls for secret in address_secrets(url, words=words))


def _masked(value: object, mask: Mask) -> object:
    """Return a value with the secrets in its texts masked. Keys and numbers are Windrow's own and stay."""
    if isinstance(value, str):
        return mask.text(value)
    if isinstance(value, dict):
        return {key: _masked(each, mask) for key, each in value.items()}
    return [_masked(each, mask) for each in value] if isinstance(value, list) else value


def _overwrite_remains(connection: Connection) -> None:
    """Overwrite what deleted rows left in the file: SQLite keeps it until it reuses the space.

    Each table is rewritten from the start, and free pages are filled once.
    """
    run = connection.execute
    run("PRAGMA secure_delete = ON")  # what is freed from now on is filled with zeros
    for table in dict.fromkeys(table for table, _, _ in _NOTES):
        run(f"CREATE TABLE again AS SELECT * FROM {table}")
        run(f"DELETE FROM {table}")
        run(f"INSERT INTO {table} SELECT * FROM again")
        run("DROP TABLE again")
    size, free = (int(run(f"PRAGMA {name}").scalar_one()) for name in ("page_size", "freelist_count"))
    run("CREATE TABLE again (zeros BLOB)")
    for done in range(0, free, _PAGES_AT_ONCE):
        run("INSERT INTO again VALUES (zeroblob(?))", (min(free - done, _PAGES_AT_ONCE) * size,))
    run("DROP TABLE again")
    run("PRAGMA secure_delete = OFF")


# Remarks about a file that was read: no text layer, or more members than were taken.
_0008_REMARKS = """
ALTER TABLE held_file ADD COLUMN remarks TEXT NOT NULL DEFAULT '';
"""

# Notifications about job runs, kept until they were delivered or abandoned.
_0009_OUTBOX = """
CREATE TABLE outbox (
  id {serial}, job TEXT NOT NULL, run_id INTEGER NOT NULL, created DOUBLE PRECISION NOT NULL,
  next_at DOUBLE PRECISION NOT NULL, attempts INTEGER NOT NULL, message TEXT, ways TEXT,
  problem TEXT NOT NULL, given_up DOUBLE PRECISION, owner TEXT, pid INTEGER, host TEXT, birth TEXT,
  taken_at DOUBLE PRECISION
);
"""

# The roles that follow from the sets of each combination, and the number of the change that set them.
_0010_SET_ROLES = """
CREATE TABLE set_role (group_id INTEGER PRIMARY KEY, roles TEXT NOT NULL, seq BIGINT NOT NULL);
ALTER TABLE source ADD COLUMN roles TEXT;
"""

# The crawler: addresses, hosts, the robots.txt of each origin, worker processes, operator settings.
_0011_CRAWL = """
CREATE TABLE crawl_host (
  id {serial}, name TEXT NOT NULL UNIQUE, next_at DOUBLE PRECISION NOT NULL, owner INTEGER,
  asked_at DOUBLE PRECISION NOT NULL DEFAULT 0
);
CREATE TABLE crawl_site (
  source_id INTEGER NOT NULL, host_id INTEGER NOT NULL, ready_at DOUBLE PRECISION NOT NULL,
  known INTEGER NOT NULL, PRIMARY KEY (source_id, host_id)
) {without_rowid};
CREATE INDEX crawl_site_ready ON crawl_site (source_id, ready_at);
CREATE TABLE crawl_page (
  id {serial}, source_id INTEGER NOT NULL, host_id INTEGER NOT NULL, url TEXT NOT NULL, state TEXT NOT NULL,
  depth INTEGER NOT NULL, hops INTEGER NOT NULL, is_start BOOLEAN NOT NULL,
  found_at DOUBLE PRECISION NOT NULL, found_on BIGINT, kind TEXT NOT NULL,
  due_at DOUBLE PRECISION NOT NULL, visited_at DOUBLE PRECISION, status INTEGER,
  outcome TEXT NOT NULL, message TEXT NOT NULL, failures INTEGER NOT NULL, etag TEXT, last_modified TEXT,
  media_type TEXT NOT NULL, digest TEXT NOT NULL, payload_digest TEXT NOT NULL, identifier TEXT,
  target TEXT, UNIQUE (source_id, url)
);
CREATE INDEX crawl_page_order ON crawl_page (source_id, host_id, state, depth, id);
CREATE INDEX crawl_page_queued ON crawl_page (source_id, host_id, id) WHERE state = 'queued';
CREATE INDEX crawl_page_due ON crawl_page (source_id, due_at) WHERE state IN ('done', 'retry', 'robots');
CREATE INDEX crawl_page_digest ON crawl_page (source_id, digest) WHERE digest <> '';
CREATE INDEX crawl_page_identifier ON crawl_page (source_id, identifier) WHERE identifier IS NOT NULL;
CREATE TABLE crawl_prefix (
  source_id INTEGER NOT NULL, prefix TEXT NOT NULL, known INTEGER NOT NULL, fetched INTEGER NOT NULL,
  records INTEGER NOT NULL, repeats INTEGER NOT NULL, closed TEXT NOT NULL, PRIMARY KEY (source_id, prefix)
) {without_rowid};
CREATE TABLE crawl_robots (
  origin TEXT PRIMARY KEY, state TEXT NOT NULL, body TEXT NOT NULL, until DOUBLE PRECISION NOT NULL,
  reason TEXT NOT NULL
);
CREATE TABLE crawl_control (source_id INTEGER PRIMARY KEY, state TEXT NOT NULL, ordering TEXT NOT NULL);
CREATE TABLE crawl_worker (
  id INTEGER PRIMARY KEY, source_id INTEGER NOT NULL, owner TEXT NOT NULL, pid INTEGER NOT NULL,
  host TEXT NOT NULL, birth TEXT NOT NULL, beat BIGINT NOT NULL
);
"""

# Records in quarantine that the operator dismissed.
_0012_DISMISSED = """
ALTER TABLE quarantine ADD COLUMN dismissed TEXT;
"""

# Vocabularies: their concepts, every name of each concept, and the hierarchy.
_0013_VOCABULARIES = """
CREATE TABLE vocabulary (
  id {serial}, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL, schemes TEXT NOT NULL, languages TEXT NOT NULL,
  concepts INTEGER NOT NULL, format TEXT NOT NULL, file TEXT NOT NULL, base TEXT NOT NULL,
  added TEXT NOT NULL, updated TEXT NOT NULL, revision INTEGER NOT NULL
);
CREATE TABLE concept (
  id {serial}, vocabulary_id INTEGER NOT NULL, uri TEXT NOT NULL, notation TEXT NOT NULL,
  names TEXT NOT NULL, is_deprecated BOOLEAN NOT NULL, is_top BOOLEAN NOT NULL, body TEXT NOT NULL,
  UNIQUE (vocabulary_id, uri)
);
CREATE INDEX concept_notation ON concept (vocabulary_id, notation, uri);
CREATE TABLE concept_name (
  vocabulary_id INTEGER NOT NULL, key TEXT NOT NULL, concept_id INTEGER NOT NULL, kind INTEGER NOT NULL,
  language TEXT NOT NULL, text TEXT NOT NULL, place TEXT NOT NULL,
  PRIMARY KEY (vocabulary_id, key, concept_id, kind, language, text)
) {without_rowid};
CREATE INDEX concept_name_listed ON concept_name (vocabulary_id, kind, language, place);
CREATE TABLE concept_word (
  vocabulary_id INTEGER NOT NULL, word TEXT NOT NULL, concept_id INTEGER NOT NULL,
  PRIMARY KEY (vocabulary_id, word, concept_id)
) {without_rowid};
CREATE TABLE concept_link (
  vocabulary_id INTEGER NOT NULL, concept_id INTEGER NOT NULL, kind TEXT NOT NULL, uri TEXT NOT NULL,
  PRIMARY KEY (vocabulary_id, concept_id, kind, uri)
) {without_rowid};
CREATE TABLE concept_below (
  vocabulary_id INTEGER NOT NULL, broader_id INTEGER NOT NULL, narrower_id INTEGER NOT NULL,
  PRIMARY KEY (vocabulary_id, broader_id, narrower_id)
) {without_rowid};
CREATE INDEX concept_above ON concept_below (vocabulary_id, narrower_id, broader_id);
CREATE TABLE concept_top (
  vocabulary_id INTEGER NOT NULL, concept_id INTEGER NOT NULL, PRIMARY KEY (vocabulary_id, concept_id)
) {without_rowid};
CREATE TABLE vocabulary_graph (
  vocabulary_id INTEGER NOT NULL, number INTEGER NOT NULL, data {blob} NOT NULL,
  PRIMARY KEY (vocabulary_id, number)
);
"""

MIGRATIONS: tuple[str | Callable[[Connection], None], ...] = (
    _0001_FIRST,
    _0002_MOMENTS,
    _0003_CRAWLERS,
    _0004_JOBS,
    _0005_DOCUMENTS,
    _0006_VANISHED,
    _0007_secrets,
    _0008_REMARKS,
    _0009_OUTBOX,
    _0010_SET_ROLES,
    _0011_CRAWL,
    _0012_DISMISSED,
    _0013_VOCABULARIES,
)
_WORDS = {
    "sqlite": {
        "blob": "BLOB",
        "key": "INTEGER PRIMARY KEY",
        "serial": "INTEGER PRIMARY KEY",
        "without_rowid": "WITHOUT ROWID",
    },
    "postgresql": {
        "blob": "BYTEA",
        "key": "BIGINT PRIMARY KEY",
        "serial": "INTEGER GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
        "without_rowid": "",
    },
}
_NOTE = "INSERT INTO setting VALUES ('schema', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_VERSION = "SELECT value FROM setting WHERE key = 'schema'"
_IS_EMPTY = "SELECT COUNT(*) = 0 FROM sqlite_master WHERE type = 'table' AND name = 'setting'"


def migrate(connection: Connection) -> int:
    """Migrate the schema in the current transaction; return its version."""
    current = version(connection)
    if current > len(MIGRATIONS):
        raise StoreVersion(f"the library has schema {current}, this Windrow knows up to {len(MIGRATIONS)}")
    words = _WORDS[connection.dialect]
    for script in MIGRATIONS[current:]:
        if callable(script):
            script(connection)
            continue
        for step in script.format(**words).split(";\n"):
            if step.strip():
                connection.execute(step)
    if current < len(MIGRATIONS):
        connection.execute(_NOTE, (str(len(MIGRATIONS)),))
    return len(MIGRATIONS)


def version(connection: Connection) -> int:
    """Return the number of the last migration that ran; 0 for an empty file."""
    if connection.execute(_IS_EMPTY).scalar():
        return 0
    found = str(connection.execute(_VERSION).scalar())
    if not found.isdecimal():
        raise StoreError("the library does not say which schema it has", hint="Restore it from a copy.")
    return int(found)
