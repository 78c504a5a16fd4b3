"""The head of a record's page as search engines read it: every tag and the JSON-LD, as finished HTML.

The record page asks `head` for all of it. The writers behind it (`highwire`, `dc_meta`, `open_graph`,
`schema_org`) give values; here alone they become markup, so here alone they are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable

from windrow.formats import dc_meta, highwire, open_graph
from windrow.formats.meta_words import Tag
from windrow.formats.schema_org import in_script, json_ld
from windrow.model.document import Document

SCHEMA_LINKS = "".join(f'<link rel="schema.{name}" href="{url}">\n' for name, url in dc_meta.SCHEMAS)


def head(document: Document, address: str, *, site_name: str = "") -> str:
    """HTML to stand in the `<head>` of the page at an address, safe as it is."""
    return "".join(
        (
            SCHEMA_LINKS,
            meta_tags(highwire.tags(document, address)),
            meta_tags(dc_meta.tags(document, address)),
            meta_tags(open_graph.tags(document, address, site_name=site_name), attribute="property"),
            '<script type="application/ld+json">',
            in_script(json_ld(document, address)),
            "</script>\n",
        )
    )


def meta_tags(tags: Iterable[Tag], *, attribute: str = "name") -> str:
    """Tags as HTML, one a line. Open Graph has its names in `property`."""
    return "".join(
        [
            f'<meta {attribute}="{name}" content="{_quoted(content)}"{_lang(language)}>\n'
            for name, content, language in tags
        ]
    )


def _quoted(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _lang(language: str) -> str:
    return f' lang="{language}"' if language else ""
