"""Harvesting of folders of documents."""
