"""The invented universities and their departments."""

from __future__ import annotations

import re

from windrow.demo.universities import universities


def test_there_are_twenty_five_universities_with_about_nine_hundred_departments() -> None:
    departments = [each for university in universities() for each in university.departments]
    assert len(universities()) == 25
    assert 850 <= len(departments) <= 950


def test_no_set_is_there_twice() -> None:
    specs = [each.spec for university in universities() for each in university.departments]
    specs += [university.spec for university in universities()]
    assert len(specs) == len(set(specs))


def test_sets_are_flat_communities_and_collections_as_dspace_has_them() -> None:
    for university in universities():
        assert re.fullmatch(r"com_10024_[0-9]+", university.spec)
        for department in university.departments:
            assert re.fullmatch(r"col_10024_[0-9]+", department.spec)
            assert department.community == university.spec


def test_every_name_is_there_in_three_languages() -> None:
    for university in universities():
        assert len({university.finnish, university.swedish, university.english}) == 3
        for department in university.departments:
            programme = department.programme
            assert len({programme.finnish, programme.swedish, programme.english}) == 3
