"""The tables, for building statements. How they came to be is in `migrations`."""

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
    Column("identity", Text),  # JSON: what Identify said, and what we found out ourselves
    Column("sets_at", Text),  # when ListSets was last read
    Column("reconciled_at", Text),  # when a full pass last compared what is there with what we have
    Column("endpoint", Text),  # the address with a digest in place of its query: another one is a move
    Column("roles", Text),  # what the roles of its sets were worked out from, as a digest
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

set_group = Table(  # a combination of sets that records are in together
    "set_group",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source_id", Integer),
    Column("members", Text),  # their numbers, in order, with commas
)

set_member = Table(
    "set_member",
    metadata,
    Column("group_id", Integer, primary_key=True),
    Column("set_id", Integer, primary_key=True),
)

set_role = Table(  # what the sets of a combination say of the records in them
    "set_role",
    metadata,
    Column("group_id", Integer, primary_key=True),  # of a source's records in no sets: minus its number
    Column("roles", Text),  # JSON: units, collections, types, fallback
    Column("seq", BigInteger),  # of the change that said so
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
    Column("stamp", Text),  # the provider's datestamp, as it came
    Column("is_deleted", Boolean),
    Column("seq", BigInteger),  # of its last change; its number until it changes
    Column("group_id", Integer),  # the sets it is in
)

block = Table(  # some payloads one after another, compressed together
    "block",
    metadata,
    Column("id", BigInteger, primary_key=True),
    Column("source_id", Integer),
    Column("dictionary_id", Integer),
    Column("data", LargeBinary),
)

payload = Table(  # where in its block the payload of a record lies
    "payload",
    metadata,
    Column("record_id", BigInteger, primary_key=True),
    Column("format_id", Integer, primary_key=True),
    Column("envelope_id", Integer),
    Column("block_id", BigInteger),
    Column("start", Integer),
    Column("length", Integer),
    Column("about", Integer),  # so many bytes of `about` follow the payload
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

moment = Table(  # a transaction: the changes up to this number that no earlier moment has
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

listed = Table(  # what a pass over identifiers has seen so far, by the run's number or its negative
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
    Column("is_marked", Boolean),  # as deleted; until then they wait for a second comparison
)

host = Table("host", metadata, Column("name", Text, primary_key=True), Column("not_before", Text))

leaf = Table(  # so many records of a source, in the order of their numbers; what is on one stays on it
    "leaf",
    metadata,
    Column("source_id", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("first_id", BigInteger),
    Column("last_id", BigInteger),
    Column("total", Integer),  # with those that are deleted or not for everybody
    Column("live", Integer),  # what everybody may see
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

refresh = Table(  # records that somebody looked at when they were stale
    "refresh",
    metadata,
    Column("record_id", BigInteger, primary_key=True),
    Column("source_id", Integer),
    Column("asked", BigInteger),  # NULL: nothing waits
    Column("tried", BigInteger),  # when the source was last asked for it
    Column("outcome", Text),
)

visit = Table(  # how many requests a family of crawlers made, or came from a search engine, on a day
    "visit",
    metadata,
    Column("day", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("family", Text, primary_key=True),
    Column("count", BigInteger),
)

job = Table(  # what is done again and again; how and when is in windrow.toml
    "job",
    metadata,
    Column("name", Text, primary_key=True),
    Column("cadence", Text),  # as it was when `due` was worked out
    Column("is_hosted", Boolean),  # the host's own scheduler begins it
    Column("is_paused", Boolean),
    Column("due", Double),  # Unix seconds; NULL: never
    Column("at", Double),  # when it may be begun: due and a little later, or when it is tried again
    Column("attempt", Integer),  # made for this time already, as far as they count
    Column("tries", Integer),  # made for this time already, all of them
    Column("losses", Integer),  # how many of them in a row had their runner killed
    Column("run_id", Integer),  # the run under way; NULL: none
    Column("until", Double),  # when its lease ends
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
    Column("code", Integer),  # with which the command ended
    Column("attempt", Integer),
    Column("owner", Text),  # who ran it
    Column("pid", Integer),
    Column("host", Text),
    Column("birth", Text),
    Column("summary", Text),
    Column("log", Text),  # from the library folder on
    Column("retry_at", Double),  # NULL: this was the last word
)

outbox = Table(  # runs of jobs that people are still to be told of
    "outbox",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("job", Text),
    Column("run_id", Integer),  # of the job
    Column("created", Double),
    Column("next_at", Double),  # when it is sent, or tried again
    Column("attempts", Integer),  # that failed
    Column("message", Text),  # JSON, without secrets; NULL: not composed yet
    Column("ways", Text),  # JSON: by which of them it still has to be sent
    Column("problem", Text),  # of the last attempt
    Column("given_up", Double),  # when; NULL: it is tried again
    Column("owner", Text),  # who sends it at this moment
    Column("pid", Integer),
    Column("host", Text),
    Column("birth", Text),
    Column("taken_at", Double),
)

build = Table(  # one step of keeping a collection
    "build",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("step", Text),  # import, build, activate, rollback
    Column("collection", Text),  # for which it was done; empty: for the whole library
    Column("started", Double),
    Column("ended", Double),
    Column("outcome", Text),  # ok, partial, failed, skipped, interrupted; NULL: under way, or killed
    Column("records", BigInteger),  # taken in; of a build and an activation: in the generation
    Column("generation", Text),  # of the index; empty for an import
    Column("summary", Text),
    Column("owner", Text),  # who did it
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
    Column("beside", Text),  # which files beside it speak of it, and as they were
    Column("given", Text),  # what they say, as a digest
    Column("reader", Text),  # the version of what read it; empty: it is to be read again
    Column("state", Text),  # hidden, dropped, refused; empty: none of these
    Column("looked_at", BigInteger),  # when its content was last looked at
    Column("remarks", Text),  # what is to be known of its content, by codes
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
    Column("file", Text),  # the name of the file it came from
    Column("base", Text),  # before the codes of its concepts, where the file has codes only
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
    Column("notation", Text),  # the first; empty where it has none
    Column("names", Text),  # JSON: preferred labels, by which a renamed concept is recognised
    Column("is_deprecated", Boolean),
    Column("is_top", Boolean),  # stated to be a top concept
    Column("body", Text),  # JSON: the whole concept
)

concept_name = Table(  # every text that stands for a concept
    "concept_name",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("key", Text, primary_key=True),  # folded: without case and diacritics
    Column("concept_id", Integer, primary_key=True),
    Column("kind", Integer, primary_key=True),  # 0 URI, 1 notation, 2 preferred, 3 alternative, 4 hidden
    Column("language", Text, primary_key=True),
    Column("text", Text, primary_key=True),
    Column("place", Text),  # what puts a label in its place among others of its language
)

concept_word = Table(  # the words of all labels, folded
    "concept_word",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("word", Text, primary_key=True),
    Column("concept_id", Integer, primary_key=True),
)

concept_link = Table(  # broader, narrower and related concepts as the file states them; some do not exist
    "concept_link",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("concept_id", Integer, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("uri", Text, primary_key=True),
)

concept_below = Table(  # one concept right below another, whichever of the two the file says it of
    "concept_below",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("broader_id", Integer, primary_key=True),
    Column("narrower_id", Integer, primary_key=True),
)

concept_top = Table(  # concepts from which a walk through the vocabulary begins
    "concept_top",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("concept_id", Integer, primary_key=True),
)

vocabulary_graph = Table(  # of a vocabulary that came as RDF: all its statements
    "vocabulary_graph",
    metadata,
    Column("vocabulary_id", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("data", LargeBinary),  # N-Triples, compressed
)
