"""The text of a configuration file as directives and blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.sources.files.apache.configuration import Block, Directive, Malformed, parse_configuration


def test_lines_become_directives_with_their_words() -> None:
    text = b"""# a comment
    AuthName "Members \\"only\\"" here\r
\tRequire\tuser  'a b' c
# a comment that \\
Require all granted
Require user \\
  d
Options
"""
    assert parse_configuration(text) == (
        Directive("authname", ('Members "only"', "here")),
        Directive("require", ("user", "a b", "c")),
        Directive("require", ("user", "d")),
        Directive("options", ()),
    )


def test_blocks_hold_what_is_between_their_ends() -> None:
    text = b"""\
<Files "a b.txt">
  <IfModule !x>
    Require all denied
  </ifmodule>
</Files>
<FilesMatch "\\.x$">
</FilesMatch>"""
    inner = Block("ifmodule", ("!x",), (Directive("require", ("all", "denied")),))
    assert parse_configuration(text) == (
        Block("files", ("a b.txt",), (inner,)),
        Block("filesmatch", ("\\.x$",), ()),
    )


@pytest.mark.parametrize(
    "text",
    [
        *(
            "<Files x>",
            "</Files>",
            "<Files x>\n</Limit>",
            "<Files x\n</Files>",
            "<>\n</>",
            "a\0b",
            "Require \\",
        ),
        "<Limit GET>\n" * 25 + "</Limit>\n" * 25,
    ],
)
def test_text_whose_blocks_do_not_match_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        parse_configuration(text.encode())


@given(st.binary(max_size=300) | st.text(alphabet="<>/ \"'\\\nab#", max_size=300).map(str.encode))
def test_any_bytes_are_parsed_or_malformed(data: bytes) -> None:
    try:
        nodes = parse_configuration(data)
    except Malformed:
        return
    assert all(node.name for node in nodes)
