"""Metadata formats, one file each: payload bytes in, Document out. Pure functions."""
