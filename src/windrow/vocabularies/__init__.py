"""Controlled vocabularies: read and written as SKOS, Zthes and CSV; looked up, checked, used by searches."""
