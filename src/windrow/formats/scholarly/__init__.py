"""Formats of scholarly publishing and research information: CERIF, DataCite, JATS and DOAJ."""
