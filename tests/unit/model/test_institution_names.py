"""Names of sets that only whole universities have."""

from __future__ import annotations

import pytest

from windrow.model.text.proper_names import is_institution


@pytest.mark.parametrize(
    "name",
    [
        "University of Hay",
        "Hay State University",
        "Niityn yliopisto",
        "Niityn ammattikorkeakoulu",
        "Högskolan på Ängen",
        "Yrkeshögskolan Äng",
        "Ängens universitet",
        "Universität Heu",
        "Hochschule Heu",
        "Université du Foin",
        "Universidade do Feno",
        "Hay Institute of Technology",
    ],
)
def test_a_university_is_known_by_its_name(name: str) -> None:
    assert is_institution(name)


@pytest.mark.parametrize(
    "name",
    [
        "Faculty of Law",
        "University Library",
        "University Press",
        "Hay University Hospital",
        "Universitetsbiblioteket",
        "Yliopiston kirjasto",
        "School of University Teaching",
        "Department of Physics, University of Hay",
        "Theses",
        "",
    ],
)
def test_a_part_of_one_is_not_taken_for_it(name: str) -> None:
    assert not is_institution(name)
