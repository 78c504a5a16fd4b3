"""Z39.50 (ISO 23950): its messages, queries and records as values, and back to bytes."""
