"""The data model: immutable values without input or output."""
