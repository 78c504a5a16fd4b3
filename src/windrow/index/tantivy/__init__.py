"""The index on Tantivy, the only back end."""
