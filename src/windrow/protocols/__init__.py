"""Protocols: bytes in, values out."""
