"""Harvesting of OAI-PMH repositories."""
