"""The measure of it all: nothing is seen that a real Apache does not serve to the same person."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator
from pathlib import Path

from tests.unit.sources.files.apache.httpd import folder_for_all, serve
from tests.unit.sources.files.planting import GROUPS, PASSWORDS, plant, seen_by

PEOPLE = [None, "alice", "bob", "carol", "nobody"]
NAMES = ["a.txt", "b.txt", "c.html", "d.php.txt"]
REQUIREMENTS = [
    *("Require valid-user", "Require user alice bob", "Require group staff", "Require all granted"),
    *("Require all denied", "Require ip 10.0.0.0/8", "Require not ip 10.1.2.3", "Require method POST"),
    *("Require user alice\nRequire group guests", "<Limit GET>\nRequire user bob\n</Limit>"),
    "<RequireAll>\nRequire valid-user\nRequire not user bob\n</RequireAll>",
    "<RequireAll>\nRequire all granted\nRequire not ip 10.1.2.3\n</RequireAll>",
    "<RequireNone>\nRequire user bob\n</RequireNone>",
    "<RequireAny>\nRequire ip 10.0.0.1\nRequire valid-user\n</RequireAny>",
    "<LimitExcept POST>\nRequire user alice\n</LimitExcept>",
    "<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>",
    "<IfVersion >= 2.4>\nRequire user carol\n</IfVersion>",
    "<RequireAll>\n</RequireAll>",
]
OLD = [
    *("Order allow,deny\nDeny from all", "Deny from all", "Deny from all\nSatisfy Any", "Satisfy Any"),
    *("Order allow,deny\nAllow from all\nDeny from 10.1.1.1", "Order allow,deny", "Allow from all"),
]
BLOCKS = [
    "<Files b.txt>\n{}\n</Files>",
    '<FilesMatch "^[bc]">\n{}\n</FilesMatch>',
    "<Files *.html>\n{}\n</Files>",
]
SERVING = [
    "AddHandler cgi-script .html",
    "<Files a.txt>\nSetHandler cgi-script\n</Files>",
    "Options -Indexes",
    "RewriteEngine on\nRewriteRule [bc]\\.[a-z]+$ - [F]",
    "RewriteEngine On\nRewriteRule ^a\\.txt$ - [L]\nRewriteRule ^e/f/ - [L]\nRewriteRule . - [G]",
    "RewriteEngine on\nRewriteRule !^E/ - [R=404,NC]",
    "RewriteEngine on",
    "RewriteRule . - [F]",
    "RewriteEngine on\nRewriteOptions Inherit\nRewriteRule ^c - [forbidden]",
    "Redirect gone /d3\nRedirect 403 /d4/e\nRedirect 404 /d5/e/f/a.txt",
    "RedirectMatch 404 e/.*\\.html$",
    "<IfModule mod_rewrite.c>\nRewriteEngine on\nRewriteRule ^b - [F]\n</IfModule>",
]


def make_text(choice: random.Random, passwords: Path) -> str:
    """Write an .htaccess as people do, only with less sense."""
    basic = f"AuthType Basic\nAuthName x\nAuthUserFile {passwords}\nAuthGroupFile {passwords}.groups"

    def scope() -> str:
        lines = [choice.choice([basic, basic, ""])]
        lines += [choice.choice(REQUIREMENTS)] if choice.random() < 0.6 else []
        lines += [choice.choice(OLD)] if choice.random() < 0.3 else []
        lines += ["AuthMerging And"] if choice.random() < 0.05 else []
        return "\n".join(lines)

    blocks = [choice.choice(BLOCKS).format(scope()) for _ in range(choice.choice([0, 0, 1, 2]))]
    serving = [choice.choice(SERVING)] if choice.random() < 0.5 else []
    return "\n".join([scope(), *blocks, *serving, ""])


def make_site(root: Path, passwords: Path) -> None:
    """Make many folders three levels deep, most of which have an .htaccess."""
    choice = random.Random(20)
    for number in range(60):
        for folder in (f"d{number}", f"d{number}/e", f"d{number}/e/f"):
            plant(root, *(f"{folder}/{name}" for name in NAMES))
            if choice.random() < 0.8:
                (root / folder / ".htaccess").write_text(make_text(choice, passwords))


def every_file(root: Path) -> Iterator[str]:
    return (path.relative_to(root).as_posix() for path in sorted(root.rglob("[a-z].*")))


def authorization(name: str | None) -> str | None:
    if name is None:
        return None
    return "Basic " + base64.b64encode(f"{name}:{name}-secret".encode()).decode()


def test_nobody_sees_what_apache_would_not_serve_them() -> None:
    with folder_for_all() as place:
        root, passwords = place / "www", place / "passwords"
        passwords.write_text(PASSWORDS)
        Path(f"{passwords}.groups").write_text(GROUPS)
        make_site(root, passwords)
        with serve(root, place) as server:
            agreed = 0
            for name in PEOPLE:
                served = {
                    path
                    for path in every_file(root)
                    if server.get(path, authorization(name)) == (200, b"content")
                }
                seen = set(seen_by(root, name))
                assert seen <= served
                agreed += len(seen)
    assert agreed > 200  # or the comparison says little
