"""Edits of files written in many ways: what was asked for happens, and every other line stays."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.config.library import make_library, text_of
from windrow.config import editor
from windrow.config.toml_document import statements

REMARKS = st.sampled_from(
    ["", "# note", "# [sources.fake]", '# url = "x"', "  # indented", "# \u2028 odd \x85"]
)
NAMES = st.sampled_from(["a", "b", "c", "d.e", "f-g"])
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "timeout": st.sampled_from(['"30s"', "'2m'", '"""5m"""  # long']),
        "sets": st.sampled_from(["[]", '["x"]', '[\n  "x", # [sources.fake]\n  "y",\n]', '[ "z", ]']),
        "username": st.sampled_from(['"me"', '"""\\\n  me"""', "'''[sources.fake]'''", '"a # b"']),
        "headers": st.sampled_from(["{}", '{ From = "}" }']),
        "enabled": st.sampled_from(["true", "false # for now"]),
        "from": st.sampled_from(["2020-01-01", '"2020-01-01T00:00:00Z"']),
    },
)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "timeout": st.sampled_from(["30s", None]),
        "sets": st.sampled_from([["q"], [], None]),
        "username": st.sampled_from(['quo"te', "日本", None]),
        "headers": st.sampled_from([{"X-A": "1"}, None]),
        "enabled": st.sampled_from([True, False, None]),
    },
)


@st.composite
def sections(draw: st.DrawFn, name: str) -> str:
    above = draw(st.lists(REMARKS, max_size=3))
    header = draw(
        st.sampled_from([f'[sources."{name}"]', f'[ sources . "{name}" ]  # here', f'  [sources."{name}"]'])
    )
    lines = [f'url = "https://{name}.example.org/"']
    for key, value in draw(SETTINGS).items():
        lines += [*draw(st.lists(REMARKS, max_size=2)), f"{key} = {value}"]
    below = draw(st.lists(REMARKS, max_size=2))
    return "\n".join([*above, header, *lines, *below]) + "\n"


@st.composite
def files(draw: st.DrawFn) -> tuple[str, list[str]]:
    names = draw(st.lists(NAMES, min_size=1, unique=True))
    top = draw(st.sampled_from(["", "# top\n", '[library]\nname = "x"\n', "[harvest]\n# nothing\n\n"]))
    text = top + "".join(draw(sections(name)) for name in names)
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    return text.replace("\n", line_end), names


def after(text: str, act: Callable[[Path], None]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        act(make_library(Path(folder), text))
        return text_of(Path(folder))


@settings(deadline=None)
@given(files(), CHANGES, st.data())
def test_a_change_does_what_it_says_and_keeps_every_other_line(
    file: tuple[str, list[str]], changes: dict[str, object], data: st.DataObject
) -> None:
    text, names = file
    name = data.draw(st.sampled_from(names))
    edited = after(text, lambda folder: editor.change_source(folder, name, changes))
    wanted = tomllib.loads(text)
    wanted["sources"][name] |= changes
    wanted["sources"][name] = {
        key: value for key, value in wanted["sources"][name].items() if value is not None
    }
    assert tomllib.loads(edited) == wanted
    for other in names:
        if other != name:
            assert section_of(edited, other) == section_of(text, other)


@settings(deadline=None)
@given(files(), st.data())
def test_a_removal_keeps_every_other_section(file: tuple[str, list[str]], data: st.DataObject) -> None:
    text, names = file
    name = data.draw(st.sampled_from(names))
    edited = after(text, lambda folder: editor.remove_source(folder, name))
    wanted = tomllib.loads(text)
    del wanted["sources"][name]
    assert tomllib.loads(edited).get("sources", {}) == wanted["sources"]
    for other in set(names) - {name}:
        assert section_of(edited, other) == section_of(text, other)


@settings(deadline=None)
@given(files(), CHANGES)
def test_adding_and_removing_a_source_gives_the_same_bytes_again(
    file: tuple[str, list[str]], changes: dict[str, object]
) -> None:
    text, _ = file

    def there_and_back(folder: Path) -> None:
        editor.add_source(folder, "new-one", {"url": "https://new.example.org/", **changes})
        assert text_of(folder).startswith(text)
        editor.remove_source(folder, "new-one")

    assert after(text, there_and_back) == text


def section_of(text: str, name: str) -> str:
    """Give the text from a source's header to the last of its settings."""
    lines = text.split("\n")
    mine = [s for s in statements(text.replace("\r\n", "\n")) if s.path[:2] == ("sources", name)]
    return "\n".join(lines[mine[0].first : mine[-1].last + 1])
