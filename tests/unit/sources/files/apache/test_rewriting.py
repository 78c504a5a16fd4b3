"""What an .htaccess rewrites, redirects or refuses by its address."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.files.planting import plant
from windrow.sources.files.apache.htaccess import parse_htaccess
from windrow.sources.files.apache.rewriting import MAX_RULES
from windrow.sources.files.published_folder import VisibilityRules
from windrow.sources.files.visible_files import look_up, walk

FILES = ("a.txt", "b.dat", "sub/a.txt", "sub/b.dat", "sub/deep/a.txt")
ON = "RewriteEngine On\n"


def seen(root: Path, **settings: str) -> set[str]:
    """Which of the files are seen, in the list and one by one."""
    rules = VisibilityRules(**settings)  # type: ignore[arg-type]
    listed = {file.path for file in walk(root, rules)}
    assert listed == {path for path in FILES if look_up(root, path, rules)}
    return listed


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (f"{ON}RewriteRule \\.dat$ - [F]", {"b.dat", "sub/b.dat"}),
        (f"{ON}RewriteRule ^b - [G,L]", {"b.dat"}),
        (f"{ON}RewriteRule ^SUB/ - [NC,forbidden]", {"sub/a.txt", "sub/b.dat", "sub/deep/a.txt"}),
        (f"{ON}RewriteRule !^sub/ - [R=404]", {"a.txt", "b.dat"}),
        (f'{ON}RewriteRule "^sub/deep/" "-" "[F]"', {"sub/deep/a.txt"}),
        (f"{ON}RewriteRule ^sub/ - [L]\nRewriteRule .* - [F]", {"a.txt", "b.dat"}),
        (f"<IfModule mod_rewrite.c>\n{ON}RewriteRule ^a - [F]\n</IfModule>", {"a.txt"}),
        (f"{ON}RewriteRule (a+)+$ - [F]", set(FILES)),  # could take for ever: the worse is assumed
        ("Redirect gone /sub/deep", {"sub/deep/a.txt"}),
        ("Redirect 403 /sub/d", set()),
        ("Redirect 404 /", set(FILES)),
        ("RedirectMatch 404 /a\\.", {"a.txt", "sub/a.txt", "sub/deep/a.txt"}),
        # Without a word on the engine, the server's own configuration may turn it on.
        ("RewriteRule . - [F]", set(FILES)),
        # Something else is sent instead of the file.
        (f"{ON}RewriteRule ^a b [L]", {"a.txt"}),
        (f"{ON}RewriteRule . https://www.example.org/ [R=301,L]", set(FILES)),
        (f"{ON}RewriteRule ^sub/ /login.php [L]", {"sub/a.txt", "sub/b.dat", "sub/deep/a.txt"}),
        ("Redirect permanent /sub https://www.example.org/", {"sub/a.txt", "sub/b.dat", "sub/deep/a.txt"}),
        ("Redirect /sub/deep https://www.example.org/", {"sub/deep/a.txt"}),
        # Who is meant depends on what is unknown.
        (f"{ON}RewriteCond %{{HTTP_USER_AGENT}} bad\nRewriteRule . - [F]", set(FILES)),
        (f"{ON}RewriteCond %{{REMOTE_ADDR}} !^10\nRewriteRule ^sub/deep /login [R]", {"sub/deep/a.txt"}),
        # These keep nothing back.
        ("RewriteEngine Off\nRewriteRule . - [F]", set()),
        (f"{ON}RewriteRule ^nothing - [C]\nRewriteRule . - [F]", set()),
        (f"{ON}RewriteCond %{{REQUEST_FILENAME}} !-f\nRewriteRule . /index.php [L]", set()),
        (f"{ON}RewriteCond %{{HTTPS}} off\nRewriteRule ^x - [L]\nRewriteRule ^b - [F]", {"b.dat"}),
    ],
)
def test_what_is_not_served_as_it_is_is_not_seen(tmp_path: Path, text: str, hidden: set[str]) -> None:
    plant(tmp_path, *FILES)
    (tmp_path / ".htaccess").write_text(text)
    assert seen(tmp_path) == set(FILES) - hidden


def test_rules_of_an_inner_folder_take_the_place_of_the_outer_ones(tmp_path: Path) -> None:
    plant(tmp_path, *FILES)
    (tmp_path / ".htaccess").write_text(f"{ON}RewriteRule \\.txt$ - [F]\nRedirect 404 /sub/deep")
    (tmp_path / "sub" / ".htaccess").write_text("RewriteRule ^b - [F]")
    assert seen(tmp_path) == {"b.dat", "sub/a.txt"}
    (tmp_path / "sub" / ".htaccess").write_text("RewriteOptions Inherit\nRewriteRule ^b - [F]")
    assert seen(tmp_path) == {"b.dat"}
    (tmp_path / ".htaccess").write_text(f"{ON}RewriteRule ^deep/ - [F]")  # as if it stood in the inner one
    assert seen(tmp_path) == {"a.txt", "b.dat", "sub/a.txt"}


def test_rules_above_the_folder_count_for_it(tmp_path: Path) -> None:
    plant(tmp_path / "site", *FILES)
    (tmp_path / ".htaccess").write_text(f"{ON}RewriteRule ^site/sub/ - [F]")
    assert seen(tmp_path / "site") == {"a.txt", "b.dat"}


def test_redirect_goes_by_the_path_of_the_address(tmp_path: Path) -> None:
    plant(tmp_path, *FILES)
    (tmp_path / ".htaccess").write_text("Redirect 404 /home/sub")
    assert seen(tmp_path) == set(FILES)
    assert seen(tmp_path, address_path="/home/") == {"a.txt", "b.dat"}


def test_more_rules_than_anybody_writes_make_a_file_unreadable() -> None:
    assert not parse_htaccess(b"Redirect 404 /x\n" * MAX_RULES).access.is_broken
    assert parse_htaccess(b"Redirect 404 /x\n" * (MAX_RULES + 1)).access.is_broken
