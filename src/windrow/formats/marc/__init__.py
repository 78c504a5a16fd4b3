"""MARC 21: the record, MARCXML and ISO 2709."""
