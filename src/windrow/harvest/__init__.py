"""Harvesting: one run of one source at a time, page by page, with a checkpoint after each page."""
