"""Protocols as pure functions: bytes and text in, values out."""
