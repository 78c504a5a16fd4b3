"""Settings: one typed schema, read from windrow.toml, the environment and flags.

`schema` describes every setting once; `loader` reads the values, `settings_reference` generates pages and
help texts, `editor` changes the file. Nothing in this package opens a socket or a database.
"""
