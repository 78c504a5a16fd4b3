"""Windrow brings metadata in, keeps it in one library, and shows it to people and machines."""

__version__ = "0.1.0"
