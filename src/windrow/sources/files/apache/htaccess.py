"""One .htaccess file, parsed as far as it affects the response to a GET. Pure: bytes in, value out.

`configuration` parses the syntax, and `htaccess_scope` merges the result with outer folders. A line that
cannot affect access is skipped; one that can but is not understood closes the folder for everyone. So does a
file that Apache rejects, since it answers 500 to every request below. Both are kept as doubts for reports.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from windrow.sources.files.apache import access_control as who
from windrow.sources.files.apache import file_serving as how
from windrow.sources.files.apache.access_control import (
    Access,
    AccessDraft,
    Requirement,
    read_requirement,
    require_all,
    require_any,
    require_none,
)
from windrow.sources.files.apache.configuration import (
    VARIABLE,
    Block,
    Directive,
    Malformed,
    Node,
    is_assumed,
    is_text,
    module_of,
    parse_configuration,
)
from windrow.sources.files.apache.file_serving import Serving, read_serving
from windrow.sources.files.apache.rewriting import NO_REWRITING, Rewriting, RewritingDraft
from windrow.sources.files.name_patterns import compiles, match_bytes, match_file_pattern

# Harmless directives: those that cannot affect who may read a file, with their arguments. Every line that is
# not about access, rewriting or serving is checked against these. An unlisted directive may come from any
# module and do anything, and a listed one with invalid arguments makes Apache answer 500 to every request
# below. So both close the folder.

ANY_NUMBER = 10_000


class Shape(NamedTuple):
    """The arguments of a directive: how many, and patterns for the first and for each of them."""

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
# Of Apache's expressions, those that compare one request variable with a constant.
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
    # mod_autoindex: the layout of listings. What they leave out belongs to serving.
    **dict.fromkeys(("addalt", "addaltbyencoding", "addaltbytype", "adddescription"), _PAIRS),
    **dict.fromkeys(("addicon", "addiconbyencoding", "addiconbytype"), _PAIRS),
    **dict.fromkeys(("defaulticon", "headername", "readmename", "indexheadinsert", "indexstylesheet"), _ONE),
    "indexoptions": Shape(1, ANY_NUMBER, each=_INDEX_OPTIONS),
    "indexorderdefault": Shape(2, 2, "ascending|descending"),
    # mod_dir: requests for folders, and for files that do not exist
    "directoryindex": _SOME,
    "directoryslash": _FLAG,
    "fallbackresource": Shape(1, 1),
    # mod_env, mod_setenvif: conditions on the environment are unknown anyway
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
# Directives of modules that are rarely loaded, by prefix of their names. Without its module, a directive is
# unknown and Apache answers 500, except in a section for the module.
_OF_MODULES: Mapping[str, tuple[str, Shape]] = {
    **dict.fromkeys(("php_value", "php_flag"), ("php", Shape(2, 2))),
    **dict.fromkeys(("checkspelling", "checkcaseonly"), ("speling", _FLAG)),
    "modpagespeed": ("pagespeed", _ONE),
}
_HEADER_ACTIONS = {
    "set": 2, "append": 2, "add": 2, "merge": 2, "setifempty": 2, "note": 2,
    "unset": 1, "echo": 1, "edit": 3, "edit*": 3,
}  # fmt: skip
# mod_headers interprets `\n` and `\r` as ends of lines, which make Apache answer 500; `\%` escapes nothing.
_HEADER_VALUE = re.compile(r"(?:[^%\\]|\\[^nr%]|\\(?=%)|%%|%[tDlib]|%\{[^{}]*\}[es])*", re.DOTALL)
# A token (RFC 9110); mod_headers drops one colon.
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:?")
_FRAMING = frozenset({"transfer-encoding"})  # Apache answers 500, or with invalid HTTP
# The response depends on these headers, even if an .htaccess adds them to the request: it may be an error, a
# part of the file, or empty.
_DECISIVE = re.compile(r"if-.*|(?:request-)?range|expect|content-length|transfer-encoding", re.IGNORECASE)


def check_harmless(line: Directive, *, module: str) -> None:
    """Raise Malformed unless a directive is known not to affect access and has valid arguments.

    `module` is the one of the surrounding <IfModule> section, if any.
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


MAX_SECTIONS = 200
MAX_DOUBTS = 20  # reported for one file

_CHECKS: dict[str, Callable[[Sequence[Requirement]], Requirement]] = {
    "requireall": require_all,
    "requireany": require_any,
    "requirenone": require_none,
}
_LIMITED = frozenset({"require", "order", "allow", "deny", "satisfy"})  # what <Limit> restricts


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# The first argument that may be an empty text; an empty one before it counts as missing.
_MAY_BE_EMPTY_FROM = {
    "header": 2,
    "requestheader": 2,
    "setenv": 1,
    "directoryindex": 0,
    **dict.fromkeys(("rewritecond", "rewriterule", "allow", "deny"), 0),
}


class Doubt(NamedTuple):
    """A line that is not understood, and therefore closes everything it may apply to."""

    line: int  # 0: the file as a whole
    reason: str


@dataclass(frozen=True, slots=True)
class Section:
    """The rules of a <Files> or <FilesMatch> section, and the names they apply to."""

    pattern: str
    is_expression: bool
    access: Access
    serving: Serving
    digest: str  # identifies this section by its wording

    def covers(self, name: str) -> bool:
        """Return whether the section applies to a file name; an invalid pattern applies to all."""
        matches = match_bytes(self.pattern) if self.is_expression else match_file_pattern(self.pattern)
        return matches is None or matches(name)

    @property
    def bears_on_access(self) -> bool:
        """Return whether the section has access rules."""
        return self.access != who.NOTHING_SAID


@dataclass(frozen=True, slots=True)
class Htaccess:
    """The rules of one file, for everything below its folder and for single names."""

    access: Access = who.NOTHING_SAID
    serving: Serving = how.NOTHING_SAID
    sections: tuple[Section, ...] = ()
    rewriting: Rewriting = NO_REWRITING
    doubts: tuple[Doubt, ...] = ()

    @property
    def bears_on_access(self) -> bool:
        """Return whether the file has access rules, for all names or for some."""
        return self.access != who.NOTHING_SAID or any(section.bears_on_access for section in self.sections)


def closed(reason: str, line: int = 0) -> Htaccess:
    """Return rules that deny all access, for a file that Apache or Windrow cannot parse."""
    return Htaccess(access=who.BROKEN, doubts=(Doubt(line, reason),))


@lru_cache(maxsize=256)
def parse_htaccess(data: bytes) -> Htaccess:
    """Parse a file; an invalid one denies all access to its folder."""
    try:
        draft = _read(parse_configuration(data), _Draft())
        if len(draft.sections) > MAX_SECTIONS:
            raise Malformed(f"more than {MAX_SECTIONS} sections")
        rewriting = draft.rewriting.finish()
        doubts = (tuple(draft.doubts) + _rewriting_doubts(rewriting))[:MAX_DOUBTS]
        return Htaccess(draft.access.finish(), draft.serving, tuple(draft.sections), rewriting, doubts)
    except Malformed as exc:
        return closed(exc.reason, exc.line)


def _rewriting_doubts(rewriting: Rewriting) -> tuple[Doubt, ...]:
    rules = [Doubt(rule.line, rule.doubt) for rule in rewriting.rules if rule.doubt]
    redirects = [Doubt(each.line, each.doubt) for each in rewriting.redirects if each.doubt]
    return (*rules, *redirects)


@dataclass(slots=True)
class _Draft:
    access: AccessDraft = field(default_factory=AccessDraft)
    serving: Serving = how.NOTHING_SAID
    sections: list[Section] = field(default_factory=list)
    rewriting: RewritingDraft = field(default_factory=RewritingDraft)
    doubts: list[Doubt] = field(default_factory=list)

    @property
    def bears_on_access(self) -> bool:
        return self.access.finish() != who.NOTHING_SAID or not self.rewriting.is_empty


def _read(nodes: Sequence[Node], draft: _Draft, *, module: str = "") -> _Draft:
    """Process lines and sections into a draft."""
    for node in nodes:
        unknowns = draft.access.unknowns
        try:
            if isinstance(node, Directive):
                _read_line(node, draft, module=module)
            elif node.name in _CHECKS:
                draft.access.requires.append(_read_check(node))
            elif node.name in {"files", "filesmatch"}:
                draft.sections.append(_read_section(node, draft))
            else:
                _read_condition(node, draft)
        except Malformed as exc:
            raise Malformed(exc.reason, exc.line or node.line) from exc
        if draft.access.unknowns > unknowns:
            what = f"{node.name} {node.text}" if isinstance(node, Directive) else f"<{node.name}>"
            draft.doubts.append(
                Doubt(node.line, f"{what} depends on who asks from where, which is unknown here")
            )
    return draft


def _read_line(line: Directive, draft: _Draft, *, module: str) -> None:
    if "${" in line.text:
        raise Malformed(f"{line.name} {line.text} depends on a definition of the web server")
    if _CONTROL.search(line.text):
        raise Malformed(f"{line.name} with a control character, which the web server may refuse to send")
    if "" in line.words[: _MAY_BE_EMPTY_FROM.get(line.name, len(line.words))]:
        raise Malformed(f"{line.name} {line.text} has an empty argument, which counts as missing")
    if draft.access.take(line) or draft.rewriting.take(line):
        return
    serving = read_serving(line, module=module)
    if serving is not None:
        draft.serving = serving.over(draft.serving)
    else:
        check_harmless(line, module=module)


def _read_condition(block: Block, draft: _Draft) -> None:
    """Process a conditional section; if its condition is unknown, access rules in it deny access."""
    assumed = is_assumed(block)
    if block.name in {"limit", "limitexcept"}:
        _check_limit(block)
    module = module_of(block)
    if assumed:
        _read(block.children, draft, module=module)
    elif assumed is None:
        for is_own, nodes in groupby(block.children, lambda node: _is_of(node, module)):
            if is_own:
                _read(list(nodes), draft)
            else:
                _read_doubtful(list(nodes), draft, block, module=module)
    elif block.name in {"limit", "limitexcept"}:
        _read_other_methods(block, draft)


def _is_of(node: Node, module: str) -> bool:
    """Return whether a line is a rule or redirect in the section for its module.

    Without the module no such line would have an effect anywhere, so it may as well be outside of the
    section.
    """
    prefix = {"rewrite": "rewrite", "alias": "redirect"}.get(module)
    return prefix is not None and isinstance(node, Directive) and node.name.startswith(prefix)


def _read_doubtful(nodes: Sequence[Node], draft: _Draft, block: Block, *, module: str) -> None:
    """Process a section of which it is unknown whether it applies."""
    inner = _read(nodes, _Draft(), module=module)
    if inner.access.finish() != who.NOTHING_SAID or not draft.rewriting.take_doubtful(inner.rewriting):
        draft.access.is_broken = True
        draft.doubts.append(
            Doubt(block.line, f"whether <{block.name} {' '.join(block.words)}> holds is unknown")
        )
    draft.serving = inner.serving.in_doubt().over(draft.serving)
    draft.sections.extend(_doubted(section) for section in inner.sections)
    draft.doubts += inner.doubts


def _check_limit(block: Block) -> None:
    """Raise Malformed for sections that Apache does not allow inside <Limit>."""
    for node in block.children:
        if isinstance(node, Block):
            if node.name in {"files", "filesmatch", "limit", "limitexcept", "if", "elseif", "else"}:
                raise Malformed(f"<{node.name}> in <{block.name}> is not allowed", node.line)
            _check_limit(node)


def _read_other_methods(block: Block, draft: _Draft) -> None:
    """Process a section for methods other than GET: it restricts only access rules."""
    for node in block.children:
        inner = _read([node], _Draft())  # Apache parses it in any case, and may find errors
        if inner.access.requires:
            require_any(inner.access.requires)
        if isinstance(node, Directive):
            if node.name not in _LIMITED:
                _read([node], draft)
        elif inner.access.is_broken or not inner.rewriting.is_empty or inner.serving != how.NOTHING_SAID:
            draft.access.is_broken = True
            draft.doubts.append(Doubt(node.line, f"<{node.name}> in <{block.name}> is not understood"))


def _doubted(section: Section) -> Section:
    access = who.BROKEN if section.bears_on_access else section.access
    return replace(section, access=access, serving=section.serving.in_doubt())


def _read_section(block: Block, outer: _Draft) -> Section:
    """Process a section for some names. A pattern that is too costly applies to all, and denies access."""
    has_tilde = block.name == "files" and block.words[:1] == ("~",)
    words = block.words[1:] if has_tilde else block.words
    is_expression = block.name == "filesmatch" or has_tilde
    draft = _read(block.children, _Draft())
    if len(words) != 1 or not words[0] or draft.sections:
        raise Malformed(f"<{block.name} {' '.join(block.words)}> is not understood")
    if is_expression and not compiles(words[0]):
        raise Malformed(f"<{block.name}> with an expression that is not understood: {words[0]}")
    pattern = words[0] if is_expression else _canonical(words[0])
    access = draft.access.finish()
    is_lost = (match_bytes(pattern) if is_expression else match_file_pattern(pattern)) is None
    # The effect of a rewriting rule inside <Files> is not documented.
    if not draft.rewriting.is_empty or (is_lost and draft.bears_on_access):
        access = who.BROKEN
        outer.doubts.append(Doubt(block.line, f"<{block.name} {words[0]}> is not understood"))
    outer.doubts += draft.doubts
    return Section(
        pattern=pattern,
        is_expression=is_expression,
        access=access,
        serving=draft.serving,
        digest=hashlib.sha256(repr(block).encode("utf-8", "backslashreplace")).hexdigest()[:12],
    )


def _canonical(path: str) -> str:
    """Return the argument of <Files> as Apache compares it with names (`apr_filepath_merge`).

    `./a.txt` and `x/../a.txt` become a.txt; a path that still contains a slash matches no file.
    """
    kept: list[str] = ["/"] if path.startswith("/") else []
    pieces = path.split("/")
    for number, piece in enumerate(pieces, 1):
        if piece == ".." and kept and kept[-1] != "../":
            if kept[-1] != "/":
                kept.pop()
        elif piece not in ("", "."):
            kept.append(f"{piece}/" if number < len(pieces) or piece == ".." else piece)
    return "".join(kept)


def _read_check(block: Block) -> Requirement:
    """Return the requirement of a <RequireAll>, <RequireAny> or <RequireNone>."""
    if block.words:
        raise Malformed(f"<{block.name} {' '.join(block.words)}> is not understood")
    parts: list[Requirement] = []
    for node in block.children:
        if isinstance(node, Block) and node.name in _CHECKS:
            parts.append(_read_check(node))
        elif isinstance(node, Directive) and node.name == "require":
            parts.append(read_requirement(node))
        else:
            raise Malformed(f"{node.name} in <{block.name}> is not understood", node.line)
    return _CHECKS[block.name](parts)
