"""Scholarly."""
