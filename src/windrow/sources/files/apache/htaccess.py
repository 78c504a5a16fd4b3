"""What one .htaccess file says, as far as it bears on what a GET would show. Pure: bytes in, value out.

`syntax` has taken the text apart, `scope` lays the outcome over what outer folders say. The rule
throughout: what is not understood and concerns access closes the folder to everybody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from windrow.sources.files.apache import access as who
from windrow.sources.files.apache import refusals as refusing
from windrow.sources.files.apache import serving as how
from windrow.sources.files.apache.access import Access
from windrow.sources.files.apache.access_words import AccessDraft
from windrow.sources.files.apache.conditions import is_assumed
from windrow.sources.files.apache.refusals import RefusalDraft, Refusals
from windrow.sources.files.apache.require_words import (
    read_requirement,
    require_all,
    require_any,
    require_none,
)
from windrow.sources.files.apache.requirement import UNKNOWN, Requirement
from windrow.sources.files.apache.serving import Serving
from windrow.sources.files.apache.serving_words import read_serving
from windrow.sources.files.apache.syntax import Block, Directive, Malformed, Node, parse_configuration
from windrow.sources.files.name_patterns import match_expression, match_glob

MOST_SECTIONS = 200

_CHECKS: dict[str, Callable[[Sequence[Requirement]], Requirement]] = {
    "requireall": require_all,
    "requireany": require_any,
    "requirenone": require_none,
}


@dataclass(frozen=True, slots=True)
class Section:
    """What a <Files> or <FilesMatch> block says, and of which names."""

    pattern: str
    is_expression: bool
    access: Access
    serving: Serving
    digest: str  # names this block, and no other wording of it

    def covers(self, name: str) -> bool:
        """Say whether a file of this name is meant; every file is where the pattern makes no sense."""
        matches = match_expression(self.pattern) if self.is_expression else match_glob(self.pattern)
        return matches is None or matches(name)

    @property
    def bears_on_access(self) -> bool:
        """Say whether the block has a word on who may come in."""
        return self.access != who.NOTHING_SAID


@dataclass(frozen=True, slots=True)
class Htaccess:
    """What one file says: of everything below its folder, and of single names."""

    access: Access = who.NOTHING_SAID
    serving: Serving = how.NOTHING_SAID
    sections: tuple[Section, ...] = ()
    refusals: Refusals = refusing.NOTHING_SAID

    @property
    def bears_on_access(self) -> bool:
        """Say whether the file has a word on who may come in, for all names or for some."""
        return self.access != who.NOTHING_SAID or any(section.bears_on_access for section in self.sections)


UNREADABLE = Htaccess(access=who.BROKEN)


@lru_cache(maxsize=256)
def parse_htaccess(data: bytes) -> Htaccess:
    """Give what a file says; one that makes no sense closes its folder to everybody."""
    try:
        draft = _read(parse_configuration(data))
        if len(draft.sections) > MOST_SECTIONS:
            raise Malformed("too many blocks")
        refusals = draft.refusals.finish()
        return Htaccess(draft.access.finish(), draft.serving, tuple(draft.sections), refusals)
    except Malformed:
        return UNREADABLE


@dataclass(slots=True)
class _Draft:
    access: AccessDraft = field(default_factory=AccessDraft)
    serving: Serving = how.NOTHING_SAID
    sections: list[Section] = field(default_factory=list)
    refusals: RefusalDraft = field(default_factory=RefusalDraft)

    @property
    def bears_on_access(self) -> bool:
        return self.access.finish() != who.NOTHING_SAID


def _read(nodes: Sequence[Node], draft: _Draft | None = None) -> _Draft:
    """Take lines and blocks into a draft, a new one unless it is given."""
    draft = draft or _Draft()
    for node in nodes:
        if isinstance(node, Directive):
            draft.access.take(node)
            draft.refusals.take(node)
            draft.serving = read_serving(node).over(draft.serving)
        elif node.name in _CHECKS:
            draft.access.requires.append(_read_check(node))
        elif node.name in {"files", "filesmatch"}:
            draft.sections.append(_read_section(node))
        else:
            _read_condition(node, draft)
    return draft


def _read_condition(block: Block, draft: _Draft) -> None:
    """Take a block in or leave it out; where that depends on what is not known, nobody may come in.

    What such a block says about serving holds in any case: that hides more, hardly ever less.
    """
    assumed = is_assumed(block)
    if assumed:
        _read(block.children, draft)
    elif assumed is None:
        inner = _read(block.children)
        draft.access.is_broken |= inner.bears_on_access
        draft.serving = inner.serving.over(draft.serving)
        draft.sections.extend(_doubted(section) for section in inner.sections)
        draft.refusals.join(inner.refusals)


def _doubted(section: Section) -> Section:
    return replace(section, access=who.BROKEN) if section.bears_on_access else section


def _read_section(block: Block) -> Section:
    """Read a block about some names. A pattern that is wrong or costly covers all, and lets nobody in."""
    words = block.words[1:] if block.words[:1] == ("~",) else block.words
    is_expression = block.name == "filesmatch" or words != block.words
    draft = _read(block.children)
    access = draft.access.finish()
    pattern = words[0] if len(words) == 1 else ""
    is_lost = not pattern or (is_expression and match_expression(pattern) is None)
    # A block of names within another one is not allowed there.
    if any(section.bears_on_access for section in draft.sections) or (is_lost and draft.bears_on_access):
        access = who.BROKEN
    return Section(
        pattern="*" if is_lost else pattern,
        is_expression=is_expression and not is_lost,
        access=access,
        serving=draft.serving,
        digest=hashlib.sha256(repr(block).encode("utf-8", "backslashreplace")).hexdigest()[:12],
    )


def _read_check(block: Block) -> Requirement:
    """Give the requirement of a <RequireAll>, <RequireAny> or <RequireNone>."""
    parts: list[Requirement] = []
    for node in block.children:
        if isinstance(node, Block):
            parts.append(_read_check(node) if node.name in _CHECKS else UNKNOWN)
        elif node.name == "require":
            parts.append(read_requirement(node.words))
    return _CHECKS[block.name](parts)
