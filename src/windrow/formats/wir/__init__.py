"""The record format `wir` of the crawler: the metadata and contents of a web page as one XML element.

`wir_record` writes it from a Page and reads it into a Document. Its layout is that of the record of Combine
(Studera.NU, 2001), in a namespace, with additions: every `<meta>` tag unchanged, structured data as JSON,
and the main text if it is kept. Elements that repeat a tag (`cterm`, `event` …) are for other users of the
format; the reader uses the tags.
"""
