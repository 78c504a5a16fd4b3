"""What an error of the protocol means for a person, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from windrow.faces.oai.reading import Error


@dataclass(frozen=True, slots=True)
class Advice:
    """An error in plain words."""

    code: str
    words: str  # what the repository said
    meaning: str
    remedy: str


_ADVICE = {
    "badVerb": (
        "The request does not say what it wants, or says it twice.",
        "Choose one of the six requests in the menu above.",
    ),
    "badArgument": (
        "The request has something too much, lacks something, or has a value that makes no sense.",
        "Dates are written as 2024-01-31 or 2024-01-31T23:59:59Z, and both ends of a range in the same way.",
    ),
    "badResumptionToken": (
        "This link to a next page is damaged or belongs to another list.",
        "Start the list again from its first page.",
    ),
    "cannotDisseminateFormat": (
        "There is no such record in this metadata format.",
        "Look at the list of formats, or ask for oai_dc, which every record has.",
    ),
    "idDoesNotExist": (
        "There is no record with this identifier here.",
        "Check that the identifier is whole. A record that was deleted would say so.",
    ),
    "noRecordsMatch": (
        "Nothing here fits what was asked.",
        "Take a longer time, a larger set, or leave one of the two out.",
    ),
    "noMetadataFormats": ("This record has no metadata in any format.", "It may have been deleted."),
    "noSetHierarchy": ("This repository has no sets.", "Ask for its records without naming a set."),
}


def advice_on(error: Error) -> Advice:
    """Give an error in plain words."""
    meaning, remedy = _ADVICE.get(error.code, ("The repository refused this request.", "See what it said."))
    return Advice(error.code, error.words, meaning, remedy)
