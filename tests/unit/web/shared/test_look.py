from __future__ import annotations

from pathlib import Path

import pytest

from windrow.config.loader import load
from windrow.errors import ConfigError
from windrow.web.i18n.translation import get_translator
from windrow.web.layout.theme import Theme, Themes

PNG = b"\x89PNG\r\n\x1a\n rest"


def looks(folder: Path, settings: str) -> Themes:
    (folder / "windrow.toml").write_text(settings, encoding="utf-8")
    return Themes(load(folder, environ={}))


def test_a_picture_gets_a_name_of_its_content(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "logo.png").write_bytes(PNG)
    found = looks(tmp_path, '[portal]\nlogo = "pictures/logo.png"\n').library.logo
    assert found.endswith(".png")
    assert "logo" not in found


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("missing.png", None, "cannot be read"),
        ("folder.png", "folder", "cannot be read"),
        ("text.png", b"words", "not a picture"),
        ("large.png", PNG + b"x" * 1_000_001, "larger than"),
        ("words.svg", b"<html>", "not a picture"),
    ],
)
def test_what_is_no_picture_is_refused_when_the_server_starts(
    tmp_path: Path, name: str, content: bytes | str | None, reason: str
) -> None:
    if content == "folder":
        (tmp_path / name).mkdir()
    elif isinstance(content, bytes):
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=rf"windrow\.toml, line 2: portal\.logo: {name} .*{reason}"):
        looks(tmp_path, f'[portal]\nlogo = "{name}"\n')


def test_a_picture_that_the_environment_names_is_refused_by_the_name_of_the_variable(tmp_path: Path) -> None:
    (tmp_path / "windrow.toml").write_text("", encoding="utf-8")
    config = load(tmp_path, environ={"WINDROW_PORTAL_LOGO": "gone.png"})
    with pytest.raises(ConfigError, match=r"^WINDROW_PORTAL_LOGO: portal\.logo: gone\.png cannot be read"):
        Themes(config)


def test_a_link_out_of_the_library_folder_is_not_followed(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (tmp_path / "secret.png").write_bytes(PNG)
    (library / "logo.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(ConfigError, match="out of the library folder"):
        looks(library, '[portal]\nlogo = "logo.png"\n')


def test_a_collection_has_the_looks_of_the_library_but_for_its_own(tmp_path: Path) -> None:
    settings = """\
[portal]
accent = "#123456"
facets = ["year"]
labels = { type = "Kind", year = "When" }

[sources.hay]
url = "https://hay.example/oai"

[collections.north]
title = "The north"
sources = ["hay"]
labels = { year = { fi = "Milloin", en = "Then" } }
"""
    found = looks(tmp_path, settings)
    north = found.of("north")
    assert (north.style, north.facets) == (found.library.style, ("year",))
    assert [north.label("year", get_translator(code)) for code in ("en", "fi", "sv")] == [
        "Then",
        "Milloin",
        "Then",
    ]
    assert north.label("type", get_translator("fi")) == "Kind"
    assert found.library.label("year", get_translator("fi")) == "When"
    assert found.of("south") is found.library


def test_a_field_without_a_label_of_its_own_is_called_as_in_the_catalogue() -> None:
    look = Theme("The barn")
    assert [look.label("creator", get_translator(code)) for code in ("en", "sv", "fi")] == [
        "Author",
        "Författare",
        "Tekijä",
    ]
    assert look.label("colour", get_translator("en")) == "colour"
