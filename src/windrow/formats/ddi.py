"""DDI Codebook (1.x to 2.5): studies in the social sciences.

Only the description of the study (`stdyDscr`) is mapped; the description of the DDI document itself stays
in `extra`.
"""

from __future__ import annotations

from lxml import etree

from windrow.formats.mapping.xml_records import (
    ABSTRACT,
    ALTERNATIVE,
    IDENTIFIER,
    PUBLISHER,
    RIGHTS,
    TITLE,
    Draft,
    Rule,
    Trail,
    contributed,
    dated,
    element_language,
    local_name,
    read_paths,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document


class Ddi:
    """Reader of DDI Codebook."""

    name = "oai_ddi25"
    prefixes = frozenset(
        ("ddi", "ddi25", "ddi_c", "oai_ddi", "oai_ddi122", "ddi122", "ddi-codebook", "codebook")
    )
    roots = frozenset(
        (
            "{ddi:codebook:2_5}codeBook",
            "{ddi:codebook:2_1}codeBook",
            "{http://www.icpsr.umich.edu/DDI}codeBook",
            "{http://www.icpsr.umich.edu/DDI/Version1-2}codeBook",
            "codeBook",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft = Draft("ddi")
        if len(root):
            draft.add_type(DATASET)  # regardless of the kinds of data in it
        read_paths(root, draft, _RULES)
        return draft.finish()


def _subject(draft: Draft, element: etree._Element, trail: Trail) -> None:
    # `vocabURI` is the address of the vocabulary, not of the topic, and stays in extra.
    scheme = trail.value(element, "vocab")
    draft.add_subject(trail.use(element), scheme=scheme or None, language=element_language(element))


def _holdings(draft: Draft, element: etree._Element, trail: Trail) -> None:
    draft.add_identifier(trail.value(element, "URI"))
    draft.add_extra(f"ddi:{local_name(element)[:64]}", trail.use(element))


DATASET = "Dataset"
_STUDY = "stdydscr/citation"
_RULES: dict[str, Rule] = {
    f"{_STUDY}/titlstmt/titl": TITLE,
    f"{_STUDY}/titlstmt/subtitl": ALTERNATIVE,
    f"{_STUDY}/titlstmt/alttitl": ALTERNATIVE,
    f"{_STUDY}/titlstmt/partitl": ALTERNATIVE,
    f"{_STUDY}/titlstmt/idno": IDENTIFIER,
    f"{_STUDY}/rspstmt/authenty": contributed(None, is_creator=True),
    f"{_STUDY}/rspstmt/othid": contributed(None),
    f"{_STUDY}/prodstmt/producer": contributed("producer"),
    f"{_STUDY}/prodstmt/fundag": contributed("funder"),
    f"{_STUDY}/prodstmt/copyright": RIGHTS,
    f"{_STUDY}/prodstmt/proddate": dated("created", "date"),
    f"{_STUDY}/diststmt/distrbtr": PUBLISHER,
    f"{_STUDY}/diststmt/depositr": contributed("depositor"),
    f"{_STUDY}/diststmt/distdate": dated("issued", "date"),
    f"{_STUDY}/diststmt/depdate": dated("submitted", "date"),
    f"{_STUDY}/holdings": _holdings,
    "stdyinfo/subject/keyword": _subject,
    "stdyinfo/subject/topcclas": _subject,
    "stdyinfo/abstract": ABSTRACT,
    "sumdscr/colldate": dated("collected", "date"),
    "sumdscr/datakind": lambda draft, element, trail: draft.add_type(trail.use(element)),
    "dataaccs/usestmt/conditions": RIGHTS,
    "dataaccs/usestmt/restrctn": RIGHTS,
}

READER: Reader = Ddi()
