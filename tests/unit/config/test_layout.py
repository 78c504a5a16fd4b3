from __future__ import annotations

import pytest

from windrow.config.toml_document import find_line, statements

TRICKY = '''\
# [not.a.header]
top = 1
[library]  # a remark with [brackets]
name = """
[sources.fake]
url = "no"
"""
note = \'\'\'
[sources.fake]\'\'\'\'\'
list = [
  "[sources.fake]", # ]
  "#",
]
[ sources . "a.b" ]
"url" = 'x # y'
headers.From = "z"
[[sources.many]]
inline = { a = "}", b = [1, 2] }
last = "\\"["'''


def test_every_statement_has_its_path_and_its_lines() -> None:
    assert [(s.path, s.is_header, s.first, s.last) for s in statements(TRICKY)] == [
        (("top",), False, 1, 1),
        (("library",), True, 2, 2),
        (("library", "name"), False, 3, 6),
        (("library", "note"), False, 7, 8),
        (("library", "list"), False, 9, 12),
        (("sources", "a.b"), True, 13, 13),
        (("sources", "a.b", "url"), False, 14, 14),
        (("sources", "a.b", "headers", "From"), False, 15, 15),
        (("sources", "many"), True, 16, 16),
        (("sources", "many", "inline"), False, 17, 17),
        (("sources", "many", "last"), False, 18, 18),
    ]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("library", "list"), 10),
        (("sources", "a.b", "headers"), 16),
        (("sources", "a.b", "absent"), 14),
        (("sources", "many", "inline", "a"), 18),
        (("sources",), 14),
        (("nothing",), None),
    ],
)
def test_the_line_is_that_of_the_statement_closest_to_the_path(
    path: tuple[str, ...], line: int | None
) -> None:
    assert find_line(TRICKY, path) == line


def test_a_text_without_statements_has_none() -> None:
    assert statements("") == []
    assert statements("# only\n\n# remarks") == []
