"""A small folder of documents of an invented island, for `windrow demo`: pictures, leaflets, sounds, notes.

Flow inside: words (`leaflets`, `views`) → `landscapes`, `pdf`, `sounds`, `writings` → `folder`, which puts
them all into one. No such island or archive exists.
"""
