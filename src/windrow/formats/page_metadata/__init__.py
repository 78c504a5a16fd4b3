"""Metadata in the pages of records, for search engines and reference managers."""
