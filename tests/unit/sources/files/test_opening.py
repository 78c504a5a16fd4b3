"""One file by its path: every trick that leads somewhere else gives nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

import pytest

from tests.unit.sources.files.planting import plant, protect
from windrow.sources.files.published_folder import VisibilityRules
from windrow.sources.files.visible_files import Tree, look_up, open_beneath, open_checked, open_visible


@pytest.fixture
def www(tmp_path: Path) -> Path:
    plant(tmp_path, "secret.txt", "www/a/b.txt", "www/.env", "www/x.php", "www/cgi-bin/c.txt")
    return tmp_path / "www"


@pytest.mark.parametrize(
    "path",
    [
        *("", ".", "..", "/", "a", "a/", "/a/b.txt", "//a/b.txt", "a//b.txt", "a/./b.txt", "./a/b.txt"),
        *("../secret.txt", "a/../../secret.txt", "a/../a/b.txt", "../www/a/b.txt", "a/b.txt/", "a/b.txt/.."),
        *(
            "a/b.txt\0",
            "a\0/b.txt",
            "a/b.txt\n",
            "a\\b.txt",
            "A/B.TXT/x",
            "~/secret.txt",
            "%2e%2e/secret.txt",
        ),
        *(".env", "x.php", "cgi-bin/c.txt", "nothing", "a/b.txt/c", "\udcff", "x" * 300, "x/" * 9000 + "x"),
    ],
)
def test_a_path_with_a_trick_shows_and_opens_nothing(www: Path, path: str) -> None:
    assert look_up(www, path, VisibilityRules()) is None
    with pytest.raises(FileNotFoundError):
        open_visible(Tree.at(www, VisibilityRules()), path)


def test_a_visible_file_is_opened(www: Path) -> None:
    with open_visible(Tree.at(www, VisibilityRules()), "a/b.txt") as file:
        assert file.read() == b"content"


def test_a_visible_file_is_opened_through_links_within_the_tree(www: Path) -> None:
    (www / "alias").symlink_to("a")
    (www / "a/again.txt").symlink_to("b.txt")
    with open_visible(Tree.at(www, VisibilityRules()), "alias/again.txt") as file:
        assert file.read() == b"content"


def test_a_pipe_does_not_make_us_wait(www: Path) -> None:
    os.mkfifo(www / "pipe")
    with pytest.raises(FileNotFoundError):
        open_visible(Tree.at(www, VisibilityRules()), "pipe")


@pytest.mark.parametrize("target", ["../outside", ".hidden", "members"])
def test_a_folder_swapped_for_a_link_after_the_decision_gives_nothing(www: Path, target: str) -> None:
    plant(www.parent, "outside/b.txt", "www/.hidden/b.txt", "www/members/b.txt")
    protect(www / "members", "Require valid-user")

    class Swapping(VisibilityRules):
        """Decides as ever, but at that moment somebody moves the folder away."""

        def why_file_hidden(self, path: str, name: str, *, is_executable: bool) -> str:
            if not (www / "moved").exists():
                (www / "a").rename(www / "moved")
                (www / "a").symlink_to(target)
            return super().why_file_hidden(path, name, is_executable=is_executable)

    with pytest.raises(FileNotFoundError):
        open_visible(Tree.at(www, Swapping()), "a/b.txt")
    assert (www / "a/b.txt").exists()


def open_descriptors() -> int:
    """Count what this process holds open, where the system tells."""
    held = Path("/proc/self/fd")
    return len(list(held.iterdir())) if held.is_dir() else 0


@pytest.mark.parametrize("opening", [open_beneath, open_checked])
def test_no_name_on_the_way_may_be_a_link(
    www: Path, opening: Callable[[str, Sequence[str]], BinaryIO]
) -> None:
    (www / "alias").symlink_to("a")
    (www / "a/out.txt").symlink_to("../../secret.txt")
    root = os.path.realpath(www)
    with opening(root, ("a", "b.txt")) as file:
        assert file.read() == b"content"
    for names in (("alias", "b.txt"), ("a", "out.txt"), ("a", "nothing"), ("alias",), ("a",)):
        before = open_descriptors()
        with pytest.raises(OSError):
            opening(root, names)
        assert open_descriptors() == before


def test_a_file_that_was_protected_meanwhile_is_not_opened_for_those_who_knew_it_public(www: Path) -> None:
    with open_visible(Tree.at(www, VisibilityRules()), "a/b.txt", guards=()) as file:
        assert file.read() == b"content"
    protect(www / "a", "Require valid-user")
    with pytest.raises(FileNotFoundError):
        open_visible(Tree.at(www, VisibilityRules()), "a/b.txt", guards=())
    with open_visible(Tree.at(www, VisibilityRules()), "a/b.txt", guards={"a", "other"}) as file:
        assert file.read() == b"content"


def test_one_look_finds_out_about_a_folder_once(www: Path) -> None:
    plant(www.parent, "www/a/c.txt", "www/a/deep/d.txt")
    look = Tree.at(www, VisibilityRules())
    open_visible(look, "a/b.txt").close()
    protect(www / "a", "Require all denied")
    for path in ("a/c.txt", "a/b.txt", "a/deep/d.txt"):
        open_visible(look, path).close()
        with pytest.raises(FileNotFoundError):
            open_visible(Tree.at(www, VisibilityRules()), path)


def test_what_a_look_has_found_out_leads_through_no_link_that_came_since(www: Path) -> None:
    plant(www.parent, "outside/b.txt", "outside/c.txt", "www/a/c.txt")
    look = Tree.at(www, VisibilityRules())
    open_visible(look, "a/b.txt").close()
    (www / "a").rename(www / "moved")
    (www / "a").symlink_to("../outside")
    with pytest.raises(FileNotFoundError):
        open_visible(look, "a/c.txt")
