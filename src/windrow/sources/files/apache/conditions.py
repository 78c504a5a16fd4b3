"""Whether what stands in a conditional section holds for a GET. Pure; used by `htaccess`.

The running web server is not at hand, so it is taken for an Apache 2.4 with its usual modules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from windrow.sources.files.apache.syntax import Block, Malformed

# An Apache 2.4 that reads .htaccess files for access control has these.
_MODULES = frozenset(
    {"auth_basic", "authn_core", "authn_file", "authz_core", "authz_host", "authz_user", "mime"}
)
# Apache knows methods by their names in upper case, and rejects a section about any other.
METHODS = frozenset(
    (
        *("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT"),
        *("PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK"),
    )
)
_LATE_2_4 = (2, 4, 99)
_FIRST_2_4 = (2, 4, 0)
_MODULE_NAME = re.compile(r"mod_(\w+)\.c|(\w+)_module")
_OPERATORS = frozenset({"=", "==", ">", ">=", "<", "<=", "~"})
_NUMBERS = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){0,2}")


def is_assumed(block: Block) -> bool | None:
    """Say whether a section's content holds for a GET; None where only the web server knows.

    Malformed for a section that may not stand in an .htaccess, or whose expression only Apache can read.
    """
    match block.name:
        case "limit":
            return _names_get(block.words)
        case "limitexcept":
            return not _names_get(block.words)
        case "ifmodule":
            return _has_module(block.words)
        case "ifversion":
            return _is_version(block.words)
        case "ifdefine" | "iffile" | "ifdirective" | "ifsection" if len(block.words) == 1:
            return None
    raise Malformed(f"<{block.name}> is not understood", block.line)


def module_of(block: Block) -> str:
    """Return the module that a section is for; "" where it is for none."""
    return _module(block.words[0]) if block.name == "ifmodule" and len(block.words) == 1 else ""


def _names_get(words: Sequence[str]) -> bool:
    """Say whether a GET is meant; Apache takes HEAD for GET."""
    if not words or not METHODS.issuperset(words):
        raise Malformed(f"{' '.join(words)} are not methods that can be limited")
    return not {"GET", "HEAD"}.isdisjoint(words)


def _module(word: str) -> str:
    """Return the name of a module without its affixes; "" where Apache would know no such module.

    It compares letter by letter with the file of the source (`mod_alias.c`) and the identifier
    (`alias_module`): `<IfModule !mod_alias>` holds in every Apache.
    """
    found = _MODULE_NAME.fullmatch(word)
    return (found[1] or found[2]) if found else ""


def _has_module(words: Sequence[str]) -> bool | None:
    if len(words) != 1:
        raise Malformed("<IfModule> needs the name of one module")
    is_negated = words[0].startswith("!")
    return not is_negated if _module(words[0].removeprefix("!")) in _MODULES else None


def _is_version(words: Sequence[str]) -> bool | None:
    """Compare with every release of 2.4: only what holds for all or for none of them is known."""
    if len(words) != 2 or not _NUMBERS.fullmatch(words[1]):
        raise Malformed(f"<IfVersion {' '.join(words)}> is not understood")
    asked = tuple(int(part) for part in words[1].split("."))
    match words[0]:
        case ">=":
            answers = {release >= asked for release in (_FIRST_2_4, _LATE_2_4)}
        case ">":
            answers = {release > asked for release in (_FIRST_2_4, _LATE_2_4)}
        case "<":
            answers = {release < asked for release in (_FIRST_2_4, _LATE_2_4)}
        case "<=":
            answers = {release <= asked for release in (_FIRST_2_4, _LATE_2_4)}
        case operator if operator.removeprefix("!") in _OPERATORS:
            return None
        case operator:
            raise Malformed(f"<IfVersion> with {operator}, which is no comparison")
    return answers.pop() if len(answers) == 1 else None
