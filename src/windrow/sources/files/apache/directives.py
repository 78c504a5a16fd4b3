"""The directives of an .htaccess that cannot affect who is given a file, with the arguments they take. Pure.

`htaccess` asks this for every line that is not about access, rewriting or the way files are served. A
directive that is not here may come from any module and do anything. A known one with arguments that Apache
rejects makes it answer 500 to every request below. So both close the folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from windrow.sources.files.apache.syntax import VARIABLE, Directive, Malformed, is_text
from windrow.sources.files.name_patterns import compiles

ANY_NUMBER = 10_000


class Shape(NamedTuple):
    """The arguments of a directive: how many, what the first is like, and what each is like."""

    least: int
    most: int
    first: str = ""
    each: str = ""


_ONE = Shape(1, 1)
_SOME = Shape(1, ANY_NUMBER)
_PAIRS = Shape(2, ANY_NUMBER)
_FLAG = Shape(1, 1, "on|off")
_STATUS = r"40[0-9]|41[0-7]|42[1-46]|428|429|431|451|50[0-8]|510|511"
_PERIOD = (
    r"[am]\d{1,10}|(?:access|now|modification)(?: +plus)?"
    r"(?: +\d{1,10} +(?:year|month|week|day|hour|minute|second)s?)+"
)
_INDEX_OPTIONS = (
    r"[+-]?(?:fancyindexing|foldersfirst|htmltable|iconheight|iconsarelinks|iconwidth|"
    r"ignorecase|ignoreclient|scanhtmltitles|showforbidden|suppresscolumnsorting|suppressdescription|"
    r"suppresshtmlpreamble|suppressicon|suppresslastmodified|suppressrules|suppresssize|trackmodified|"
    r"useolddateformat|versionsort|xhtml)|-(?:name|description)width|none|"
    r"\+?(?:(?:charset|type|iconheight|iconwidth)=\S+|namewidth=(?:\*|[6-9]|[1-9]\d+)|"
    r"descriptionwidth=(?:\*|1[2-9]|[2-9]\d|[1-9]\d\d+))"
)
_ICON = re.compile(r"\([^,()]+,[^,()]+\)|[^(].*", re.DOTALL)
# Of the expressions of Apache, those that compare one variable of the request with a constant.
_SIMPLE_EXPRESSION = re.compile(
    rf"expr=\s*{VARIABLE}\s*"
    r"(?:(?:==?|!=|-(?:eq|ne|lt|le|gt|ge))\s*(?:'[^'%$\\]*'|\d+)|(?:=~|!~)\s*(?:m#([^#]*)#|/([^/]*)/)i?)\s*"
)

_HARMLESS: Mapping[str, Shape] = {
    # core
    "acceptpathinfo": Shape(1, 1, "on|off|default"),
    "adddefaultcharset": _ONE,
    "contentdigest": _FLAG,
    "defaulttype": _ONE,  # without effect since 2.4
    "enablemmap": _FLAG,
    "enablesendfile": _FLAG,
    "errordocument": Shape(2, 2, _STATUS),
    "fileetag": Shape(1, ANY_NUMBER, each=r"[+-]?(?:inode|mtime|size|digest|all)|none"),
    "limitrequestbody": Shape(1, 1, r"\d{1,9}"),
    "limitxmlrequestbody": Shape(1, 1, r"\d{1,9}"),
    "serversignature": Shape(1, 1, "on|off|email"),
    # mod_autoindex: how listings look. What they leave out is a matter of serving.
    **dict.fromkeys(("addalt", "addaltbyencoding", "addaltbytype", "adddescription"), _PAIRS),
    **dict.fromkeys(("addicon", "addiconbyencoding", "addiconbytype"), _PAIRS),
    **dict.fromkeys(("defaulticon", "headername", "readmename", "indexheadinsert", "indexstylesheet"), _ONE),
    "indexoptions": Shape(1, ANY_NUMBER, each=_INDEX_OPTIONS),
    "indexorderdefault": Shape(2, 2, "ascending|descending"),
    # mod_dir: about requests for folders, and for files that do not exist
    "directoryindex": _SOME,
    "directoryslash": _FLAG,
    "fallbackresource": Shape(1, 1),
    # mod_env, mod_setenvif: where access depends on the environment, it is unknown anyway
    "passenv": _SOME,
    "unsetenv": _SOME,
    "setenv": Shape(1, 2),
    "setenvif": Shape(3, ANY_NUMBER),
    "setenvifnocase": Shape(3, ANY_NUMBER),
    "browsermatch": _PAIRS,
    "browsermatchnocase": _PAIRS,
    # mod_expires, mod_headers
    "expiresactive": _FLAG,
    "expiresdefault": Shape(1, 1, _PERIOD),
    "expiresbytype": Shape(2, 2),
    "header": _PAIRS,
    "requestheader": _PAIRS,
    # mod_mime, mod_negotiation
    **dict.fromkeys(("addcharset", "addencoding", "addlanguage", "addinputfilter"), _PAIRS),
    **dict.fromkeys(("removecharset", "removeencoding", "removehandler", "removeinputfilter"), _SOME),
    **dict.fromkeys(("removelanguage", "removeoutputfilter", "removetype", "languagepriority"), _SOME),
    "defaultlanguage": _ONE,
    "setinputfilter": _ONE,
    "forcelanguagepriority": Shape(1, ANY_NUMBER, each="none|prefer|fallback"),
}
# Of modules that are rarely there, with the beginnings of their names. Without its module a directive is
# unknown, and Apache answers 500, unless it stands in a section for the module.
_OF_MODULES: Mapping[str, tuple[str, Shape]] = {
    **dict.fromkeys(("php_value", "php_flag"), ("php", Shape(2, 2))),
    **dict.fromkeys(("checkspelling", "checkcaseonly"), ("speling", _FLAG)),
    "modpagespeed": ("pagespeed", _ONE),
}
_HEADER_ACTIONS = {
    "set": 2, "append": 2, "add": 2, "merge": 2, "setifempty": 2, "note": 2,
    "unset": 1, "echo": 1, "edit": 3, "edit*": 3,
}  # fmt: skip
# `\n` and `\r` are ends of lines to mod_headers, and make Apache answer 500; `\%` escapes nothing.
_HEADER_VALUE = re.compile(r"(?:[^%\\]|\\[^nr%]|\\(?=%)|%%|%[tDlib]|%\{[^{}]*\}[es])*", re.DOTALL)
# A token of RFC 9110; mod_headers drops one colon.
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:?")
_FRAMING = frozenset({"transfer-encoding"})  # Apache answers 500, or something that is no HTTP
# The answer depends on these, also where an .htaccess has written them into the request: it may be an
# error, a part of the file, or nothing.
_DECISIVE = re.compile(r"if-.*|(?:request-)?range|expect|content-length|transfer-encoding", re.IGNORECASE)


def check_harmless(line: Directive, *, module: str) -> None:
    """Raise Malformed unless a directive is known to leave access alone, and has arguments that Apache takes.

    `module`: the one whose section the line stands in, if any.
    """
    owner, of_module = _OF_MODULES.get(line.name, ("", None))
    shape = _HARMLESS.get(line.name) or (of_module if module.startswith(owner) else None)
    if shape is None:
        raise Malformed(f"the directive {line.name} is not understood", line.line)
    if not _fits(shape, line.words) or not _is_sound(line):
        raise Malformed(f"{line.name} {line.text} is not understood", line.line)


def _fits(shape: Shape, words: tuple[str, ...]) -> bool:
    if not shape.least <= len(words) <= shape.most:
        return False
    if shape.first and not re.fullmatch(shape.first, words[0], re.IGNORECASE):
        return False
    return not shape.each or all(re.fullmatch(shape.each, word, re.IGNORECASE) for word in words)


def _is_sound(line: Directive) -> bool:
    match line.name:
        case "errordocument":
            return is_text(line.words[1])
        case "setenvif" | "setenvifnocase":
            return bool(line.words[0]) and compiles(line.words[1]) and compiles(line.words[0])
        case "browsermatch" | "browsermatchnocase":
            return compiles(line.words[0])
        case "expiresbytype":
            return "/" in line.words[0] and re.fullmatch(_PERIOD, line.words[1], re.IGNORECASE) is not None
        case "addicon" | "addiconbyencoding" | "addiconbytype":
            return _ICON.fullmatch(line.words[0]) is not None
        case "indexorderdefault":
            return line.words[1].lower() in {"name", "date", "size", "description"}
        case "indexoptions" | "forcelanguagepriority":
            return len(line.words) == 1 or "none" not in map(str.lower, line.words)
        case "header" | "requestheader":
            return _is_header(line.words, is_request=line.name == "requestheader")
    return True


def _is_header(words: tuple[str, ...], *, is_request: bool) -> bool:
    if not is_request and words[0].lower() in {"always", "onsuccess"}:
        words = words[1:]
    action = words[0].lower() if words else ""
    needed = _HEADER_ACTIONS.get(action)
    if needed is None or (is_request and action in {"echo", "note"}):
        return False
    values, last = words[2 : needed + 1], words[needed + 1 :]
    is_conditional = not last or (len(last) == 1 and _is_header_condition(last[0]))
    if len(words) < needed + 1 or not is_conditional:
        return False
    if action == "echo":
        return compiles(words[1])
    if action != "note" and not _is_harmless_name(words[1], action=action, is_request=is_request):
        return False
    if needed == 3 and not compiles(values[0]):
        return False
    return all(_HEADER_VALUE.fullmatch(value) for value in values[needed == 3 :])


def _is_harmless_name(name: str, *, action: str, is_request: bool) -> bool:
    if not _HEADER_NAME.fullmatch(name):
        return False
    if action == "unset":
        return True
    plain = name.removesuffix(":").lower()
    return _DECISIVE.fullmatch(plain) is None if is_request else plain not in _FRAMING


def _is_header_condition(word: str) -> bool:
    if re.fullmatch("env=!?[^!].*", word):
        return True
    found = _SIMPLE_EXPRESSION.fullmatch(word)
    return found is not None and compiles(found[1] or found[2] or "")
