"""Builds the concrete objects from the configuration; the only package that names a back end.

`library` opens the parts of a library; each of the other modules assembles one task or one kind of source.
"""

from windrow.wiring.library import Library, create_library, open_library

__all__ = ["Library", "create_library", "open_library"]
