"""Z39.50 (ISO 23950): encoding and decoding of its messages, queries and records."""
