"""The OpenSearch description: with it a browser can add the library to its search engines."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from windrow.faces.portal.room import Room
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, NO_CACHE, Header, Response
from windrow.faces.shared.wording import clean

_KIND: Header = (b"content-type", b"application/opensearchdescription+xml; charset=utf-8")
_LONGEST_NAME = 16  # letters, as the specification has it
_URLS = (
    ("text/html", "/search"),
    ("application/atom+xml", "/search.atom"),
    ("application/x-suggestions+json", "/suggest"),
)


def describe(room: Room, request: Request) -> Response:
    """Give the description, in the language of the browser."""
    frame = room.frames.frame(request)
    url, name = frame.site.url, clean(frame.site.title)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">',
        f"<ShortName>{escape(name[:_LONGEST_NAME].strip() or 'Windrow')}</ShortName>",
        f"<LongName>{escape(name[:48])}</LongName>",
        f"<Description>{escape(frame.tongue.say('Search in {title}', title=name[:900]))}</Description>",
        *(
            f'<Url type="{kind}" template={quoteattr(f"{url}{path}?q={{searchTerms}}")}/>'
            for kind, path in _URLS
        ),
        f'<Image type="image/svg+xml">{escape(url + frame.site.icon.removeprefix(frame.site.path))}</Image>',
        "<InputEncoding>UTF-8</InputEncoding>",
        "</OpenSearchDescription>",
    ]
    return Response(200, "\n".join(lines).encode(), [_KIND, NO_CACHE, *DATA_HEADERS])
