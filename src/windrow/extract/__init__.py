"""Files of many kinds become text and a few facts: what sort a file is, and one reader for each sort.

Sits beside `formats` (which reads records of metadata, where this reads documents themselves) and knows only
the model and plug-ins. Everything here may run in a child process on bytes of strangers: bounded, no network.
"""
