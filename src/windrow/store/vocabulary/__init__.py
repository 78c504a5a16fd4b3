"""Vocabularies and their concepts."""
