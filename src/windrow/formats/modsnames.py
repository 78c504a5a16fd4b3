"""People and bodies in MODS: names put together, roles, identifiers. Part of the mods reader."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from windrow.formats.authorities import authority_of, best_of
from windrow.formats.draft import MEETING
from windrow.formats.elements import Draft, local
from windrow.formats.leftovers import Trail
from windrow.formats.relators import is_creator, is_grantor, is_publisher, role_of

_BEHIND = ("originator", "publisher", "degree granting institution", "host institution")
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"


def name_of(name: etree._Element, trail: Trail, *, with_dates: bool = False) -> str:
    """Give the name in one line: `Family, Given`, or the parts of a body from the large to the small."""
    parts: dict[str, list[str]] = {}
    for part in _children(name, "namePart"):
        kind = part.get("type") or ""
        if kind in ("", "family", "given") or (kind == "date" and with_dates):
            parts.setdefault(kind, []).append(trail.use(part))
    whole = ", ".join(filter(None, (" ".join(parts.get("family", [])), " ".join(parts.get("given", [])))))
    if not whole:
        joint = ". " if name.get("type") in ("corporate", "conference") else ", "
        whole = joint.join(text.rstrip(".") if joint == ". " else text for text in parts.get("", []) if text)
    if not whole:
        whole = " ".join(trail.use(form) for form in _children(name, "displayForm"))
    return ", ".join(filter(None, (whole, *parts.get("date", []))))


def add_name(name: etree._Element, draft: Draft, trail: Trail, *, has_publisher: bool) -> None:
    """Put a person or body into the draft as creator or contributor.

    Scandinavian repositories name the department as publisher of what a journal published; where
    the record names a publisher elsewhere, that one counts.
    """
    words = name_of(name, trail)
    if not words:
        return
    roles = _roles_of(name, trail)
    _add_institution(name, words, roles, draft)
    if any(is_publisher(role) for role in roles) and not has_publisher:
        draft.add_publisher(words)
    for other in roles[1:]:
        draft.add_extra("mods:name/role", other)
    add = draft.add_creator if _makes(name, roles) else draft.add_contributor
    add(
        words,
        role=roles[0] if roles else MEETING if name.get("type") == MEETING else None,
        identifier=_identifier_of(name, trail),
        affiliations=[trail.use(place) for place in _children(name, "affiliation")],
    )


def _add_institution(name: etree._Element, words: str, roles: list[str], draft: Draft) -> None:
    """Take institution and department from the body behind the work.

    Scandinavian records name it from the large to the small: university, school, department.
    """
    parts = [part.text or "" for part in _children(name, "namePart")]
    is_behind = name.get("type") == "corporate" and any(role in _BEHIND for role in roles)
    if is_behind and len(parts) > 1:
        draft.add_institution(parts[0])
        draft.add_department(parts[-1])
    elif any(is_grantor(role) for role in roles):
        draft.add_institution(words)


def _children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    return (child for child in element if local(child) in names)


def _roles_of(name: etree._Element, trail: Trail) -> list[str]:
    """Give the roles as words; a code beside its word says nothing new."""
    found: dict[str, None] = {}
    for role in _children(name, "role"):
        terms = list(_children(role, "roleTerm")) or [role]
        terms.sort(key=lambda term: term.get("type") == "code")
        words = [word for term in terms if (word := role_of(trail.use(term)))]
        found.update(dict.fromkeys(words))
    return list(found)


def _makes(name: etree._Element, roles: list[str]) -> bool:
    """Tell whether this is a maker: by role, and by default someone without one; a meeting never is.

    A body that is `originator` is in Scandinavian records the department behind the authors.
    """
    if name.get("type") == MEETING or (name.get("type") == "corporate" and "originator" in roles):
        return False
    return not roles or any(is_creator(role) for role in roles)


def _identifier_of(name: etree._Element, trail: Trail) -> str | None:
    """Give the identifier that says most; the others stay for extra."""
    attributes = ("valueURI", _XLINK_HREF)
    found = [trail.value(name, key) for key in attributes if "://" in (name.get(key) or "")]
    numbered = [(child, number) for child in name if (number := _number_of(child))]
    best = best_of([*found, *(number for _, number in numbered)])
    for child, number in numbered:
        if number == best:
            trail.skip(child)
    return best


def _number_of(child: etree._Element) -> str:
    """Give the identifier that an element holds: DiVA writes ORCIDs as a description, `orcid.org=0000-…`."""
    if local(child) == "nameIdentifier":
        scheme = child.get("type") or ""
        number = authority_of(child.text or "", scheme) or ""
        is_known = not number or "://" in number or number.startswith("info:")
        return number if is_known else f"{scheme}:{number}"
    if local(child) == "description":
        scheme, _, number = (child.text or "").partition("=")
        if child.get("type") == "orcid" or scheme.strip() == "orcid.org":
            return authority_of(number or scheme, "orcid") or ""
    return ""
