"""Access and licence out of statements of rights."""

from __future__ import annotations

from datetime import date

import pytest

from windrow.model.counted_fields import field_values, normalised_value
from windrow.model.document import Document, DocumentDate, Link, LinkKind
from windrow.model.rights import access_from_statements, rights_statements, stated_access, stated_licence


@pytest.mark.parametrize(
    ("statement", "licence"),
    [
        ("https://creativecommons.org/licenses/by/4.0/", "CC BY"),
        ("http://creativecommons.org/licenses/by-nc-nd/2.1/au", "CC BY-NC-ND"),
        ("https://creativecommons.org/licenses/by-sa/4.0/deed.fi", "CC BY-SA"),
        ("CC-BY-3.0", "CC BY"),
        ("cc_by_nc_nd", "CC BY-NC-ND"),
        ("by-nc-sa 4.0", "CC BY-NC-SA"),
        ("Creative Commons Attribution Non Commercial 4.0 International", "CC BY-NC"),
        ("Attribution-NonCommercial-NoDerivs 2.0 UK: England & Wales", "CC BY-NC-ND"),
        ("Nimeä-EiKaupallinen-EiMuutoksia 4.0 Kansainvälinen", "CC BY-NC-ND"),
        ("Erkännande-DelaLika 4.0", "CC BY-SA"),
        ("Copyright owned by A. Some re-use permitted (Creative Commons BY-NC-ND).", "CC BY-NC-ND"),
        ("https://creativecommons.org/publicdomain/zero/1.0/legalcode", "CC0"),
        ("https://spdx.org/licenses/CC0-1.0", "CC0"),
        ("Creative Commons Zero v1.0 Universal", "CC0"),
        ("http://creativecommons.org/publicdomain/mark/1.0/", "Public domain"),
        ("This book is in the public domain.", "Public domain"),
        ("http://rightsstatements.org/vocab/InC/1.0/", "In copyright"),
        (
            "https://rightsstatements.org/page/InC-EDU/1.0/?language=en",
            "In copyright – educational use permitted",
        ),
        ("In Copyright. This Item is protected by copyright and/or related rights.", "In copyright"),
        ("© 2016 Macmillan Publishers Limited", "In copyright"),
        ("All Rights Reserved", "In copyright"),
        ("MIT License", "Open-source licence"),
        ("http://www.apache.org/licenses/LICENSE-2.0", "Open-source licence"),
        ("Please cite the Special Collections when using this image.", "Other terms"),
        ("http://library.example/Copyright", "Other terms"),
        ("this is not in the public domain", "Other terms"),
        ("by the author", "Other terms"),
        ("attribution requested", "Other terms"),
        ("This file may be protected by copyright laws.", "Other terms"),
        ("info:eu-repo/semantics/openAccess", ""),
        ("None", ""),
        ("-", ""),
    ],
)
def test_a_statement_names_a_licence(statement: str, licence: str) -> None:
    assert stated_licence(statement) == licence


@pytest.mark.parametrize(
    ("statement", "access"),
    [
        ("info:eu-repo/semantics/openAccess", "Open access"),
        ("http://purl.org/coar/access_right/c_f1cf", "Embargoed"),
        ("info:eu-repo/semantics/restrictedAccess", "Restricted"),
        ("closed access", "Metadata only"),
        ("Avoin", "Open access"),
        ("CC BY", ""),
        ("http://library.example/open", ""),
    ],
)
def test_a_statement_says_who_may_read(statement: str, access: str) -> None:
    assert stated_access(statement) == access


@pytest.mark.parametrize(
    ("document", "access", "licences"),
    [
        (Document(), ("Access not stated",), ("No licence stated",)),
        (Document(rights=("CC BY 4.0",)), ("Open access",), ("CC BY",)),
        (
            Document(rights=("© 2020 The authors", "CC BY 4.0", "restrictedAccess")),
            ("Restricted",),
            ("CC BY",),
        ),
        (
            Document(rights=("openAccess", "info:eu-repo/semantics/embargoedAccess")),
            ("Embargoed",),
            ("No licence stated",),
        ),
        (Document(dates=(DocumentDate("9000-01-01", "embargo"),)), ("Embargoed",), ("No licence stated",)),
        (
            Document(extra={"jpcoar:accessRights@resource": ("http://purl.org/coar/access_right/c_abf2",)}),
            ("Open access",),
            ("No licence stated",),
        ),
        (
            Document(extra={"jpcoar:catalog/accessRights": ("open access",)}),  # of a part
            ("Access not stated",),
            ("No licence stated",),
        ),
        (
            Document(links=(Link("https://creativecommons.org/licenses/by/4.0/", LinkKind.LICENSE),)),
            ("Open access",),
            ("CC BY",),
        ),
        (Document(rights=("Ask the archive.",)), ("Access not stated",), ("Other terms",)),
    ],
)
def test_a_document_has_one_access_and_its_licences(
    document: Document, access: tuple[str, ...], licences: tuple[str, ...]
) -> None:
    assert field_values(document, "access") == access
    assert field_values(document, "licence") == licences


def test_filters_are_understood_in_any_wording() -> None:
    assert normalised_value("licence", "https://creativecommons.org/licenses/by-nc/4.0/") == "CC BY-NC"
    assert normalised_value("access", "openAccess") == "Open access"
    assert normalised_value("access", "no such thing") == "no such thing"
    assert normalised_value("licence", "no such thing") == "no such thing"
    assert normalised_value("publisher", "openAccess") == "openAccess"


def test_long_and_many_statements_are_bounded() -> None:
    document = Document(rights=tuple(f"{place} " + "x" * 100_000 for place in range(1000)))
    assert len(rights_statements(document)) == 1000
    assert field_values(document, "licence") == ("Other terms",)


@pytest.mark.parametrize(
    ("ends", "rights", "access"),
    [
        (["2020-05-31"], [], "Open access"),
        (["2020-06-01"], [], "Embargoed"),
        (["2020-06-02"], [], "Embargoed"),
        (["2020-05"], [], "Open access"),
        (["2020-06"], [], "Embargoed"),
        (["2019"], [], "Open access"),
        (["2020"], [], "Embargoed"),
        (
            ["info:eu-repo/date/embargoEnd/2019-01-01"],
            ["info:eu-repo/semantics/embargoedAccess"],
            "Open access",
        ),
        (["2019-01-01", "2021-01-01"], [], "Embargoed"),
        (["soon"], [], "Embargoed"),
        (["2019-01-01"], ["info:eu-repo/semantics/restrictedAccess"], "Restricted"),
        (["2019-01-01"], ["info:eu-repo/semantics/closedAccess"], "Metadata only"),
        ([], ["info:eu-repo/semantics/embargoedAccess"], "Embargoed"),
    ],
)
def test_an_embargo_counts_as_open_access_when_its_end_has_passed(
    ends: list[str], rights: list[str], access: str
) -> None:
    document = Document(rights=tuple(rights), dates=tuple(DocumentDate(end, "embargo") for end in ends))
    assert access_from_statements(rights_statements(document, date(2020, 6, 1))) == access
