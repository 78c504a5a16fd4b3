"""Builds the concrete objects from the configuration; the only place that names a back end.

`library` is one folder and what is opened of it; each of the other files puts together what is done with it.
"""

from windrow.wiring.library import Library, create_library, open_library

__all__ = ["Library", "create_library", "open_library"]
