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
    specs += [university.key for university in universities()]
    assert len(specs) == len(set(specs))


def test_every_department_is_below_its_university_and_has_a_legal_spec() -> None:
    for university in universities():
        for department in university.departments:
            assert re.fullmatch(rf"{university.key}:[a-z\-]+", department.spec)


def test_every_name_is_there_in_three_languages() -> None:
    for university in universities():
        assert len({university.finnish, university.swedish, university.english}) == 3
        for department in university.departments:
            programme = department.programme
            assert len({programme.finnish, programme.swedish, programme.english}) == 3
