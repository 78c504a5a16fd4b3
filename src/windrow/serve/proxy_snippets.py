"""Configuration snippets for a web server in front of `windrow serve`."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from windrow.web.robots_txt import render_robots_txt

_ROOT_PATH = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - the proxy is on this machine

# At the root of a host only these paths are Windrow's; the web server keeps the rest, including its home
# page.
WINDROW_PATHS = (
    *("about", "api", "browse", "collection", "document", "form", "gallery", "gateway", "health", "language"),
    *("look", "oai", "opensearch.xml", "record", "resourcesync", "search", "sitemap.xml", "sitemaps"),
    *("sru", "static", "statistics", "status", "suggest", "vocabulary", ".well-known/resourcesync"),
    *(f"search.{suffix}" for suffix in ("atom", "bib", "csl.json", "csv", "jsonl", "ris")),
)

_NGINX = """\
# For nginx: inside the server block of {host}.
location ~ ^{pattern}(/|$) {{
    proxy_pass {inner};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_read_timeout 120s;
    client_max_body_size 64k;
}}
"""
_APACHE = """\
# For Apache: inside the virtual host of {host}. It needs the modules proxy and proxy_http.
# Identifiers have slashes, written %2F in addresses: they must arrive as they are.
AllowEncodedSlashes NoDecode
{passes}
<LocationMatch "^{pattern}(/|$)">
    LimitRequestBody 65536
</LocationMatch>
"""
_LINE = 'ProxyPass "{path}" "{inner}{path}" timeout=120 nocanon'
_ADVICE = """\

# In windrow.toml, so that answers name the public address:
#   [serve]
#   url = "{url}"

# In the robots.txt of {host}, so that harvesters find the repository, search engines the records, and
# crawlers leave alone what can be combined without end:
{robots}
"""


def snippet(proxy: str, url: str, *, host: str, port: int) -> str:
    """Return the lines for a web server at a public address that passes on Windrow's requests.

    Below a path these are all requests; at the root of a host, WINDROW_PATHS.
    """
    parts = urlsplit(url)
    inner_host = _ROOT_PATH.get(host, host)
    inner = f"http://[{inner_host}]:{port}" if ":" in inner_host else f"http://{inner_host}:{port}"
    paths = [parts.path] if parts.path else [f"/{name}" for name in WINDROW_PATHS]
    words = {
        "host": parts.netloc,
        "url": url,
        "inner": inner,
        "pattern": _escaped(parts.path) or f"/({'|'.join(map(_escaped, WINDROW_PATHS))})",
        "passes": "\n".join(_LINE.format(path=path, inner=inner) for path in paths),
        "robots": "\n".join(f"#   {line}".rstrip() for line in render_robots_txt(f"{url}/oai")),
    }
    return ((_NGINX if proxy == "nginx" else _APACHE) + _ADVICE).format(**words)


def _escaped(path: str) -> str:
    return re.sub(r"([.+*?()\[\]{}^$|\\])", r"\\\1", path)
