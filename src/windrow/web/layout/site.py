"""Where this server is for the world: public addresses, and the paths that links on pages use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from windrow.faces.shared.assets import asset_name


@dataclass(frozen=True)  # without slots: what is made of the address is kept
class Site:
    """The public address of an application, without a slash at its end, and its title.

    Links use only the path of it: a page then works on every address by which it was reached.
    """

    url: str
    title: str
    assets: str = "/static"  # where style sheets are, from `url` on

    @cached_property
    def path(self) -> str:
        """The path at which the application is for the world; empty at the root of a host."""
        return urlsplit(self.url).path.rstrip("/")

    @cached_property
    def home(self) -> str:
        """The path of the first page."""
        return self.path or "/"

    @cached_property
    def style(self) -> str:
        """The path of the style sheet."""
        return self.asset("windrow.css")

    @cached_property
    def icon(self) -> str:
        """The path of the little picture in the browser's tab."""
        return self.asset("windrow.svg")

    @cached_property
    def script(self) -> str:
        """The path of the script that makes pages handier."""
        return self.asset("windrow.js")

    def asset(self, name: str) -> str:
        """Give the path of a file that pages load."""
        return f"{self.path}{self.assets}/{asset_name(name)}"
