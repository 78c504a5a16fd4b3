"""The Z39.50 target: search and retrieval for library clients."""
