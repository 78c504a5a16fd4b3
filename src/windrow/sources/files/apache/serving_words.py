"""What one .htaccess line says about how files are served. Pure; used by `htaccess`."""

from __future__ import annotations

from windrow.sources.files.apache.serving import NOTHING_SAID, Serving
from windrow.sources.files.apache.syntax import Directive

_STATIC_HANDLERS = frozenset({"none", "default-handler"})
_EXECUTING_SIGNS = ("x-httpd-", "server-parsed", "includes", "php")


def read_serving(line: Directive) -> Serving:
    """Give what the line says; NOTHING_SAID for a line about something else."""
    first = line.words[0] if line.words else ""
    endings = frozenset(word.lower().lstrip(".") for word in line.words[1:])
    match line.name:
        case "sethandler":
            return Serving(is_handled=first.lower() not in _STATIC_HANDLERS)
        case "addhandler":
            return Serving(handled=endings)
        case "addtype" | "addoutputfilter" if _is_executing(first):
            return Serving(handled=endings)
        case "forcetype" | "setoutputfilter" if _is_executing(first):
            return Serving(is_handled=True)
        case "addtype":
            return Serving(types=tuple((ending, first) for ending in sorted(endings)))
        case "forcetype":
            return Serving(forced_type="" if first.lower() == "none" else first)
        case "indexignore":
            return Serving(unlisted=line.words)
        case "indexignorereset":
            return Serving(forgets_unlisted=first.lower() == "on")
    return NOTHING_SAID


def _is_executing(word: str) -> bool:
    """Say whether a type or filter of this name makes the server run what it serves."""
    return any(sign in word.lower() for sign in _EXECUTING_SIGNS)
