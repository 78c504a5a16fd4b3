"""Windrow harvests metadata, keeps it in one library, and presents it to people and machines."""

__version__ = "0.1.0"
