"""The shape of a document as JSON Schema: what `exports.portrait` makes of one. Empty fields are left out."""

from __future__ import annotations

from windrow.faces.api.schema_parts import NUMBER, TEXT, TEXTS, Schema, list_of, object_of
from windrow.model.document import LinkKind


def _some(properties: Schema, *, required: tuple[str, ...] = (), about: str) -> Schema:
    """An object that has what is required, and of the rest what is known."""
    return object_of(properties, optional=properties.keys() - set(required), about=about)


def _text(about: str) -> Schema:
    return {**TEXT, "description": about}


def _texts(about: str) -> Schema:
    return {**TEXTS, "description": about}


def _list(name: str, about: str) -> Schema:
    return {**list_of(name), "description": about}


_LANGUAGE = _text("An ISO 639 code, as far as the record has one.")

DOCUMENT_SCHEMAS: dict[str, Schema] = {
    "Document": _some(
        {
            "titles": list_of("Text"),
            "creators": list_of("Agent"),
            "contributors": list_of("Agent"),
            "subjects": _list("Subject", "From a vocabulary, or from the format's subject element."),
            "keywords": _texts("Free words, where the format tells them from subjects."),
            "descriptions": _list("Text", "Without markup."),
            "publishers": TEXTS,
            "dates": list_of("Date"),
            "year": {**NUMBER, "description": "Of publication, from the best of the dates."},
            "types": TEXTS,
            "languages": _texts("ISO 639 codes, two letters where there are two."),
            "pages": NUMBER,
            "links": list_of("Link"),
            "names": list_of("Name"),
            "rights": TEXTS,
            "sources": _texts("The journal, book or series it is part of; citations."),
            "relations": TEXTS,
            "institution": TEXT,
            "department": TEXT,
            "extra": {
                "type": "object",
                "additionalProperties": TEXTS,
                "description": "What no other field has a place for, by the format's own name for it.",
            },
            "events": list_of("Event"),
            "file": {"$ref": "#/components/schemas/HeldFile"},
            "units": _list(
                "Unit", "All it belongs to, by its sets; the first is institution and department."
            ),
            "collections": _texts("Of its repository, by the names of its sets."),
            "prerequisites": _texts("What a course asks for."),
            "exams": _texts("The degrees that a course counts towards."),
            "professions": _texts("The occupations that a course prepares for."),
        },
        about="What a record says, in the same fields whatever its format; without those that hold nothing.",
    ),
    "Unit": _some(
        {"institution": TEXT, "department": TEXT},
        about="An institution, a department of one, or a department whose institution nobody names.",
    ),
    "Text": _some({"value": TEXT, "language": _LANGUAGE}, required=("value",), about="Words in a language."),
    "Agent": _some(
        {
            "name": TEXT,
            "role": _text("author, advisor, editor, publisher … as the format says."),
            "identifier": _text("ORCID, GND, VIAF …; a URI where it is one."),
            "affiliations": TEXTS,
        },
        required=("name",),
        about="A person or an organisation, as the record names it.",
    ),
    "Subject": _some(
        {
            "value": TEXT,
            "scheme": _text("The vocabulary it is from."),
            "uri": _text("Its address in that."),
            "language": _LANGUAGE,
        },
        required=("value",),
        about="A topic.",
    ),
    "Date": _some(
        {"text": _text("As the record has it."), "kind": _text("issued, created, available …, or date.")},
        required=("text", "kind"),
        about="A date and what it is of.",
    ),
    "Link": _some(
        {
            "url": TEXT,
            "kind": {"type": "string", "enum": [kind.value for kind in LinkKind]},
            "label": TEXT,
            "media_type": TEXT,
        },
        required=("url", "kind"),
        about="An address, and what it leads to.",
    ),
    "Name": _some(
        {"scheme": _text("doi, isbn, issn, urn, hdl, arxiv, local."), "value": TEXT},
        required=("scheme", "value"),
        about="An identifier outside the repository.",
    ),
    "Event": _some(
        {
            "identifier": TEXT,
            "period": _text("A term, an era."),
            "kind": TEXT,
            "intensity": _text("Full time, half time …"),
            "place": TEXT,
            "language": _LANGUAGE,
            "time": _text("As the record has it."),
        },
        about="Something that happens to the thing or with it: a making, a showing, a round of a course.",
    ),
    "HeldFile": _some(
        {
            "path": _text("From its folder on, with slashes."),
            "member": _text("Inside the archive at `path`."),
            "media_type": _text("By its content."),
            "size": {**NUMBER, "description": "In bytes."},
            "sha256": _text("In hexadecimal digits."),
            "facts": {"type": "array", "items": object_of({"name": TEXT, "value": TEXT})},
        },
        required=("path", "media_type", "size", "sha256"),
        about="The file in a folder that the document is made of.",
    ),
}
