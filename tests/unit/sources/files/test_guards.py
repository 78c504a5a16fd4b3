"""Protected folders: who sees what, in real folders with real .htaccess files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.sources.files.planting import PASSWORDS, plant, protect, seen_by, visible
from windrow.sources.files.apache.htpasswd import satisfies_guard
from windrow.sources.files.published_folder import VisibilityRules
from windrow.sources.files.visible_files import look_up, walk


def guards_of(root: Path) -> dict[str, tuple[str, ...]]:
    return {file.path: file.guards for file in walk(root, VisibilityRules())}


def test_a_protected_folder_is_seen_by_those_whom_it_lets_in(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt", "members/b.txt", "members/deep/c.txt")
    protect(tmp_path / "members", "Require user alice carol")
    assert guards_of(tmp_path) == {
        "a.txt": (),
        "members/b.txt": ("members",),
        "members/deep/c.txt": ("members",),
    }
    assert seen_by(tmp_path, None) == ["a.txt"]
    assert seen_by(tmp_path, "bob") == ["a.txt"]
    assert seen_by(tmp_path, "alice") == seen_by(tmp_path, "carol") == visible(tmp_path)


def test_groups_let_their_members_in(tmp_path: Path) -> None:
    plant(tmp_path, "b.txt")
    protect(tmp_path, "Require group staff")
    assert guards_of(tmp_path) == {"b.txt": ("",)}
    assert [seen_by(tmp_path, name) for name in ("alice", "bob", None)] == [["b.txt"], [], []]


def test_an_inner_requirement_replaces_the_outer_one_but_keeps_its_password_file(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt", "inner/b.txt", "inner/open/c.txt")
    protect(tmp_path, "Require user alice")
    (tmp_path / "inner/.htaccess").write_text("Require user bob")
    (tmp_path / "inner/open/.htaccess").write_text("Require all granted")
    assert guards_of(tmp_path) == {"a.txt": ("",), "inner/b.txt": ("inner",), "inner/open/c.txt": ()}
    assert seen_by(tmp_path, "alice") == ["a.txt", "inner/open/c.txt"]
    assert seen_by(tmp_path, "bob") == ["inner/b.txt", "inner/open/c.txt"]


def test_the_old_way_holds_below_its_folder_until_something_else_is_said(tmp_path: Path) -> None:
    plant(tmp_path, "closed/a.txt", "closed/deep/b.txt", "closed/open/c.txt")
    (tmp_path / "closed/.htaccess").write_text("Deny from all")
    (tmp_path / "closed/deep/.htaccess").write_text("Require all granted")
    (tmp_path / "closed/open/.htaccess").write_text("Allow from all")
    assert seen_by(tmp_path, None) == ["closed/open/c.txt"]


def test_nothing_inside_mends_what_makes_no_sense_outside(tmp_path: Path) -> None:
    plant(tmp_path, "broken/open/a.txt")
    (tmp_path / "broken/.htaccess").write_text("<Files")
    (tmp_path / "broken/open/.htaccess").write_text("Require all granted")
    assert seen_by(tmp_path, None) == []


def test_requirements_can_be_merged(tmp_path: Path) -> None:
    plant(tmp_path, "and/a.txt", "or/b.txt")
    protect(tmp_path, "Require user alice bob")
    (tmp_path / "and/.htaccess").write_text("AuthMerging And\nRequire user bob carol")
    (tmp_path / "or/.htaccess").write_text("AuthMerging Or\nRequire user carol")
    assert seen_by(tmp_path, "alice") == ["or/b.txt"]
    assert seen_by(tmp_path, "bob") == ["and/a.txt", "or/b.txt"]
    assert seen_by(tmp_path, "carol") == ["or/b.txt"]


def test_another_password_file_inside_counts_there(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt", "inner/b.txt", "inner/people")
    protect(tmp_path, "Require valid-user")
    (tmp_path / "inner/.people").write_text("".join(PASSWORDS.splitlines(keepends=True)[2:3]))
    (tmp_path / "inner/.htaccess").write_text("AuthUserFile .people")
    (tmp_path / "inner/people").unlink()
    assert seen_by(tmp_path, "alice") == ["a.txt"]
    assert seen_by(tmp_path, "bob") == ["a.txt", "inner/b.txt"]


def test_a_folder_closed_to_everybody_is_not_there_at_all(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt", "closed/b.txt", "closed/open/c.txt", "old/d.txt")
    (tmp_path / "closed/.htaccess").write_text("Require all denied")
    (tmp_path / "closed/open/.htaccess").write_text("Require all granted")
    (tmp_path / "old/.htaccess").write_text("Order deny,allow\nDeny from all")
    assert visible(tmp_path) == ["a.txt", "closed/open/c.txt"]
    assert look_up(tmp_path, "closed/b.txt", VisibilityRules()) is None


@pytest.mark.parametrize(
    "text",
    [
        *("<Files", "AuthType Digest\nRequire valid-user", "AuthBasicProvider ldap\nRequire valid-user"),
        *("Require shibboleth", "AuthFormProvider file", "AuthUserFile /nowhere\nRequire valid-user"),
        *("AuthUserFile /dev/null\nRequire valid-user", "Require ip", "\0"),
    ],
)
def test_what_is_not_understood_lets_nobody_in(tmp_path: Path, text: str) -> None:
    plant(tmp_path, "a.txt", "folder/b.txt")
    protect(tmp_path / "folder", text)
    for name in (None, "alice", "bob"):
        assert seen_by(tmp_path, name) == ["a.txt"]


def test_an_htaccess_that_is_too_large_or_no_file_closes_its_folder(tmp_path: Path) -> None:
    plant(tmp_path, "large/a.txt", "folder/b.txt", "folder/.htaccess/", "pipe/c.txt", "fine/d.txt")
    (tmp_path / "large/.htaccess").write_text("# much ado\n" * 50_000)
    (tmp_path / "fine/.htaccess").write_text("# much ado\n" * 5_000)
    os.mkfifo(tmp_path / "pipe/.htaccess")
    assert seen_by(tmp_path, None) == ["fine/d.txt"]


def test_single_names_can_be_protected_and_share_one_guard(tmp_path: Path) -> None:
    plant(tmp_path, "a.pdf", "b.pdf", "c.txt", "deep/d.pdf", "secret.txt")
    papers = '<FilesMatch "\\.pdf$">\nRequire user alice\n</FilesMatch>\n'
    protect(tmp_path, papers + "<Files secret.txt>\nDeny from all\n</Files>")
    found = guards_of(tmp_path)
    assert list(found) == ["a.pdf", "b.pdf", "c.txt", "deep/d.pdf"]
    assert found["a.pdf"] == found["b.pdf"] == found["deep/d.pdf"] != ()
    assert seen_by(tmp_path, None) == seen_by(tmp_path, "bob") == ["c.txt"]
    assert seen_by(tmp_path, "alice") == list(found)


def test_a_block_of_names_outside_counts_more_than_a_folder_inside(tmp_path: Path) -> None:
    plant(tmp_path, "inner/a.txt", "inner/b.txt")
    protect(tmp_path, "Require user bob\n<Files a.txt>\nRequire user alice\n</Files>")
    (tmp_path / "inner/.htaccess").write_text("Require all granted")
    assert seen_by(tmp_path, None) == ["inner/b.txt"]
    assert seen_by(tmp_path, "alice") == ["inner/a.txt", "inner/b.txt"]


def test_a_block_of_names_may_open_what_its_folder_closes(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt", "b.txt")
    (tmp_path / ".htaccess").write_text("Require all denied\n<Files b.txt>\nRequire all granted\n</Files>")
    assert seen_by(tmp_path, None) == visible(tmp_path) == ["b.txt"]


def test_what_the_folders_above_say_holds_as_well(tmp_path: Path) -> None:
    plant(tmp_path, "site/www/a.txt", "site/www/b.xyz")
    protect(tmp_path / "site", "Require user alice\nAddHandler x .xyz")
    assert guards_of(tmp_path / "site/www") == {"a.txt": ("",)}
    assert seen_by(tmp_path / "site/www", None) == []
    assert seen_by(tmp_path / "site/www", "alice") == ["a.txt"]


def test_handlers_and_ignored_names_hide_below_their_folder_only(tmp_path: Path) -> None:
    plant(tmp_path, "a.html", "run/b.html", "run/deep/c.html", "run/d.txt", "run/skipped/e.txt", "x.txt")
    (tmp_path / "run/.htaccess").write_text("AddHandler my-handler .html\nIndexIgnore skipped")
    assert visible(tmp_path) == ["a.html", "run/d.txt", "x.txt"]


def test_ignored_names_can_be_forgotten_inside(tmp_path: Path) -> None:
    plant(tmp_path, "a.log", "b.txt", "inner/a.log", "inner/b.txt")
    (tmp_path / ".htaccess").write_text("IndexIgnore *.log")
    (tmp_path / "inner/.htaccess").write_text("IndexIgnoreReset ON\nIndexIgnore *.txt")
    assert visible(tmp_path) == ["b.txt", "inner/a.log"]


def test_a_handler_for_all_can_be_ended_for_some(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt", "b.html", "static/c.txt")
    text = "SetHandler my-handler\n<Files *.html>\nSetHandler default-handler\n</Files>"
    (tmp_path / ".htaccess").write_text(text)
    (tmp_path / "static/.htaccess").write_text("SetHandler None")
    assert visible(tmp_path) == ["b.html", "static/c.txt"]


def test_declared_types_come_with_the_file(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "b.txt", "raw/c.md")
    (tmp_path / ".htaccess").write_text("AddType text/markdown .md")
    (tmp_path / "raw/.htaccess").write_text("ForceType application/octet-stream")
    assert {file.path: file.media_type for file in walk(tmp_path, VisibilityRules())} == {
        "a.md": "text/markdown",
        "b.txt": None,
        "raw/c.md": "application/octet-stream",
    }


def test_a_changed_htaccess_holds_at_once(tmp_path: Path) -> None:
    plant(tmp_path, "m/a.txt")
    protect(tmp_path / "m", "Require user alice")
    ask = {"username": "alice", "password": "alice-secret"}
    assert satisfies_guard(tmp_path, "m", **ask)
    protect(tmp_path / "m", "Require user clara")  # as long as before, at the same moment
    assert not satisfies_guard(tmp_path, "m", **ask)
    (tmp_path / "m/.htaccess").write_text("Require all granted")
    assert satisfies_guard(tmp_path, "m", username=None, password=None)


def test_a_block_that_was_changed_lets_nobody_in_until_the_next_scan(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt")
    protect(tmp_path, "<Files a.txt>\nRequire user alice\n</Files>")
    ((guard,),) = guards_of(tmp_path).values()
    assert satisfies_guard(tmp_path, guard, username="alice", password="alice-secret")
    protect(tmp_path, "<Files b.txt>\nRequire user alice\n</Files>")
    assert not satisfies_guard(tmp_path, guard, username="alice", password="alice-secret")


@pytest.mark.parametrize("guard", ["gone", "..", "a/../b", "/", "a\0", "open//", "m//nothing", "open/a.txt"])
def test_a_guard_that_means_nothing_lets_nobody_in(tmp_path: Path, guard: str) -> None:
    plant(tmp_path, "m/a.txt", "open/a.txt")
    protect(tmp_path / "m", "Require valid-user")
    satisfied = satisfies_guard(tmp_path, guard, username="alice", password="alice-secret")
    assert satisfied == (guard == "open//")  # a folder that asks for nothing


@pytest.mark.parametrize(
    ("username", "password"),
    [
        (None, None),
        ("alice", None),
        (None, "alice-secret"),
        ("alice", "bob-secret"),
        ("", ""),
        ("bob", "bob-secret"),
    ],
)
def test_credentials_that_are_not_right_do_not_help(
    tmp_path: Path, username: str | None, password: str | None
) -> None:
    protect(tmp_path, "Require user alice")
    assert not satisfies_guard(tmp_path, "", username=username, password=password)
