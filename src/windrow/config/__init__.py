"""Settings: one typed schema, read from windrow.toml, the environment and flags.

`schema` describes every setting once; `load` fills it in; `describe` writes pages from it; `edit`
changes the sources in the file. Nothing here opens a socket or a database.
"""
