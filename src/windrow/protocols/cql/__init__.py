"""CQL 1.2 and 2.0, the query language of SRU: text to a tree, the tree to a `Query`, and back."""
