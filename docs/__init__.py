"""The documentation; `build` writes the pages of `reference/` from the code."""
