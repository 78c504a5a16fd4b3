"""People and bodies in MARC fields 1XX, 6XX and 7XX: names, roles, identifiers.

Part of the marcxml reader.
"""

from __future__ import annotations

from windrow.formats.authorities import authority_of, best_of
from windrow.formats.draft import MEETING
from windrow.formats.elements import Draft
from windrow.formats.marcfields import Field
from windrow.formats.relators import is_creator, is_grantor, role_of
from windrow.formats.stated_names import trim

_CORPORATE = frozenset({"110", "410", "610", "710", "810"})
_MEETING = frozenset({"111", "411", "611", "711", "811"})
_PERSONAL = frozenset({"100", "400", "600", "700", "720", "800"})


def heading_of(field: Field) -> str:
    """Give the heading of a field: a person, a body, a meeting, a title, a topic."""
    if field.tag in _PERSONAL:
        return _person_of(field, "abcdqt" if field.tag == "600" else "abcd")
    if field.tag in _CORPORATE:
        return ". ".join(trim(value) for value in field.all("abt"))
    if field.tag in _MEETING:
        return _meeting_of(field)
    # Authority records of subdivisions (18X) have nothing but those.
    return ". ".join(trim(value) for value in field.all("abnp") or field.all("vxyz"))


def _person_of(field: Field, codes: str) -> str:
    """Give the name as catalogues write it: `Lacroix, Jean`, with numeral and title of nobility."""
    parts = [trim(value) for value in field.all(codes)]
    return ", ".join(part for part in parts if part)


def _meeting_of(field: Field) -> str:
    name = " ".join(trim(value) for value in field.all("ae"))
    details = [trim(value).strip("() ") for value in field.all("ndc")]
    details = [detail for detail in details if detail]
    return f"{name} ({' : '.join(details)})" if details else name


def is_article_shaped(fields: list[Field]) -> bool:
    """Tell whether names in 700 without a role are co-authors.

    In repositories and publishers' feeds they are; these give affiliations ($u) or report numbers,
    which catalogues of books do not. There a 700 may be anyone.
    """
    return any(
        field.tag in ("037", "088", "269") or (field.tag in ("100", "700") and field.peek("u"))
        for field in fields
    )


def add_agent(draft: Draft, field: Field, *, are_authors: bool) -> None:
    """Put the person or body into the draft as creator or contributor."""
    name = _name_of(field)
    title = trim(" ".join(field.all("tnp"))) if field.tag[0] == "7" and field.peek("t") else ""
    if title:  # an entry for another work that this one contains or speaks of
        draft.add_relation(f"{name}. {title}" if name else title)
        return
    if not name:
        return
    roles = _roles_of(field)
    identifiers = _identifiers_of(draft, field)
    if any(is_grantor(role) for role in roles):
        draft.add_institution(name)
    if field.tag in _MEETING:
        draft.add_contributor(name, role=roles[0] if roles else MEETING, identifier=best_of(identifiers))
        return
    makes = _makes(field, roles, are_authors=are_authors)
    add = draft.add_creator if makes else draft.add_contributor
    add(
        name,
        role=roles[0] if roles else None,
        identifier=best_of(identifiers),
        affiliations=field.all("u") if field.tag in ("100", "700") else (),
    )


def _name_of(field: Field) -> str:
    if field.tag == "720":  # one Czech union catalogue gives advisors in $i
        return trim(" ".join(field.all("ai")))
    if field.tag in ("100", "700"):  # the years of a life are not part of what people call someone
        return _person_of(field, "abc")
    return heading_of(field)


def _roles_of(field: Field) -> list[str]:
    words = (
        [role for value in field.all("e") if (role := role_of(value))] if field.tag not in _MEETING else []
    )
    codes = [role for value in field.all("4j" if field.tag in _MEETING else "4") if (role := role_of(value))]
    return list(dict.fromkeys(words + codes))


def _identifiers_of(draft: Draft, field: Field) -> list[str]:
    codes = "01j" if field.tag in ("100", "700") else "01"  # Hindawi has ORCID-0000-… in $j
    found = [value for text in field.all(codes) if (value := authority_of(text))]
    best = best_of(found)
    for value in found:
        if value != best:
            draft.add_extra(f"marc:{field.tag}$0", value)
    return found


def _makes(field: Field, roles: list[str], *, are_authors: bool) -> bool:
    if field.tag[0] == "1":
        return True
    if roles:
        return any(is_creator(role) for role in roles)
    return field.tag == "720" or (field.tag == "700" and are_authors)
