"""The search index."""
