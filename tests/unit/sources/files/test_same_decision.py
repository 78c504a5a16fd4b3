"""Walking and looking up decide alike, whatever the tree."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import tries
from windrow.sources.files.published_folder import VisibilityRules
from windrow.sources.files.visible_files import look_up, walk

FOLDERS = ["", "a", "a/b", "a/b/c", "d", "d/.e", "cgi-bin", "CVS"]
NAMES = ["x.txt", "y.html", "z.php", "w.txt~", ".dot", "core", "ü.pdf"]
TARGETS = [*FOLDERS[1:], "a/x.txt", "d/y.html", "a/../d", "..", "../..", "/", "link", "a/link", "nowhere"]
HTACCESS = [
    *("Require all denied", "Require all granted", "Require valid-user", "Deny from all", "<Files"),
    *("IndexIgnore y* b", "AddHandler cgi-script .txt", "SetHandler none", "ForceType text/css"),
    *("<Files x.txt>\nRequire all denied\n</Files>", '<FilesMatch "^[xy]">\nRequire user u\n</FilesMatch>'),
]

files = st.lists(st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES), st.sampled_from([0o644, 0o600])))
links = st.lists(
    st.tuples(
        st.sampled_from(FOLDERS), st.sampled_from(["link", "x.txt", "m.html"]), st.sampled_from(TARGETS)
    ),
    max_size=5,
)
htaccesses = st.dictionaries(st.sampled_from(FOLDERS), st.sampled_from(HTACCESS), max_size=3)
modes = st.dictionaries(st.sampled_from(FOLDERS[1:]), st.sampled_from([0o755, 0o700]), max_size=2)
rules = st.builds(
    VisibilityRules,
    skip=st.sampled_from([(), ("a/b",), ("*.html", "d/"), ("**/c/*",)]),
    show_hidden=st.booleans(),
    needs_public_read=st.booleans(),
)


def every_path(folder: Path, sandbox: Path, prefix: str = "", *, levels: int = 6) -> set[str]:
    """Give every path there is, through links within the sandbox as well, down to some levels."""
    paths: set[str] = set()
    for name in os.listdir(folder):
        paths.add(prefix + name)
        if levels > 1 and (folder / name).is_dir() and (folder / name).resolve().is_relative_to(sandbox):
            paths |= every_path(folder / name, sandbox, f"{prefix}{name}/", levels=levels - 1)
    return paths


def make_tree(
    root: Path,
    made_files: list[tuple[str, str, int]],
    made_links: list[tuple[str, str, str]],
    made_htaccesses: dict[str, str],
) -> None:
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for folder, name, mode in made_files:
        (root / folder / name).write_text(folder)
        (root / folder / name).chmod(mode)
    for folder, name, target in made_links:
        place = root / folder / name
        if not place.is_symlink() and not place.exists():
            place.symlink_to(target if target.startswith(("/", ".")) else root / target)
    for folder, text in made_htaccesses.items():
        (root / folder / ".htaccess").write_text(text)


@settings(max_examples=tries(60), deadline=None)
@given(files, links, htaccesses, modes, rules)
def test_a_file_is_listed_exactly_when_it_can_be_looked_up(
    made_files: list[tuple[str, str, int]],
    made_links: list[tuple[str, str, str]],
    made_htaccesses: dict[str, str],
    made_modes: dict[str, int],
    made_rules: VisibilityRules,
) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "root"
        make_tree(root, made_files, made_links, made_htaccesses)
        for folder, mode in made_modes.items():
            (root / folder).chmod(mode)
        candidates = every_path(root, Path(place).resolve())
        walked = {file.path: file for file in walk(root, made_rules) if file.path.count("/") < 6}
        looked_up = {path: found for path in candidates if (found := look_up(root, path, made_rules))}
        assert walked == looked_up
