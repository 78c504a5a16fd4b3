"""The commands about records, documents, the index, statistics and vocabularies."""
