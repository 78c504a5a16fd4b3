"""How .htaccess files have files served: executed, left out of listings, with which media type. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from windrow.sources.files.apache.configuration import Directive, Malformed
from windrow.sources.files.name_patterns import match_any


@dataclass(frozen=True, slots=True)
class Serving:
    """How a file is served. None means not specified."""

    is_handled: bool | None = None  # SetHandler: every file is executed
    handled: frozenset[str] = frozenset()  # extensions that are executed
    unlisted: tuple[str, ...] = ()  # IndexIgnore
    forgets_unlisted: bool = False  # IndexIgnoreReset
    forced_type: str | None = None  # ForceType; "" ends an outer one
    types: tuple[tuple[str, str], ...] = ()  # AddType: extension and type, later ones win
    follows_links: bool | None = None  # Options FollowSymLinks
    rewrites: bool | None = None  # the Options allow mod_rewrite, which requires a FollowSymLinks option

    def over(self, outer: Serving) -> Serving:
        """Return the settings in force where these are nested in outer ones."""
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
        """Return the settings that hide files, for a section that may or may not apply."""
        return replace(
            self,
            is_handled=self.is_handled or None,
            forgets_unlisted=False,
            follows_links=None if self.follows_links else self.follows_links,
            rewrites=None if self.rewrites else self.rewrites,
        )

    def hides(self, name: str) -> bool:
        """Return whether a file of this name is executed or left out of listings."""
        if self.is_handled or self.unlists(name):
            return True
        return bool(self.handled) and not self.handled.isdisjoint(extensions(name))

    def unlists(self, name: str) -> bool:
        return bool(self.unlisted) and match_any(self.unlisted)(name)

    def media_type(self, name: str) -> str | None:
        if self.forced_type:
            return self.forced_type
        if not self.types:
            return None
        declared = dict(self.types)
        known = (declared[extension] for extension in reversed(extensions(name)) if extension in declared)
        return next(known, None)


NOTHING_SAID = Serving()


def extensions(name: str) -> list[str]:
    """Return all extensions of a name in lower case, as Apache does.

    `page.php.txt` has two, and a handler for either would run it.
    """
    return name.lower().split(".")[1:]


_STATIC_HANDLERS = frozenset({"none", "default-handler"})
_EXECUTING_SIGNS = ("x-httpd-", "server-parsed", "includes", "php", "type-map", "send-as-is")
_PLAIN_FILTERS = frozenset({"none", "deflate", "brotli_compress"})  # other filters may withhold parts
_FILTERS = frozenset({"deflate", "includes"})  # filters of modules that are nearly always loaded
_OPTIONS = frozenset(
    {
        "indexes",
        "includes",
        "includesnoexec",
        "execcgi",
        "multiviews",
        "followsymlinks",
        "symlinksifownermatch",
    }
)
_NEEDED = {"addhandler": 2, "addtype": 2, "addoutputfilter": 2, "addoutputfilterbytype": 2}
_SINGLE = frozenset({"sethandler", "forcetype", "setoutputfilter", "indexignorereset"})


def read_serving(line: Directive, *, module: str = "") -> Serving | None:
    """Return the settings of one line; None for a line about something else.

    `module` is the one of the surrounding <IfModule> section, if any.
    """
    words = len(line.words)
    if words < _NEEDED.get(line.name, 0) or (line.name in _SINGLE and words != 1):
        raise Malformed(f"{line.name} {line.text} is not understood", line.line)
    first = line.words[0] if line.words else ""
    endings = frozenset(word.lower().lstrip(".") for word in line.words[1:])
    match line.name:
        case "sethandler":
            return Serving(is_handled=first.lower() not in _STATIC_HANDLERS)
        case "addhandler":
            return Serving(handled=endings)
        case "addtype" if is_executing(first):
            return Serving(handled=endings)
        case "addoutputfilter":
            return Serving(handled=frozenset() if _is_plain(first) else endings)
        case "addoutputfilterbytype" if not _are_registered(first, module):
            raise Malformed(f"AddOutputFilterByType {line.text} is not understood", line.line)
        case "setoutputfilter" | "addoutputfilterbytype":
            return Serving(is_handled=None if _is_plain(first) else True)
        case "forcetype" if is_executing(first):
            return Serving(is_handled=True)
        case "addtype":
            return Serving(types=tuple((ending, first) for ending in sorted(endings)))
        case "forcetype":
            return Serving(forced_type="" if first.lower() == "none" else first)
        case "indexignore" if words:
            return Serving(unlisted=line.words)
        case "indexignorereset" if first.lower() in {"on", "off"}:
            return Serving(forgets_unlisted=first.lower() == "on")
        case "options":
            return _read_options(line)
    return None


def _read_options(line: Directive) -> Serving:
    """Return the Options for links. SymLinksIfOwnerMatch counts as not following links."""
    words = line.words
    starts_whole = len(words) > 1 and words[0].lower() == "all" and "symlinks" not in line.text.lower()
    if starts_whole and all(word[:1] in {"+", "-"} for word in words[1:]):
        # `Options All -Indexes`, which Apache accepts and many people write
        words = ("+FollowSymLinks", *words[1:])
    signs = {word[0] if word[:1] in {"+", "-"} else "" for word in words}
    names = {word.lstrip("+-").lower(): word[:1] for word in words}
    is_whole = set(names) <= {"all", "none"} and len(words) == 1 and signs == {""}
    if not is_whole and not (names.keys() <= _OPTIONS and signs and ("" not in signs or signs == {""})):
        raise Malformed(f"Options {line.text} is not understood", line.line)
    if is_whole:
        is_all = "all" in names
        return Serving(follows_links=is_all, rewrites=is_all)
    links, by_owner = names.get("followsymlinks"), names.get("symlinksifownermatch")
    if signs == {""}:
        return Serving(follows_links=links is not None, rewrites=bool(links or by_owner))
    if links is None and by_owner is None:
        return NOTHING_SAID
    return Serving(
        follows_links=links == "+" and by_owner is None,
        rewrites="+" in {links, by_owner},
    )


def _is_plain(filters: str) -> bool:
    return all(name.lower() in _PLAIN_FILTERS for name in filters.split(";"))


def _are_registered(filters: str, module: str) -> bool:
    """Return whether Apache has these filters; without one of them it answers 500 for everything below."""
    usual = _FILTERS if module != "brotli" else {*_FILTERS, "brotli_compress"}
    return all(name.lower() in usual for name in filters.split(";"))


def is_executing(word: str) -> bool:
    """Return whether a type or filter makes the server execute what it serves."""
    return any(sign in word.lower() for sign in _EXECUTING_SIGNS)
