"""Controlled vocabularies: reading and writing SKOS, Zthes and CSV, lookup, checks, query expansion.

Other parts of Windrow use these modules:

- `vocabulary_view.VocabularyView` reads one vocabulary: concepts, hierarchy, labels, search, lists; the
  module also counts the records of concepts.
- `vocabulary_expansion.make_expander` returns a `model.thesaurus.Expander`, which adds narrower concepts,
  synonyms and translations to a `Query`.
- `vocabulary_files` imports and exports vocabularies; `zthes.term_record` and `skos.triples` render one
  concept.
- `vocabulary_audit` reports irregularities, and values of records that name no concept.
- `vocabulary_directory.VocabularyDirectory` lists the vocabularies of a library and the URLs of their
  concepts.
"""
