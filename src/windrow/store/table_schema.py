"""The tables, for building statements. `migrations` creates them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, LargeBinary, MetaData, Table, Text

metadata = MetaData()

setting = Table("setting", metadata, Column("key", Text, primary_key=True), Column("value", Text))

source = Table(
    "source",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text),
    Column("url", Text),  # without credentials and secret parameters
    Column("identity", Text),  # JSON: the Identify response, and what was found out about the source
    Column("sets_at", Text),  # when ListSets was last read
    Column("reconciled_at", Text),  # when a full pass last compared identifiers
    Column("endpoint", Text),  # the address with a digest in place of its query; a change is a move
    Column("roles", Text),  # a digest of the input from which the roles of its sets were derived
)

source_set = Table(
    "source_set",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source_id", Integer),
    Column("spec", Text),
    Column("name", Text),
    Column("parent_id", Integer),
    Column("merged_into", Integer),  # the same set listed under another spec
)

set_group = Table(  # a combination of sets
    "set_group",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source_id", Integer),
    Column("members", Text),  # the numbers of the sets, in order, comma-separated
)

set_member = Table(
    "set_member",
    metadata,
    Column("group_id", Integer, primary_key=True),
    Column("set_id", Integer, primary_key=True),
)

set_role = Table(  # the roles that follow from a combination of sets
    "set_role",
    metadata,
    Column("group_id", Integer, primary_key=True),  # for records in no sets: minus the source's number
    Column("roles", Text),  # JSON: units, collections, types, fallback
    Column("seq", BigInteger),  # of the change that set it
)

format_ = Table("format", metadata, Column("id", Integer, primary_key=True), Column("prefix", Text))

envelope = Table(
    "envelope", metadata, Column("id", Integer, primary_key=True), Column("declarations", LargeBinary)
)

dictionary = Table(
    "dictionary",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source_id", Integer),
    Column("format_id", Integer),
    Column("data", LargeBinary),
)

record = Table(
    "record",
    metadata,
    Column("id", BigInteger, primary_key=True),
    Column("source_id", Integer),
    Column("identifier", Text),
    Column("stamp", Text),  # the provider's datestamp, unchanged
    Column("is_deleted", Boolean),
    Column("seq", BigInteger),  # of its last change; its number until it changes
    Column("group_id", Integer),  # its combination of sets
)

block = Table(  # consecutive payloads, compressed together
    "block",
    metadata,
    Column("id", BigInteger, primary_key=True),
    Column("source_id", Integer),
    Column("dictionary_id", Integer),
    Column("data", LargeBinary),
)

payload = Table(  # the place of a record's payload in its block
    "payload",
    metadata,
    Column("record_id", BigInteger, primary_key=True),
    Column("format_id", Integer, primary_key=True),
    Column("envelope_id", Integer),
    Column("block_id", BigInteger),
    Column("start", Integer),
    Column("length", Integer),
    Column("about", Integer),  # the number of `about` bytes after the payload
)

history = Table(
    "history",
    metadata,
    Column("seq", BigInteger, primary_key=True),
    Column("record_id", BigInteger),
    Column("kind", Text),  # changed, deleted, restored, sets, format
    Column("stamp", Text),
    Column("format_id", Integer),  # of the payload that this change replaced, if it did
    Column("envelope_id", Integer),
    Column("block_id", BigInteger),
    Column("start", Integer),
    Column("length", Integer),
)

moment = Table(  # a transaction: the changes up to this number, after the previous moment
    "moment",
    metadata,
    Column("seq", BigInteger, primary_key=True),
    Column("at", BigInteger),  # when they became visible, Unix seconds; grows with the number
    Column("run_id", Integer),  # 0: in no run
)

virtual_set = Table(
    "virtual_set",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("spec", Text),
    Column("name", Text),
    Column("query", Text),
)

virtual_member = Table(
    "virtual_member",
    metadata,
    Column("set_id", Integer, primary_key=True),
    Column("record_id", BigInteger, primary_key=True),
)

run = Table(
    "run",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source_id", Integer),
    Column("kind", Text),
    Column("started", Text),
    Column("ended", Text),
    Column("outcome", Text),
    Column("arguments", Text),
    Column("counters", Text),
    Column("claimed", Integer),
)

problem = Table(
    "problem",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", Integer),
    Column("code", Text),
    Column("message", Text),
    Column("weight", Text),
    Column("url", Text),
    Column("kept", Text),
    Column("times", Integer),
)

quarantine = Table(
    "quarantine",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source_id", Integer),
    Column("run_id", Integer),
    Column("format", Text),
    Column("identifier", Text),
    Column("reason", Text),
    Column("raw", LargeBinary),
    Column("created", Text),
    Column("resolved", Text),
    Column("dismissed", Text),
)

window = Table(
    "window",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source_id", Integer),
    Column("run_id", Integer),
    Column("format", Text),
    Column("spec", Text),
    Column("since", Text),
    Column("until", Text),
    Column("state", Text),
    Column("token", Text),
    Column("seen", Integer),
    Column("claimed", Integer),
    Column("started_at", Text),  # the server's responseDate on the window's first page
)

cursor = Table(
    "cursor",
    metadata,
    Column("source_id", Integer, primary_key=True),
    Column("format", Text, primary_key=True),
    Column("spec", Text, primary_key=True),
    Column("next_from", Text),
    Column("size", Integer),
    Column("run_id", Integer),
)

lease = Table(
    "lease",
    metadata,
    Column("name", Text, primary_key=True),
    Column("owner", Text),
    Column("pid", Integer),
    Column("host", Text),
    Column("birth", Text),
    Column("since", Text),
    Column("beat", BigInteger),
)

listed = Table(  # identifiers seen by a pass, under the run's number or its negative
    "listed",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("identifier", Text, primary_key=True),
)

vanished = Table(  # records that a comparison of identifiers did not find
    "vanished",
    metadata,
    Column("record_id", BigInteger, primary_key=True),
    Column("source_id", Integer),
    Column("at", Text),
    Column("is_marked", Boolean),  # as deleted; until then they await a second comparison
)

host = Table("host", metadata, Column("name", Text, primary_key=True), Column("not_before", Text))

leaf = Table(  # a list page: consecutive records of a source; a record never changes its page
    "leaf",
    metadata,
    Column("source_id", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("first_id", BigInteger),
    Column("last_id", BigInteger),
    Column("total", Integer),  # including deleted and protected ones
    Column("live", Integer),  # public records
    Column("seq", BigInteger),  # of the newest change to any of them
)

alias = Table(  # an identifier that was merged into another record of its source
    "alias",
    metadata,
    Column("source_id", Integer, primary_key=True),
    Column("identifier", Text, primary_key=True),
    Column("record_id", BigInteger),
    Column("at", BigInteger),
)

refresh = Table(  # records that were viewed while stale
    "refresh",
    metadata,
    Column("record_id", BigInteger, primary_key=True),
    Column("source_id", Integer),
    Column("asked", BigInteger),  # NULL: no request is pending
    Column("tried", BigInteger),  # when the source was last asked for it
    Column("outcome", Text),
)

visit = Table(  # visits per day, by family of crawler or search engine
    "visit",
    metadata,
    Column("day", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("family", Text, primary_key=True),
    Column("count", BigInteger),
)

job = Table(  # a recurring job; its times are in windrow.toml
    "job",
    metadata,
    Column("name", Text, primary_key=True),
    Column("cadence", Text),  # at the time when `due` was computed
    Column("is_hosted", Boolean),  # started by the host's own scheduler
    Column("is_paused", Boolean),
    Column("due", Double),  # Unix seconds; NULL: never
    Column("at", Double),  # when it may start: due plus jitter, or the time of a retry
    Column("attempt", Integer),  # made for this due time, as far as they count
    Column("tries", Integer),  # made for this due time, all of them
    Column("losses", Integer),  # how many of them in a row lost their runner
    Column("run_id", Integer),  # the current run; NULL: none
    Column("until", Double),  # the end of its lease
    Column("failing_since", Double),
    Column("failures", Integer),  # in a row
)

job_run = Table(  # one run of a job; its number is its fencing token
    "job_run",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("job", Text),
    Column("due", Double),
    Column("started", Double),
    Column("ended", Double),
    Column("outcome", Text),  # ok, partial, failed, skipped, interrupted, lost, missed; NULL: under way
    Column("code", Integer),  # exit code of the command
    Column("attempt", Integer),
    Column("owner", Text),  # the process that ran it
    Column("pid", Integer),
    Column("host", Text),
    Column("birth", Text),
    Column("summary", Text),
    Column("log", Text),  # relative to the library folder
    Column("retry_at", Double),  # NULL: not retried
)

outbox = Table(  # pending notifications about job runs
    "outbox",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("job", Text),
    Column("run_id", Integer),  # of the job
    Column("created", Double),
    Column("next_at", Double),  # when it is sent or tried again
    Column("attempts", Integer),  # failed ones
    Column("message", Text),  # JSON, without secrets; NULL: not composed yet
    Column("ways", Text),  # JSON: the channels still to be used
    Column("problem", Text),  # of the last attempt
    Column("given_up", Double),  # when it was abandoned; NULL: it is tried again
    Column("owner", Text),  # the process that is sending it
    Column("pid", Integer),
    Column("host", Text),
    Column("birth", Text),
    Column("taken_at", Double),
)

build = Table(  # one step of a collection's history
    "build",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("step", Text),  # import, build, activate, rollback
    Column("collection", Text),  # empty: the whole library
    Column("started", Double),
    Column("ended", Double),
    Column("outcome", Text),  # ok, partial, failed, skipped, interrupted; NULL: running, or killed
    Column("records", BigInteger),  # imported ones; for a build or an activation, those in the generation
    Column("generation", Text),  # of the index; empty for an import
    Column("summary", Text),
    Column("owner", Text),  # the process that did it
    Column("pid", Integer),
    Column("host", Text),
    Column("birth", Text),
)

held_file = Table(  # a file that is read as a document, or a member of an archive
    "held_file",
    metadata,
    Column("source_id", Integer, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("member", Text, primary_key=True),  # empty: the file itself
    Column("identifier", Text),  # of its record
    Column("size", BigInteger),
    Column("mtime_ns", BigInteger),
    Column("sha256", Text),
    Column("media_type", Text),
    Column("guards", Text),
    Column("beside", Text),  # the files beside it that describe it, with their state
    Column("given", Text),  # a digest of what those files contain
    Column("reader", Text),  # the version of its reader; empty: it must be read again
    Column("state", Text),  # hidden, dropped, refused; empty: none of these
    Column("looked_at", BigInteger),  # when its content was last checked
    Column("remarks", Text),  # codes of remarks about its content
)

vocabulary = Table(
    "vocabulary",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text),
    Column("title", Text),  # JSON: labels, each a text and a language
    Column("schemes", Text),  # JSON: concept schemes, each a URI and labels
    Column("languages", Text),  # JSON: of preferred labels, the most used first
    Column("concepts", Integer),
    Column("format", Text),  # in which it came
    Column("file", Text),  # the name of its file
    Column("base", Text),  # the prefix of its concepts' codes, if the file has codes only
    Column("added", Text),
    Column("updated", Text),
    Column("revision", Integer),  # grows with every update
)

concept = Table(
    "concept",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("vocabulary_id", Integer),
    Column("uri", Text),
    Column("notation", Text),  # the first one; empty if it has none
    Column("names", Text),  # JSON: preferred labels, to recognise a renamed concept
    Column("is_deprecated", Boolean),
    Column("is_top", Boolean),  # stated to be a top concept
    Column("body", Text),  # JSON: the whole concept
)

concept_name = Table(  # every name of a concept
    "concept_name",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("key", Text, primary_key=True),  # folded: without case and diacritics
    Column("concept_id", Integer, primary_key=True),
    Column("kind", Integer, primary_key=True),  # 0 URI, 1 notation, 2 preferred, 3 alternative, 4 hidden
    Column("language", Text, primary_key=True),
    Column("text", Text, primary_key=True),
    Column("place", Text),  # the sort key of a label within its language
)

concept_word = Table(  # the words of all labels, folded
    "concept_word",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("word", Text, primary_key=True),
    Column("concept_id", Integer, primary_key=True),
)

concept_link = Table(  # broader, narrower and related concepts as stated in the file; some do not exist
    "concept_link",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("concept_id", Integer, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("uri", Text, primary_key=True),
)

concept_below = Table(  # a concept directly below another, whichever of the two states it
    "concept_below",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("broader_id", Integer, primary_key=True),
    Column("narrower_id", Integer, primary_key=True),
)

concept_top = Table(  # concepts where browsing a vocabulary starts
    "concept_top",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("concept_id", Integer, primary_key=True),
)

vocabulary_graph = Table(  # all statements of a vocabulary that was imported as RDF
    "vocabulary_graph",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("data", LargeBinary),  # N-Triples, compressed
)
