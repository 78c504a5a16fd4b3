"""Protocols as pure functions: bytes and text in, values out."""

from __future__ import annotations
