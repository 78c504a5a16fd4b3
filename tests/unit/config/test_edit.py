from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.config.library import make_library, text_of
from windrow.config import editor
from windrow.config.editor import replace_file
from windrow.config.loader import load
from windrow.errors import ConfigError, NotFound, StoreError

COMMENTED = """\
# Our library
[library]
name = "Theses"  # shown on every page

# The university of A,
# asked for in spring.
[sources.a]
url = "https://a.example.org/oai"   # moved in March
# They are slow:
timeout = "2m"
# delay = "1s"

# The university of B
[sources.b]
url   =   'https://b.example.org/oai'
sets = [
  "theses",  # all of them
]
"""
ADDRESS: dict[str, object] = {"url": "https://c.example.org/oai"}


def test_a_source_is_added_at_the_end_and_nothing_else_changes(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    editor.add_source(folder, "c.d", {"sets": ("x", "y"), "from_": "2020-01-01", "mode": None, **ADDRESS})
    assert text_of(folder) == COMMENTED + (
        '\n[sources."c.d"]\nurl = "https://c.example.org/oai"\nsets = ["x", "y"]\nfrom = "2020-01-01"\n'
    )
    assert load(folder, environ={}).sources["c.d"].sets == ("x", "y")


def test_the_file_itself_may_be_named_instead_of_its_folder(tmp_path: Path) -> None:
    folder = make_library(tmp_path, "")
    editor.add_source(folder / "windrow.toml", "c", ADDRESS)
    assert text_of(folder) == '[sources.c]\nurl = "https://c.example.org/oai"\n'


def test_a_file_without_a_last_line_end_is_added_to(tmp_path: Path) -> None:
    folder = make_library(tmp_path, '[library]\nname = "x"')
    editor.add_source(folder, "c", ADDRESS)
    assert text_of(folder) == '[library]\nname = "x"\n\n[sources.c]\nurl = "https://c.example.org/oai"\n'


def test_a_changed_setting_keeps_its_remark_and_its_place(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    editor.change_source(folder, "a", {"url": "https://new.example.org/oai"})
    assert text_of(folder) == COMMENTED.replace("https://a.example.org/oai", "https://new.example.org/oai")


def test_a_new_setting_stands_with_its_source_and_not_below_the_next_ones_remark(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    editor.change_source(folder, "a", {"enabled": False})
    assert text_of(folder) == COMMENTED.replace('timeout = "2m"\n', 'timeout = "2m"\nenabled = false\n')


def test_none_takes_a_setting_out(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    editor.change_source(folder, "a", {"timeout": None, "delay": None})
    assert text_of(folder) == COMMENTED.replace('timeout = "2m"\n', "")


def test_headers_are_written_in_one_line(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    editor.change_source(folder, "a", {"headers": {"X-One": "1"}})
    editor.change_source(folder, "a", {"delay": "5s"})
    source = load(folder, environ={}).sources["a"]
    assert (source.headers, source.delay) == ((("X-One", "1"),), 5.0)


def test_a_removed_source_leaves_the_remarks_of_its_neighbours(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    editor.remove_source(folder, "a")
    begin, end = COMMENTED.index("[sources.a]"), COMMENTED.index("\n# The university of B")
    assert text_of(folder) == COMMENTED[:begin] + COMMENTED[end:]


def test_a_remark_right_above_the_next_header_stays_with_it(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED.replace("\n\n# The university of B", "\n# The university of B"))
    editor.remove_source(folder, "a")
    assert "# delay" in text_of(folder)
    assert "# The university of B\n[sources.b]\n" in text_of(folder)


def test_a_removed_source_takes_one_blank_line_with_it(tmp_path: Path) -> None:
    sections = [f'[sources.{name}]\nurl = "https://{name}.example.org/"\n' for name in "abc"]
    folder = make_library(tmp_path, "\n".join(sections))
    editor.remove_source(folder, "b")
    assert text_of(folder) == "\n".join([sections[0], sections[2]])


def test_the_last_source_goes_with_the_blank_line_before_it(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    editor.add_source(folder, "c", ADDRESS)
    editor.remove_source(folder, "c")
    assert text_of(folder) == COMMENTED


@pytest.mark.parametrize(
    "text",
    [
        'sources = { a = { url = "https://a.example.org/" }, b = { url = "https://b.example.org/" } }\n',
        '[sources]\na = { url = "https://a.example.org/" }\nb = { url = "https://b.example.org/" }\n',
        '[sources]\na.url = "https://a.example.org/"\nb.url = "https://b.example.org/"\na.delay = "1s"\n',
        'sources.a.url = "https://a.example.org/"\nsources.b.url = "https://b.example.org/"\n',
        '[sources.a.headers]\nFrom = "x@example.org"\n[sources.b]\nurl = "https://b.example.org/"\n'
        '[sources.a]\nurl = "https://a.example.org/"\n',
        '[sources.a]\nurl = "https://a.example.org/"\n[sources.a.headers]\nFrom = "x@example.org"\n'
        '[sources.b]\nurl = "https://b.example.org/"\n',
    ],
)
def test_sources_written_in_other_ways_are_edited_too(tmp_path: Path, text: str) -> None:
    folder = make_library(tmp_path, text)
    editor.change_source(folder, "a", {"timeout": "3s", "url": "https://new.example.org/"})
    editor.add_source(folder, "c", ADDRESS)
    sources = load(folder, environ={}).sources
    assert set(sources) == {"a", "b", "c"}
    assert (sources["a"].timeout, sources["a"].url) == (3.0, "https://new.example.org/")
    editor.remove_source(folder, "a")
    assert set(load(folder, environ={}).sources) == {"b", "c"}


def test_dos_line_ends_and_a_byte_order_mark_are_kept(tmp_path: Path) -> None:
    dos = "\ufeff" + COMMENTED.replace("\n", "\r\n")
    folder = make_library(tmp_path, dos)
    editor.change_source(folder, "a", {"enabled": False})
    editor.add_source(folder, "c", ADDRESS)
    assert text_of(folder).count("\n") == text_of(folder).count("\r\n") == dos.count("\n") + 4
    assert text_of(folder).startswith("\ufeff# Our library")
    editor.remove_source(folder, "c")
    editor.change_source(folder, "a", {"enabled": None})
    assert text_of(folder) == dos


REFUSED: list[tuple[str, dict[str, object], str]] = [
    ("a", ADDRESS, "already a source a"),
    ("A!", ADDRESS, "cannot be the name"),
    ("all", ADDRESS, "cannot be the name"),
    ("c", {}, "has no url"),
    ("c", {"url": "ftp://c.example.org"}, "sources.c.url must be an address"),
    ("c", {**ADDRESS, "timeout": 3.0}, "sources.c.timeout must be a duration"),
    ("c", {**ADDRESS, "timeot": "3s"}, 'no setting .timeot.. Did you mean "timeout"'),
    ("c", {**ADDRESS, "password": "x"}, "needs a username"),
    ("c", {**ADDRESS, "from": "2024-01-02", "until": "2024-01-01"}, "must not lie before"),
    ("c", {**ADDRESS, "sets": object()}, "sources.c.sets must be a list"),
]


@pytest.mark.parametrize(("name", "settings", "said"), REFUSED)
def test_a_bad_addition_leaves_the_file_untouched(
    tmp_path: Path, name: str, settings: dict[str, object], said: str
) -> None:
    folder = make_library(tmp_path, COMMENTED)
    before = (folder / "windrow.toml").stat()
    with pytest.raises(ConfigError, match=said):
        editor.add_source(folder, name, settings)
    assert text_of(folder) == COMMENTED
    assert (folder / "windrow.toml").stat().st_ino == before.st_ino
    assert [path.name for path in folder.iterdir()] == ["windrow.toml"]


def test_a_bad_change_leaves_the_file_untouched(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    for changes in ({"url": None}, {"mode": "fast"}, {"password_file": "x"}):
        with pytest.raises(ConfigError):
            editor.change_source(folder, "a", changes)
    assert text_of(folder) == COMMENTED


def test_a_change_can_mend_what_was_wrong(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED.replace('"2m"', '"2 moons"'))
    editor.change_source(folder, "a", {"timeout": "2m"})
    assert text_of(folder) == COMMENTED


def test_what_the_environment_adds_counts_when_the_outcome_is_checked(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    environ = {"WINDROW_SOURCES_A_USERNAME": "me"}
    editor.change_source(folder, "a", {"password_file": "x"}, environ=environ)
    assert load(folder, environ=environ).sources["a"].password_file == str(folder / "x")


@pytest.mark.parametrize("text", ["", COMMENTED])
def test_a_source_that_is_not_there_cannot_be_changed_or_removed(tmp_path: Path, text: str) -> None:
    folder = make_library(tmp_path, text)
    with pytest.raises(NotFound, match="no source 'aa'"):
        editor.change_source(folder, "aa", {"enabled": True})
    with pytest.raises(NotFound, match="no source 'aa'"):
        editor.remove_source(folder, "aa")


@pytest.mark.parametrize("text", ["sources = 3\n", "[sources]\na = 3\n", "[[sources.a]]\n", "[sources"])
def test_a_file_that_is_wrong_from_the_ground_up_is_refused(tmp_path: Path, text: str) -> None:
    folder = make_library(tmp_path, text)
    with pytest.raises(ConfigError):
        editor.change_source(folder, "a", {"enabled": True})
    with pytest.raises(ConfigError):
        editor.add_source(folder, "c", ADDRESS)
    assert text_of(folder) == text


def test_the_mode_of_the_file_is_kept(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    for mode in (0o640, 0o600):
        (folder / "windrow.toml").chmod(mode)
        editor.change_source(folder, "a", {"delay": f"{mode}s"})
        assert stat.S_IMODE((folder / "windrow.toml").stat().st_mode) == mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, folder = tmp_path / "real.toml", tmp_path / "library"
    real.write_text(COMMENTED, encoding="utf-8")
    folder.mkdir()
    (folder / "windrow.toml").symlink_to(real)
    editor.add_source(folder, "c", ADDRESS)
    assert (folder / "windrow.toml").is_symlink()
    assert "[sources.c]" in real.read_text(encoding="utf-8")
    assert load(folder, environ={}).path == folder


def test_an_edit_that_changes_nothing_does_not_touch_the_file(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    before = (folder / "windrow.toml").stat().st_ino
    editor.change_source(folder, "a", {"timeout": "2m", "mode": None})
    assert (folder / "windrow.toml").stat().st_ino == before


def test_a_file_that_cannot_be_written_says_so_and_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = make_library(tmp_path, COMMENTED)
    # A folder in the place of the file: the replacing itself fails, for root as well.
    (folder / "taken").mkdir()
    with pytest.raises(StoreError, match=r"taken cannot be written: .* It is as it was"):
        replace_file(folder / "taken", b"x")
    assert sorted(path.name for path in folder.iterdir()) == ["taken", "windrow.toml"]


def test_nothing_of_a_third_party_is_imported_until_an_edit() -> None:
    code = (
        "import sys, windrow.config.loader, windrow.config.editor, windrow.config.settings_reference\n"
        "import windrow.config.secrets\n"
        "outside = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "print(sorted(name for name in outside if name in {'tomlkit', 'lxml', 'rich', 'typer', 'urllib3'}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
