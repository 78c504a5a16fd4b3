"""The index on Tantivy: its folder, its feeder, its small parts."""
