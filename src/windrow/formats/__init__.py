"""Metadata formats: payload bytes in, `Document` out, and writers for the formats that Windrow serves.

Everything in this package is pure: no network and no database. `registry` chooses the reader.
"""
