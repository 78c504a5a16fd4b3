"""Small folders for the tests of what is visible, and people with passwords."""

from __future__ import annotations

from pathlib import Path

from windrow.sources.files.apache.htpasswd import satisfies_guard
from windrow.sources.files.published_folder import VisibilityRules
from windrow.sources.files.visible_files import look_up, walk

# Made with htpasswd; everybody's password is the own name with "-secret".
PASSWORDS = """\
# people of the tests
alice:$apr1$CZmSB3Zh$BvN7kE0cLg.urx3/waQxQ0
bob:{SHA}Md7yGSbrVBY29morDdFNHvcmrxg=
carol:$2y$04$u.4TL7HfIhriT8WdsBVJyOify.SGvpj9USCR6wemYuZGUxvoFGsOq
"""
GROUPS = "staff: alice carol\nguests: bob\n"


def plant(root: Path, *paths: str) -> None:
    """Make each path a small file, or a folder where it ends with a slash."""
    for path in paths:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("/"):
            place.mkdir(exist_ok=True)
        else:
            place.write_text("content")


def protect(folder: Path, text: str) -> None:
    """Give a folder an .htaccess that asks for the people of the tests, and says this besides."""
    beside = folder / ".htpasswd"
    beside.write_text(PASSWORDS)
    (folder / ".htgroups").write_text(GROUPS)
    basic = "AuthType Basic\nAuthName here\nAuthUserFile .htpasswd\nAuthGroupFile .htgroups\n"
    (folder / ".htaccess").write_text(basic + text)


def visible(root: Path, rules: VisibilityRules | None = None) -> list[str]:
    """Give the paths that are visible, by walking, once every single look-up has agreed."""
    found = list(walk(root, rules or VisibilityRules()))
    for file in found:
        assert look_up(root, file.path, rules or VisibilityRules()) == file
    return [file.path for file in found]


def seen_by(root: Path, name: str | None, rules: VisibilityRules | None = None) -> list[str]:
    """Give the paths that somebody sees: a person of the tests, or nobody in particular."""
    password = None if name is None else f"{name}-secret"
    return [
        file.path
        for file in walk(root, rules or VisibilityRules())
        if all(satisfies_guard(root, guard, username=name, password=password) for guard in file.guards)
    ]
