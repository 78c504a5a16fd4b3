"""Whether what stands in a conditional block holds for a GET. Pure; used by `htaccess`.

The running web server is not at hand, so it is taken for an Apache 2.4 with its usual modules.
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow.sources.files.apache.syntax import Block

# An Apache 2.4 that reads .htaccess files for access control has these.
_MODULES = frozenset(
    {"auth_basic", "authn_core", "authn_file", "authz_core", "authz_host", "authz_user", "mime"}
)
_LATE_2_4 = (2, 4, 99)
_FIRST_2_4 = (2, 4, 0)


def is_assumed(block: Block) -> bool | None:
    """Say whether a block's content holds for a GET; None where only the web server knows."""
    match block.name:
        case "limit":
            return _names_get(block.words)
        case "limitexcept":
            return not _names_get(block.words)
        case "ifmodule":
            return _has_module(block.words)
        case "ifversion":
            return _is_version(block.words)
    return None


def _names_get(words: Sequence[str]) -> bool:
    return "GET" in {word.upper() for word in words}


def _has_module(words: Sequence[str]) -> bool | None:
    if len(words) != 1:
        return None
    is_negated = words[0].startswith("!")
    name = words[0].removeprefix("!").lower()
    bare = name.removeprefix("mod_").removesuffix(".c").removesuffix("_module")
    return not is_negated if bare in _MODULES else None


def _is_version(words: Sequence[str]) -> bool | None:
    """Compare with every release of 2.4: only what holds for all or for none of them is known."""
    if len(words) != 2:
        return None
    try:
        asked = tuple(int(part) for part in words[1].split("."))
    except ValueError:
        return None
    match words[0]:
        case ">=":
            answers = {release >= asked for release in (_FIRST_2_4, _LATE_2_4)}
        case ">":
            answers = {release > asked for release in (_FIRST_2_4, _LATE_2_4)}
        case "<":
            answers = {release < asked for release in (_FIRST_2_4, _LATE_2_4)}
        case "<=":
            answers = {release <= asked for release in (_FIRST_2_4, _LATE_2_4)}
        case _:
            return None
    return answers.pop() if len(answers) == 1 else None
