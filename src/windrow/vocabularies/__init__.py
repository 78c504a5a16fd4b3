"""Controlled vocabularies: read and written as SKOS, Zthes and CSV; looked up, checked, used by searches.

For other parts of Windrow:

- `view.VocabularyView` reads one vocabulary: concepts, the walk up and down, labels, search, lists.
- `binding.make_expander` returns a `model.expansion.Expander`: its `expand` adds to a `Query`, in whatever
  language it was written, what bound vocabularies know.
- `counting` has the records of concepts, those below them included.
- `files` takes files in and writes vocabularies; `zthes.term_record` and `skos.triples` render one concept.
- `checking` reports what is odd, and which values of records name no concept.
- `directory.Directory` has all vocabularies of a library, and where the pages of their concepts are.
"""
