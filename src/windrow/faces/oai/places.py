"""The addresses that pages of one repository link to. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode

from windrow.faces.shared.site import Site

ASIDE = "-"  # no source or collection can be called so


@dataclass(frozen=True, slots=True)
class Places:
    """Where a repository is: `path` is that of all of them, `name` is empty for the whole library."""

    site: Site
    path: str
    name: str

    @property
    def base(self) -> str:
        """The path of the base URL."""
        return self._under("")

    @property
    def base_url(self) -> str:
        """The base URL, as harvesters need it."""
        return self.site.url + self.path + (f"/{quote(self.name)}" if self.name else "")

    @property
    def form(self) -> str:
        """Where forms are sent."""
        return self._under(f"/{ASIDE}/go")

    def ask(self, verb: str, **arguments: str) -> str:
        """Give the path of a request."""
        return f"{self.base}?{urlencode({'verb': verb, **arguments})}"

    def xml(self, pairs: list[tuple[str, str]]) -> str:
        """Give the path where the answer to a request is XML in a browser too."""
        query = urlencode(pairs, errors="replace")
        return self._under(f"/{ASIDE}/xml") + (f"?{query}" if query else "")

    def _under(self, aside: str) -> str:
        return self.site.path + self.path + aside + (f"/{quote(self.name)}" if self.name else "")
