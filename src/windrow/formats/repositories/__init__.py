"""Repositories."""
