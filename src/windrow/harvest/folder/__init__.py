"""Harvesting of folders of files."""
