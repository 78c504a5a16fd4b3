"""A document as the golden files write it: JSON without the fields that hold nothing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from windrow.model.document import Document


def portrait(document: Document) -> dict[str, Any]:
    """Give the document as plain JSON values, only with what it holds."""
    filled = _filled(asdict(document))
    assert isinstance(filled, dict)
    return filled


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        pairs = ((str(key), _filled(inner)) for key, inner in value.items())
        return {key: inner for key, inner in pairs if inner not in (None, [], {})}
    if hasattr(value, "_asdict"):  # a title, an agent, a link …
        return _filled(value._asdict())
    if isinstance(value, list | tuple):
        return [_filled(inner) for inner in value]
    return str(value) if isinstance(value, str) else value
