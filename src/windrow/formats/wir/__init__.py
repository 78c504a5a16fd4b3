"""The record format `wir` of the robot: what a web page said of itself, as one XML element.

`writer` makes it of a Page, `reader` makes a Document of it. Its layout is that of the record
of Combine (Studera.NU, 2001), in a namespace, with what that did not have: every `<meta>` tag as it came,
structured data as JSON, and the main text where it is kept. Elements that repeat what is in a tag (`cterm`,
`event` …) are for those who take the format; the reader takes the tags.
"""
