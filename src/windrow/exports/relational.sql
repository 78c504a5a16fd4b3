-- What the export is of: schema_version, windrow_version, library, exported_at (UTC), records, year_starts.
CREATE TABLE export (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- Where records came from.
CREATE TABLE source (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  kind TEXT,  -- oai, files, web, marc …; NULL where the settings have it no longer
  url TEXT  -- without secrets
);

-- Named groups of sources.
CREATE TABLE collection (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL
);
CREATE TABLE collection_source (
  collection_id INTEGER NOT NULL REFERENCES collection (id),
  source_id INTEGER NOT NULL REFERENCES source (id),
  PRIMARY KEY (collection_id, source_id)
);

-- One row per record. What a record has one of at most is a column here.
CREATE TABLE record (
  id INTEGER PRIMARY KEY,  -- the library's number for the record; the same in every export
  source_id INTEGER NOT NULL REFERENCES source (id),
  identifier TEXT NOT NULL,  -- the OAI identifier; for files an address made of source and path
  datestamp TEXT NOT NULL,  -- as the source states it
  changed_at TEXT NOT NULL,  -- when the library last saw a change, UTC
  is_deleted INTEGER NOT NULL,  -- 1 for tombstones, which `--deleted` includes; they have no further rows
  is_protected INTEGER NOT NULL,  -- 1 for records behind a password, which the portal neither shows nor counts
  format TEXT,  -- the metadata format that the row was made of
  problem TEXT,  -- why the metadata could not be read
  title TEXT,  -- the first title
  year INTEGER,  -- of publication
  counted_year TEXT,  -- the year that the portal counts it under: 2019, or 2019/20 with academic years
  pages INTEGER,
  access TEXT,  -- who may read the thing itself, as the portal counts it: Open access, Embargoed …
  UNIQUE (source_id, identifier)
);

CREATE TABLE record_title (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  title TEXT NOT NULL,
  language TEXT,
  PRIMARY KEY (record_id, position)
);
CREATE TABLE record_description (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  description TEXT NOT NULL,
  language TEXT,
  PRIMARY KEY (record_id, position)
);

-- People and organisations that made or helped to make things: one row per spelling of a name.
CREATE TABLE person (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE record_person (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  person_id INTEGER NOT NULL REFERENCES person (id),
  is_creator INTEGER NOT NULL,  -- 1 for creators, 0 for contributors
  role TEXT,  -- author, advisor, editor … as the record has it
  identifier TEXT,  -- ORCID, GND, VIAF …
  PRIMARY KEY (record_id, position)
);

-- Institutions: those of records and those that people belong to. One row per spelling of a name.
CREATE TABLE institution (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE record_institution (
  record_id INTEGER NOT NULL REFERENCES record (id),
  institution_id INTEGER NOT NULL REFERENCES institution (id),
  PRIMARY KEY (record_id, institution_id)
);
CREATE TABLE person_institution (
  record_id INTEGER NOT NULL,
  position INTEGER NOT NULL,  -- of the person in this record
  institution_id INTEGER NOT NULL REFERENCES institution (id),
  PRIMARY KEY (record_id, position, institution_id),
  FOREIGN KEY (record_id, position) REFERENCES record_person (record_id, position)
);

CREATE TABLE department (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE record_department (
  record_id INTEGER NOT NULL REFERENCES record (id),
  department_id INTEGER NOT NULL REFERENCES department (id),
  PRIMARY KEY (record_id, department_id)
);

-- Each department of a record in its own institution. A record may belong to several of both: to count the
-- departments of an institution, use this table and not the two above.
CREATE TABLE record_unit (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  institution_id INTEGER REFERENCES institution (id),  -- NULL where only the department is known
  department_id INTEGER REFERENCES department (id),  -- NULL where only the institution is known
  PRIMARY KEY (record_id, position)
);

-- The sets of each source, as ListSets names them, with or without records.
CREATE TABLE source_set (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES source (id),
  spec TEXT NOT NULL,
  name TEXT,
  parent_id INTEGER REFERENCES source_set (id),
  merged_into_id INTEGER REFERENCES source_set (id),  -- the set that this one repeats under another spec
  UNIQUE (source_id, spec)
);
CREATE TABLE record_set (
  record_id INTEGER NOT NULL REFERENCES record (id),
  set_id INTEGER NOT NULL REFERENCES source_set (id),
  PRIMARY KEY (record_id, set_id)
);

-- Subjects: from a vocabulary, or from the format's subject element. One row per spelling.
CREATE TABLE subject (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE record_subject (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  subject_id INTEGER NOT NULL REFERENCES subject (id),
  scheme TEXT,  -- the vocabulary
  uri TEXT,  -- of the concept in it
  language TEXT,
  is_counted INTEGER NOT NULL,  -- 0 for further wordings of a topic that the record names in several languages
  PRIMARY KEY (record_id, position)
);

-- Keywords: free words, in formats that tell them from subjects.
CREATE TABLE keyword (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE record_keyword (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  keyword_id INTEGER NOT NULL REFERENCES keyword (id),
  is_counted INTEGER NOT NULL,  -- as of subjects
  PRIMARY KEY (record_id, position)
);

CREATE TABLE record_type (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  type TEXT NOT NULL,  -- as the record has it
  concept TEXT NOT NULL,  -- the type that the portal counts it as; the same text where it is not recognised
  PRIMARY KEY (record_id, position)
);
CREATE TABLE record_licence (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  licence TEXT NOT NULL,  -- as the portal counts it: CC BY, In copyright, No licence stated …
  PRIMARY KEY (record_id, position)
);
CREATE TABLE record_language (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  language TEXT NOT NULL,  -- ISO 639, two letters where there are two
  PRIMARY KEY (record_id, position)
);
CREATE TABLE record_publisher (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  publisher TEXT NOT NULL,
  PRIMARY KEY (record_id, position)
);

CREATE TABLE record_date (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,  -- issued, created, available …; date where the record does not say
  text TEXT NOT NULL,  -- as the record has it
  day TEXT,  -- the same as 2014, 2014-05 or 2014-05-12, where it begins so
  PRIMARY KEY (record_id, position)
);

-- Identifiers of the thing outside its repository.
CREATE TABLE record_identifier (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  scheme TEXT NOT NULL,  -- doi, isbn, issn, urn, hdl …
  value TEXT NOT NULL,
  PRIMARY KEY (record_id, position)
);

CREATE TABLE record_link (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,  -- landing, fulltext, thumbnail, license, related
  url TEXT NOT NULL,
  label TEXT,
  media_type TEXT,
  PRIMARY KEY (record_id, position)
);

-- The file behind a record of a folder of documents; its text is not exported.
CREATE TABLE file (
  record_id INTEGER PRIMARY KEY REFERENCES record (id),
  path TEXT NOT NULL,  -- from the source's folder on
  member TEXT,  -- inside the archive at `path`
  media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL
);
CREATE TABLE file_fact (
  record_id INTEGER NOT NULL REFERENCES file (record_id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (record_id, position)
);

-- Dated offerings: a making, a showing, a round of a course.
CREATE TABLE record_event (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  identifier TEXT,
  period TEXT,
  kind TEXT,
  intensity TEXT,
  place TEXT,
  language TEXT,
  time TEXT,
  PRIMARY KEY (record_id, position)
);

-- Everything else that a record states: rights, relation, journal (what it is part of), and fields that
-- only its format has, under their own names (dc:coverage, marc:856$u …).
CREATE TABLE record_field (
  record_id INTEGER NOT NULL REFERENCES record (id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (record_id, position)
);

-- The records that the portal shows: neither deleted nor protected. Its figures are counted over these.
CREATE VIEW shown_record AS
  SELECT * FROM record WHERE NOT is_deleted AND NOT is_protected;

-- What the portal counts as a subject: subjects and keywords, each once per record, and a topic that the record names in
-- several languages under one of its names.
CREATE VIEW counted_subject AS
  SELECT record_id, name FROM record_subject JOIN subject ON subject.id = subject_id WHERE is_counted
  UNION
  SELECT record_id, name FROM record_keyword JOIN keyword ON keyword.id = keyword_id WHERE is_counted;

-- What the portal counts as a keyword: keywords, or the subjects of a record that has no keywords.
CREATE VIEW counted_keyword AS
  SELECT record_id, name FROM record_keyword JOIN keyword ON keyword.id = keyword_id WHERE is_counted
  UNION
  SELECT record_id, name FROM record_subject JOIN subject ON subject.id = subject_id
  WHERE is_counted AND record_id NOT IN (SELECT record_id FROM record_keyword);

-- Institutions that took part: the record's own, and those of its people.
CREATE VIEW counted_affiliation AS
  SELECT record_id, institution_id FROM record_institution
  UNION
  SELECT record_id, institution_id FROM person_institution;

-- Indexes, made when all rows are in.
CREATE INDEX record_year ON record (year);
CREATE INDEX record_counted_year ON record (counted_year);
CREATE INDEX record_title_title ON record_title (title);
CREATE INDEX record_person_person ON record_person (person_id);
CREATE INDEX record_institution_institution ON record_institution (institution_id);
CREATE INDEX person_institution_institution ON person_institution (institution_id);
CREATE INDEX record_department_department ON record_department (department_id);
CREATE INDEX record_unit_institution ON record_unit (institution_id, department_id);
CREATE INDEX record_unit_department ON record_unit (department_id);
CREATE INDEX record_set_set ON record_set (set_id);
CREATE INDEX record_subject_subject ON record_subject (subject_id);
CREATE INDEX record_keyword_keyword ON record_keyword (keyword_id);
CREATE INDEX record_type_type ON record_type (type);
CREATE INDEX record_type_concept ON record_type (concept);
CREATE INDEX record_licence_licence ON record_licence (licence);
CREATE INDEX record_language_language ON record_language (language);
CREATE INDEX record_publisher_publisher ON record_publisher (publisher);
CREATE INDEX record_date_day ON record_date (day);
CREATE INDEX record_identifier_value ON record_identifier (value);
CREATE INDEX record_link_url ON record_link (url);
CREATE INDEX file_sha256 ON file (sha256);
CREATE INDEX record_field_name ON record_field (name);
