from __future__ import annotations

import pytest

from windrow.formats.citations.csl_json import write_csl_json
from windrow.formats.citations.reference_fields import THESES, WorkKind, work_kind
from windrow.model.controlled_values import TYPE, load_controlled_values
from windrow.model.document import Document


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("http://purl.org/coar/resource_type/c_db06", WorkKind.DOCTORAL),
        ("http://purl.org/coar/resource_type/c_6501", WorkKind.ARTICLE),
        ("https://purl.org/coar/resource_type/c_ddb1/", WorkKind.DATASET),
        ("http://purl.org/coar/resource_type/c_9999", WorkKind.OTHER),
        ("info:eu-repo/semantics/bachelorThesis", WorkKind.BACHELOR),
        ("info:eu-repo/semantics/masterThesis", WorkKind.MASTER),
        ("info:eu-repo/semantics/bookPart", WorkKind.CHAPTER),
        ("info:eu-repo/semantics/conferenceObject", WorkKind.CONFERENCE_PAPER),
        ("info:eu-repo/semantics/publishedVersion", WorkKind.OTHER),
        ("Thesis", WorkKind.THESIS),
        ("Book chapter", WorkKind.CHAPTER),
        ("Book", WorkKind.BOOK),
        ("Journal Article", WorkKind.ARTICLE),
        ("journal", WorkKind.JOURNAL),
        ("Technical Report", WorkKind.REPORT),
        ("Working Paper", WorkKind.PREPRINT),
        ("Moving Image", WorkKind.VIDEO),
        ("Still image", WorkKind.IMAGE),
        ("MusicalScore", WorkKind.SCORE),
        ("AMK-opinnäytetyö", WorkKind.BACHELOR),
        ("Ylempi AMK-opinnäytetyö", WorkKind.MASTER),
        ("YH-examensarbete", WorkKind.BACHELOR),
        ("Högre YH-examensarbete", WorkKind.MASTER),
        ("fi=AMK-opinnäytetyö|sv=YH-examensarbete|en=Bachelor's thesis|", WorkKind.BACHELOR),
        ("fi=Pro gradu -tutkielma|sv=Pro gradu -avhandling|en=Master's thesis|", WorkKind.MASTER),
        ("Väitöskirja", WorkKind.DOCTORAL),
        ("Doktorsavhandling", WorkKind.DOCTORAL),
        ("Kandidatuppsats", WorkKind.BACHELOR),
        ("Diplomityö", WorkKind.MASTER),
        ("Opinnäytetyö", WorkKind.THESIS),
        ("Examensarbete", WorkKind.THESIS),
        ("artikkeli", WorkKind.ARTICLE),
        ("Konferensbidrag", WorkKind.CONFERENCE_PAPER),
        ("Kirjan osa", WorkKind.CHAPTER),
        ("kon", WorkKind.CONFERENCE_PAPER),
        ("Course", WorkKind.COURSE),
        ("Opintojakso", WorkKind.COURSE),
        ("coursework", WorkKind.OTHER),
        ("text", WorkKind.OTHER),
        ("banana", WorkKind.OTHER),
        ("", WorkKind.OTHER),
    ],
)
def test_a_type_tells_the_kind_of_work(name: str, kind: WorkKind) -> None:
    assert work_kind(Document(types=(name,))) is kind


def test_of_several_types_the_most_telling_counts() -> None:
    assert work_kind(Document(types=("Text", "Thesis", "Master's thesis", "Article"))) is WorkKind.MASTER


def test_every_kind_has_a_type_in_csl() -> None:
    assert write_csl_json(Document(types=("video",)), "x")["type"] == "motion_picture"
    assert write_csl_json(Document(), "x")["type"] == "document"


def test_very_many_or_long_types_are_looked_at_only_so_far() -> None:
    crowd = ("x" * 100_000, *(f"type {number}" for number in range(1000)), "Thesis")
    assert work_kind(Document(types=crowd)) is WorkKind.OTHER


def test_every_kind_in_the_table_of_types_is_one() -> None:
    kinds = {concept.kind for concept in load_controlled_values(TYPE) if concept.kind}
    assert kinds <= {kind.value for kind in WorkKind}
    assert kinds >= {kind.value for kind in THESES}
