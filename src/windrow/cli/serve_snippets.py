"""What to tell a web server that stands in front of `windrow serve`. Pure."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from windrow.faces.front.robots import robots_line

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - the proxy is on this machine

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
<Location "{path}">
    ProxyPass "{inner}{path}" timeout=120 nocanon
    LimitRequestBody 65536
</Location>
"""
_ADVICE = """\

# In windrow.toml, so that answers name the public address:
#   [serve]
#   url = "{url}"

# In the robots.txt of {host}, so that harvesters find the repository:
#   {robots}
"""


def snippet(proxy: str, url: str, *, host: str, port: int) -> str:
    """Give the lines for a web server at a public address that passes on what is ours.

    At the root of a host that is the repository alone: the rest of the site stays the web server's own.
    """
    parts = urlsplit(url)
    inner_host = _EVERYWHERE.get(host, host)
    words = {
        "host": parts.netloc,
        "url": url,
        "inner": f"http://[{inner_host}]:{port}" if ":" in inner_host else f"http://{inner_host}:{port}",
        "path": parts.path or "/oai",
        "pattern": re.sub(r"([.+*?()\[\]{}^$|\\])", r"\\\1", parts.path or "/oai"),
        "robots": robots_line(f"{url}/oai"),
    }
    return ((_NGINX if proxy == "nginx" else _APACHE) + _ADVICE).format(**words)
