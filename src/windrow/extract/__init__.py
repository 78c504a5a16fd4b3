"""Text and facts from files of many kinds: media types are detected, and each type has a reader.

`formats` reads metadata records, this package reads the documents themselves; it depends only on the model
and on plug-ins. All of it can run in a child process on untrusted bytes, with limits and without network.
"""
