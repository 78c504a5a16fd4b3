"""Sitemaps: the address of every record's page and when it last changed, for search engines."""
