"""Records as harvested: writing, reading, payloads, and sets."""
