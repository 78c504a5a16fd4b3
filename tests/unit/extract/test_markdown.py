"""Markdown, read."""

from __future__ import annotations

import pytest

from tests.unit.extract.reading_text import extract, values
from windrow.model.document import Heading


def test_the_first_heading_is_the_title_and_all_are_the_contents() -> None:
    found = extract(b"# On *rain* #\n\nIt rained.\n\nLater\n-----\n\n### Still later\n", "a.md")

    assert values(found, "title") == ["On rain"]
    assert found.headings == (Heading("On rain", 1), Heading("Later", 2), Heading("Still later", 3))
    assert found.text == ("On rain\n\nIt rained.\n\nLater\n\nStill later",)


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("**strong** and _soft_ and `code`", "strong and soft and code"),
        ("snake_case_name stays, as does 2 * 3 * 4", "snake_case_name stays, as does 2 * 3 * 4"),
        ("see [the page](http://a.example/b_c)", "see the page"),
        ("[![a picture](p.png)](http://a.example)", "a picture"),
        ("> quoted\n> twice", "quoted\ntwice"),
        ("a <span class=x>b</span> &copy; \\*", "a b © *"),
        ("```sh\nls *.txt\n```", "ls *.txt"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a \t b\n1 \t 2"),
        ("text\n\n[1]: http://a.example\n* * *\nmore", "text\n\nmore"),
    ],
)
def test_the_text_is_without_the_marks(marked: str, plain: str) -> None:
    (text,) = extract(marked.encode(), "a.md").text

    assert [line.strip() for line in text.split("\n")] == [line.strip() for line in plain.split("\n")]


def test_lines_above_the_text_are_facts() -> None:
    above = b'---\ntitle: "On rain: a study"\nauthor: Ann Writer\ntags: [rain, "shine"]\nkeywords:\n  - wet\n'
    found = extract(above + b"date: 2024-05-17\nlayout: post\n---\n# Other\ntext\n", "a.md")

    assert found.said == (
        ("title", "On rain: a study"),
        ("creator", "Ann Writer"),
        ("subject", "rain"),
        ("subject", "shine"),
        ("subject", "wet"),
        ("date", "2024-05-17"),
    )
    assert found.text == ("Other\ntext",)


def test_front_matter_is_read_as_yaml_has_it_with_values_as_they_are_written() -> None:
    above = "---\ntitle: >-\n  On rain:\n  a study\nauthor: [Ann, 'Bo: Ek'] # both\nlicense: ~\nlang: no\n"
    found = extract(f"{above}summary: '1.10'\nkeywords: {{a: b}}\n...\ntext\n".encode(), "a.md")

    assert found.said == (
        ("title", "On rain: a study"),
        ("creator", "Ann"),
        ("creator", "Bo: Ek"),
        ("language", "no"),
        ("description", "1.10"),
    )


@pytest.mark.parametrize(
    ("above", "note"),
    [
        ("---\ndate: 2024\ntitle: On: rain\n---", "not valid YAML, and was not read (line 3)"),
        ("---\n" + "a: [" * 30 + "\n---", "not valid YAML of a usual kind, and was not read (line 2)"),
        (f"---\ntags: {'[' * 30_000}\n---", "not valid YAML of a usual kind, and was not read (line 2)"),
        ("---\na: &a x\nb: [" + "*a, " * 101 + "]\n---", "not valid YAML of a usual kind"),
        ("+++\ndate = 2024\ntitle = rain\n+++", "not valid TOML, and was not read (line 3)"),
    ],
)
def test_front_matter_that_cannot_be_read_is_a_note_and_not_text(above: str, note: str) -> None:
    found = extract(f"{above}\ntext\n".encode(), "a.md")

    assert (found.said, found.text) == ((), ("text",))
    assert len(found.notes) == 1
    assert note in found.notes[0]


def test_aliases_that_would_unfold_to_billions_are_read_once() -> None:
    names = "bcdefghij"
    bomb = "\n".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]"
        for before, name in zip("abcdefghi", names, strict=True)
    )
    found = extract(f"---\na: &a [x, y]\n{bomb}\ntags: *a\nsubject: *j\n---\ntext\n".encode(), "a.md")

    assert found.said == (("subject", "x"), ("subject", "y"))


def test_objects_are_never_constructed() -> None:
    found = extract(b"---\ntitle: !!python/object/apply:os.abort []\nauthor: Ann\n---\n", "a.md")

    assert found.said == (("creator", "Ann"),)


def test_prose_between_two_rules_is_text() -> None:
    assert extract(b"---\nIt rained.\n\n---\nLater.\n", "a.md").text == ("It rained.\n\nLater.",)


def test_toml_above_the_text_is_facts_too() -> None:
    found = extract(b'+++\ntitle = "On rain"\ndate = 2024-05-17\n[x]\ny = 1\n+++\ntext\n', "a.md")

    assert found.said == (("title", "On rain"), ("date", "2024-05-17"))


@pytest.mark.parametrize("text", ["---\nno end\n", "+++\nnot = [toml\n+++\ntext\n", "---\n"])
def test_what_only_looks_like_facts_does_no_harm(text: str) -> None:
    assert extract(text.encode(), "a.md").said == ()
