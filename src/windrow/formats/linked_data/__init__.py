"""Linked data."""
