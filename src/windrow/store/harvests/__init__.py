"""Harvests."""
