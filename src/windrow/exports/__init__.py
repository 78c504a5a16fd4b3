"""Export of records: one module per format, each writing a stream of entries."""
