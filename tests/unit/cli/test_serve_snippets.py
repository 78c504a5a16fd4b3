"""What a web server in front is told to pass on."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

from windrow.serve.proxy_snippets import WINDROW_PATHS, snippet
from windrow.web.front_ends import library_front_ends
from windrow.wiring import create_library, open_library

# Besides what every library shows to people: documents are there where there are folders of them.
_OTHERS = ("oai", "static", "health", "document", "gallery")


def test_at_the_root_of_a_host_every_face_is_passed_on_and_nothing_else(tmp_path: Path) -> None:
    with closing(open_library(str(create_library(tmp_path / "library")))) as library:
        public = library_front_ends(
            library.config,
            library.index,
            library.store,
            url="https://a.example",
            drawer=library.drawer,
            databases=library.databases,
        )
    assert {each.partition("/")[0] for each in WINDROW_PATHS} == {*public, *_OTHERS} - {""}
    said = snippet("nginx", "https://a.example", host="127.0.0.1", port=8000)
    pattern = re.compile(said.partition("location ~ ")[2].partition(" {")[0])
    assert all(pattern.match(f"/{each}") and pattern.match(f"/{each}/17") for each in WINDROW_PATHS)
    for other in (
        "/",
        "/robots.txt",
        "/index.html",
        "/oaix",
        "/recordings/1",
        "/.well-known/acme-challenge/x",
    ):
        assert pattern.match(other) is None


def test_below_a_path_all_of_it_is_passed_on() -> None:
    said = snippet("apache", "https://a.example/lib.1", host="::", port=8000)
    assert (
        'ProxyPass "/lib.1" "http://[::1]:8000/lib.1" timeout=120 nocanon\n<LocationMatch "^/lib\\.1(/|$)">'
        in said
    )
