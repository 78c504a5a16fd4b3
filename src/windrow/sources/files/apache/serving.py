"""What .htaccess files say about how files are served: executed, left out of listings, of what type. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from windrow.sources.files.name_patterns import match_any


@dataclass(frozen=True, slots=True)
class Serving:
    """What happens to a file when somebody asks for it. None: nothing was said."""

    is_handled: bool | None = None  # SetHandler: everything is executed
    handled: frozenset[str] = frozenset()  # extensions that are executed
    unlisted: tuple[str, ...] = ()  # IndexIgnore
    forgets_unlisted: bool = False  # IndexIgnoreReset
    forced_type: str | None = None  # ForceType; "" ends an outer one
    types: tuple[tuple[str, str], ...] = ()  # AddType: extension and type, later ones win
    follows_links: bool | None = None  # Options FollowSymLinks
    rewrites: bool | None = None  # the Options allow mod_rewrite, which needs one of those for links

    def over(self, outer: Serving) -> Serving:
        """Give what holds where this is said inside the outer's reach."""
        return Serving(
            is_handled=outer.is_handled if self.is_handled is None else self.is_handled,
            handled=outer.handled | self.handled,
            unlisted=self.unlisted if self.forgets_unlisted else outer.unlisted + self.unlisted,
            forgets_unlisted=self.forgets_unlisted or outer.forgets_unlisted,
            forced_type=outer.forced_type if self.forced_type is None else self.forced_type,
            types=outer.types + self.types,
            follows_links=outer.follows_links if self.follows_links is None else self.follows_links,
            rewrites=outer.rewrites if self.rewrites is None else self.rewrites,
        )

    def in_doubt(self) -> Serving:
        """Return what of this hides files, for a section that may hold or not."""
        return replace(
            self,
            is_handled=self.is_handled or None,
            forgets_unlisted=False,
            follows_links=None if self.follows_links else self.follows_links,
            rewrites=None if self.rewrites else self.rewrites,
        )

    def hides(self, name: str) -> bool:
        """Say whether a file of this name would be executed, or is left out of listings."""
        if self.is_handled or self.unlists(name):
            return True
        return bool(self.handled) and not self.handled.isdisjoint(extensions(name))

    def unlists(self, name: str) -> bool:
        """Say whether a file or folder of this name is left out of listings."""
        return bool(self.unlisted) and match_any(self.unlisted)(name)

    def media_type(self, name: str) -> str | None:
        """Give the type a file is declared to have; None where nothing was said."""
        if self.forced_type:
            return self.forced_type
        if not self.types:
            return None
        declared = dict(self.types)
        known = (declared[extension] for extension in reversed(extensions(name)) if extension in declared)
        return next(known, None)


NOTHING_SAID = Serving()


def extensions(name: str) -> list[str]:
    """Give the extensions of a name as a web server sees them: all of them, in lower case.

    `page.php.txt` has two, and a handler for either would run it.
    """
    return name.lower().split(".")[1:]
