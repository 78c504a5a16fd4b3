"""What this machine lacks for reading documents: told by `windrow doctor`, before a harvest meets them."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

INSTALL = "pip install 'windrow[documents]'"
GHOSTSCRIPT = "gs"
_LIBRARIES = {
    "pypdfium2": "PDF",
    "PIL": "pictures",
    "tinytag": "audio",
    "charset_normalizer": "text whose encoding nobody declares",
    "py3langid": "the language of a text",
}


def unread_kinds() -> list[str]:
    """Give what cannot be read because its library is not installed."""
    return [kind for module, kind in _LIBRARIES.items() if find_spec(module) is None]


def has_ghostscript() -> bool:
    """Whether the text of PostScript files can be had."""
    return shutil.which(GHOSTSCRIPT) is not None
