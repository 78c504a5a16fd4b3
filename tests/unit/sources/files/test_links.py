"""Symbolic links: followed within the tree, never out of it, and never without end."""

from __future__ import annotations

import os
from pathlib import Path

from tests.unit.sources.files.planting import plant, protect, seen_by, visible
from windrow.sources.files.published_folder import VisibilityRules
from windrow.sources.files.visible_files import look_up, walk


def link(place: Path, target: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


def test_a_link_to_a_visible_file_shows_that_file(tmp_path: Path) -> None:
    plant(tmp_path, "real/a.txt")
    os.utime(tmp_path / "real/a.txt", ns=(1, 1234))
    link(tmp_path / "other/b.txt", "../real/a.txt")
    found = {file.path: file for file in walk(tmp_path, VisibilityRules())}
    assert list(found) == ["other/b.txt", "real/a.txt"]
    assert found["other/b.txt"][1:] == found["real/a.txt"][1:]


def test_a_link_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    plant(tmp_path, "outside/secret.txt", "outside/deep/more.txt", "www/a.txt", "www-old/b.txt")
    link(tmp_path / "www/file.txt", "../outside/secret.txt")
    link(tmp_path / "www/absolute.txt", str(tmp_path / "outside/secret.txt"))
    link(tmp_path / "www/folder", "../outside")
    link(tmp_path / "www/sibling", "../www-old")
    link(tmp_path / "www/twice", "folder/deep")
    assert visible(tmp_path / "www") == ["a.txt"]
    for path in ("file.txt", "folder/secret.txt", "sibling/b.txt", "twice/more.txt"):
        assert look_up(tmp_path / "www", path, VisibilityRules()) is None


def test_a_link_to_what_is_hidden_stays_hidden(tmp_path: Path) -> None:
    plant(tmp_path, ".git/config", "x.php", "drafts/a.txt", "closed/b.txt", "cgi-bin/data.txt")
    (tmp_path / "closed").chmod(0o700)
    link(tmp_path / "config.txt", ".git/config")
    link(tmp_path / "git", ".git")
    link(tmp_path / "x.txt", "x.php")
    link(tmp_path / "papers", "drafts")
    link(tmp_path / "b.txt", "closed/b.txt")
    link(tmp_path / "closed-too", "closed")
    link(tmp_path / "tools", "cgi-bin")
    assert visible(tmp_path, VisibilityRules(skip=("drafts/",))) == []


def test_a_link_whose_own_name_is_hidden_stays_hidden(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt", "folder/b.txt")
    link(tmp_path / ".a.txt", "a.txt")
    link(tmp_path / "a.php", "a.txt")
    link(tmp_path / "CVS", "folder")
    assert visible(tmp_path) == ["a.txt", "folder/b.txt"]


def test_a_link_to_a_visible_folder_shows_what_is_in_it(tmp_path: Path) -> None:
    plant(tmp_path, "releases/42/a.txt", "releases/42/.hidden", "shared/b.txt")
    link(tmp_path / "current", "releases/42")
    link(tmp_path / "releases/42/assets", "../../shared")
    assert visible(tmp_path) == [
        *("current/a.txt", "current/assets/b.txt"),
        *("releases/42/a.txt", "releases/42/assets/b.txt", "shared/b.txt"),
    ]


def test_what_is_skipped_at_its_own_place_is_not_seen_through_a_link(tmp_path: Path) -> None:
    plant(tmp_path, "real/a.txt", "real/sub/b.txt", "real/c.txt")
    link(tmp_path / "alias", "real")
    assert visible(tmp_path, VisibilityRules(skip=("real/a.txt", "real/sub"))) == [
        "alias/c.txt",
        "real/c.txt",
    ]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    plant(tmp_path, "a/x.txt", "b/y.txt")
    link(tmp_path / "a/up", "..")
    link(tmp_path / "a/self", ".")
    link(tmp_path / "a/b", "../b")
    link(tmp_path / "b/a", "../a")
    link(tmp_path / "round", "round")
    link(tmp_path / "ping", "pong")
    link(tmp_path / "pong", "ping")
    assert visible(tmp_path) == ["a/b/y.txt", "a/x.txt", "b/a/x.txt", "b/y.txt"]


def test_many_folders_that_link_to_one_another_stay_affordable(tmp_path: Path) -> None:
    names = [f"d{number}" for number in range(6)]
    for name in names:
        plant(tmp_path, f"{name}/file.txt")
        for other in names:
            link(tmp_path / name / other, f"../{other}")
    assert len(visible(tmp_path)) == 6 + 6 * 5 + 6 * 5 * 4 + 6 * 5 * 4 * 3


def test_a_link_to_nothing_is_nothing(tmp_path: Path) -> None:
    link(tmp_path / "dangling.txt", "nowhere.txt")
    link(tmp_path / "through", "a.txt/x")
    plant(tmp_path, "a.txt")
    troubles: dict[str, Exception] = {}
    assert [file.path for file in walk(tmp_path, VisibilityRules(), on_error=troubles.__setitem__)] == [
        "a.txt"
    ]
    assert troubles == {}


def test_a_root_reached_through_a_link_is_the_folder_itself(tmp_path: Path) -> None:
    plant(tmp_path, "real/a.txt")
    link(tmp_path / "www", "real")
    link(tmp_path / "real/b.txt", str(tmp_path / "www/a.txt"))
    assert visible(tmp_path / "www") == ["a.txt", "b.txt"]


def test_a_link_does_not_lead_around_a_password(tmp_path: Path) -> None:
    plant(tmp_path, "members/a.txt", "members/deep/b.txt", "open/c.txt")
    protect(tmp_path / "members", "Require user alice")
    link(tmp_path / "open/a.txt", "../members/a.txt")
    link(tmp_path / "open/deep", "../members/deep")
    assert seen_by(tmp_path, None) == ["open/c.txt"]
    assert seen_by(tmp_path, "bob") == ["open/c.txt"]
    assert seen_by(tmp_path, "alice") == [
        *("members/a.txt", "members/deep/b.txt"),
        *("open/a.txt", "open/c.txt", "open/deep/b.txt"),
    ]


def test_a_link_in_a_protected_folder_needs_its_password(tmp_path: Path) -> None:
    plant(tmp_path, "members/", "open/c.txt", "other/d.txt")
    protect(tmp_path / "members", "Require valid-user")
    protect(tmp_path / "other", "Require user bob")
    link(tmp_path / "members/c.txt", "../open/c.txt")
    link(tmp_path / "members/d.txt", "../other/d.txt")
    assert seen_by(tmp_path, None) == ["open/c.txt"]
    assert seen_by(tmp_path, "alice") == ["members/c.txt", "open/c.txt"]
    assert seen_by(tmp_path, "bob") == ["members/c.txt", "members/d.txt", "open/c.txt", "other/d.txt"]
    assert look_up(tmp_path, "members/d.txt", VisibilityRules()) is not None
