"""What is never shown by its name, in real folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.files.planting import plant, visible
from windrow.sources.files.published_folder import VisibilityRules


@pytest.mark.parametrize(
    "name",
    [
        *(".hidden", ".htaccess", ".htpasswd", ".git/config", ".well-known/thing.txt", "a/.b/c.txt"),
        *(
            "page.html~",
            "page.bak",
            "PAGE.BAK",
            ".page.html.swp",
            "page.orig",
            "#page#",
            ".#page",
            "page.old",
        ),
        *("page.tmp", "RCS/page", "CVS/Root", "page.html,v", "core", "core.4711", "old.bak/page.html"),
        *(
            "x.php",
            "x.PHP",
            "x.php7",
            "x.phtml",
            "x.phar",
            "x.cgi",
            "x.pl",
            "x.py",
            "x.rb",
            "x.jsp",
            "x.jspx",
        ),
        *("x.asp", "x.aspx", "x.ashx", "x.shtml", "x.fcgi", "x.cfm", "x.do", "x.php.txt", "x.cgi.gz"),
        *("cgi-bin/tool", "a/CGI-BIN/data.txt", "web.config", "local.env", ".env", "wp-config.txt"),
        *("wp-config-sample.txt", "id_rsa", "id_ed25519.pub", "server.pem", "server.key"),
    ],
)
def test_what_a_web_server_would_not_serve_is_hidden(tmp_path: Path, name: str) -> None:
    plant(tmp_path, name, "seen.txt")
    (tmp_path / name).write_text("")
    assert visible(tmp_path) == ["seen.txt"]


@pytest.mark.parametrize(
    "name",
    [
        *("index.html", "README", "HEADER.html", "core/core.css", "core.js", "score", "php", "x.phx"),
        *(
            "cgi.txt",
            "pl/x.txt",
            "folder.php/page.html",
            "old/bak.txt",
            "key.txt",
            "environment.txt",
            "a b.txt",
        ),
        *("wp-content/a.jpg", "#1.txt", "tmp", "größe.txt", "a~b.txt", "cvs.txt", "python.html"),
    ],
)
def test_ordinary_names_are_shown(tmp_path: Path, name: str) -> None:
    plant(tmp_path, name)
    assert visible(tmp_path) == [name]


def test_hidden_files_can_be_shown_but_secrets_stay_hidden(tmp_path: Path) -> None:
    plant(tmp_path, ".profile", ".well-known/a.txt", ".htpasswd", ".git/config", ".env", "b.txt", ".x.php")
    assert visible(tmp_path, VisibilityRules(show_hidden=True)) == [".profile", ".well-known/a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("*.log", ["drafts/a.txt", "drafts/b/c.txt", "private/p.txt", "x/drafts/d.txt", "x/private/q.txt"]),
        ("drafts/**", ["a.log", "private/p.txt", "x/b.log", "x/drafts/d.txt", "x/private/q.txt"]),
        ("drafts", ["a.log", "private/p.txt", "x/b.log", "x/private/q.txt"]),
        ("./drafts/", ["a.log", "private/p.txt", "x/b.log", "x/drafts/d.txt", "x/private/q.txt"]),
        ("/drafts", ["a.log", "private/p.txt", "x/b.log", "x/drafts/d.txt", "x/private/q.txt"]),
        ("private/", ["a.log", "drafts/a.txt", "drafts/b/c.txt", "x/b.log", "x/drafts/d.txt"]),
        ("PRIVATE/", ["a.log", "drafts/a.txt", "drafts/b/c.txt", "x/b.log", "x/drafts/d.txt"]),
        ("**/*.txt", ["a.log", "x/b.log"]),
        ("*/*.txt", ["a.log", "drafts/b/c.txt", "x/b.log", "x/drafts/d.txt", "x/private/q.txt"]),
        (
            "x/**/d.txt",
            ["a.log", "drafts/a.txt", "drafts/b/c.txt", "private/p.txt", "x/b.log", "x/private/q.txt"],
        ),
        ("?.log", ["drafts/a.txt", "drafts/b/c.txt", "private/p.txt", "x/drafts/d.txt", "x/private/q.txt"]),
    ],
)
def test_skip_patterns_are_names_folders_or_paths(tmp_path: Path, pattern: str, left: list[str]) -> None:
    plant(tmp_path, "a.log", "drafts/a.txt", "drafts/b/c.txt", "private/p.txt")
    plant(tmp_path, "x/b.log", "x/drafts/d.txt", "x/private/q.txt")
    assert visible(tmp_path, VisibilityRules(skip=(pattern,))) == left


@pytest.mark.parametrize("pattern", ["", "/", "./", "[", "**/", "nothing"])
def test_odd_skip_patterns_hide_no_file_by_accident(tmp_path: Path, pattern: str) -> None:
    plant(tmp_path, "a.txt")
    assert visible(tmp_path, VisibilityRules(skip=(pattern,))) == ["a.txt"]


def test_a_file_that_a_folder_pattern_names_is_not_a_folder(tmp_path: Path) -> None:
    plant(tmp_path, "private", "drafts/private")
    assert visible(tmp_path, VisibilityRules(skip=("private/",))) == ["drafts/private", "private"]


def test_a_long_name_against_many_stars_ends(tmp_path: Path) -> None:
    name = "a" * 250
    plant(tmp_path, name)
    assert visible(tmp_path, VisibilityRules(skip=("*a" * 60 + "b", "**/" * 60 + "b"))) == [name]
