"""What the text of one .htaccess says about access and serving."""

from __future__ import annotations

import pytest

from windrow.sources.files.apache.access_control import Person, holds
from windrow.sources.files.apache.htaccess import parse_htaccess

ALICE = Person("alice", frozenset({"staff"}))
BOB = Person("bob", frozenset())


def let_in(text: str) -> list[bool | None]:
    """Say who is let in: anybody, alice of the staff, bob. None: it depends, or cannot be told."""
    requirement = parse_htaccess(text.encode()).access.whole()
    return [holds(requirement, person) for person in (None, ALICE, BOB)]


EVERYBODY = [True, True, True]
NOBODY = [False, False, False]
UNTOLD = [None, None, None]


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("", EVERYBODY),
        ("Options -Indexes\nDirectoryIndex a.html\nRewriteEngine on", EVERYBODY),
        ("Require all granted", EVERYBODY),
        ("require all Granted", EVERYBODY),
        ("Require all denied", NOBODY),
        ("Require valid-user", [None, True, True]),
        ("Require user alice carol", [None, True, False]),
        ('Require user "alice" carol', [None, True, False]),
        ("Require group staff", [None, True, False]),
        ("Require group rest\nRequire user bob", [None, False, True]),
        ("Require ip 10.0.0.0/8", UNTOLD),
        ("Require host example.org", UNTOLD),
        ("Require local", UNTOLD),
        ("Require method POST", NOBODY),
        ("Require method GET POST", EVERYBODY),
        ("Require env allowed", UNTOLD),
        ("Require expr true", UNTOLD),
        ("Require ldap-user bob", UNTOLD),
        ("Require", UNTOLD),
        ("Require ip 10.0.0.1\nRequire valid-user", [None, True, True]),
        ("<RequireAll>\nRequire valid-user\nRequire not user bob\n</RequireAll>", [None, True, False]),
        ("<RequireAll>\nRequire all granted\nRequire not ip 10.1.2.3\n</RequireAll>", UNTOLD),
        ("<RequireAll>\nRequire all granted\nRequire not env bad\n</RequireAll>", UNTOLD),
        ("<RequireAll>\nRequire all denied\nRequire env x\n</RequireAll>", NOBODY),
        ("<RequireAny>\nRequire user bob\nRequire all denied\n</RequireAny>", [None, False, True]),
        (
            "<RequireAll>\n<RequireAny>\nRequire user alice bob\n</RequireAny>\n"
            "<RequireNone>\nRequire user bob\n</RequireNone>\n</RequireAll>",
            [None, True, False],
        ),
        # What the web server answers with 500 lets nobody in.
        ("Require not user bob", UNTOLD),
        ("<RequireAll>\nRequire not user bob\n</RequireAll>", UNTOLD),
        ("<RequireNone>\nRequire user bob\n</RequireNone>", UNTOLD),
        ("<RequireAll>\n</RequireAll>", UNTOLD),
        ("<RequireAll>\n<If true>\nRequire all granted\n</If>\n</RequireAll>", UNTOLD),
        ("<Files", UNTOLD),
        ("AuthMerging Off", UNTOLD),
        # The old way.
        ("Deny from all", NOBODY),
        ("Order deny,allow\nDeny from all", NOBODY),
        ("Order allow,deny", NOBODY),
        ("Order allow,deny\nAllow from all", EVERYBODY),
        ("Order allow,deny\nAllow from all\nDeny from 10.1.2.3 bad.example", UNTOLD),
        ("Order allow,deny\nAllow from all\nDeny from env=bad", UNTOLD),
        ("Order deny,allow\nDeny from all\nAllow from 10.0.0.0/8", NOBODY),
        ("Order deny,allow\nAllow from all\nDeny from all", EVERYBODY),
        ("Order sometimes", UNTOLD),
        ("Allow everybody", UNTOLD),
        ("Satisfy sometimes", UNTOLD),
        ("Deny from all\nRequire valid-user", NOBODY),
        ("Deny from all\nRequire valid-user\nSatisfy Any", [None, True, True]),
        ("Allow from all\nRequire valid-user\nSatisfy Any", EVERYBODY),
        ("Allow from all\nRequire user bob\nSatisfy All", [None, False, True]),
        # Methods and conditions.
        ("<Limit GET POST>\nRequire all denied\n</Limit>", NOBODY),
        ("<Limit PUT>\nRequire all denied\n</Limit>", EVERYBODY),
        ("<LimitExcept GET>\nRequire all denied\n</LimitExcept>", EVERYBODY),
        ("<LimitExcept PUT>\nRequire user bob\n</LimitExcept>", [None, False, True]),
        (
            "<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n"
            "<IfModule !mod_authz_core.c>\nAllow from all\n</IfModule>",
            NOBODY,
        ),
        ("<IfModule authz_core_module>\nRequire user bob\n</IfModule>", [None, False, True]),
        ("<IfModule mod_rewrite.c>\nRewriteEngine on\n</IfModule>", EVERYBODY),
        ("<IfModule mod_strange.c>\nRequire all granted\n</IfModule>", UNTOLD),
        ("<IfVersion < 2.4>\nDeny from all\n</IfVersion>", EVERYBODY),
        ("<IfVersion >= 2.4>\nRequire all denied\n</IfVersion>", NOBODY),
        ("<IfVersion > 2.2.9>\nRequire all denied\n</IfVersion>", NOBODY),
        ("<IfVersion <= 2.2>\nDeny from all\n</IfVersion>", EVERYBODY),
        ("<IfVersion >= 2.4.50>\nRequire all granted\n</IfVersion>", UNTOLD),
        ("<IfVersion = 2.4>\nRequire all granted\n</IfVersion>", UNTOLD),
        ("<IfVersion >= two>\nRequire all granted\n</IfVersion>", UNTOLD),
        ('<If "%{HTTP_HOST} == 1">\nRequire all granted\n</If>', UNTOLD),
        ("<Strange>\nOptions All\n</Strange>", UNTOLD),
        # Whatever else has to do with authentication.
        ("AuthName here", EVERYBODY),
        ("AuthLDAPURL ldap://directory.example", UNTOLD),
        ("AuthUserFile", UNTOLD),
        ("AuthMerging Sometimes\nRequire all granted", UNTOLD),
    ],
)
def test_who_is_let_in(text: str, answers: list[bool | None]) -> None:
    assert let_in(text) == answers


@pytest.mark.parametrize(
    ("text", "hidden", "shown"),
    [
        ("SetHandler application/x-httpd-php", "a.txt", None),
        ("SetHandler none", None, "a.txt"),
        ("SetHandler default-handler", None, "a.txt"),
        ("AddHandler cgi-script .txt xyz", "a.txt", "a.html"),
        ("AddHandler cgi-script .txt xyz", "a.XYZ.gz", "xyz"),
        ("AddType application/x-httpd-php .html", "a.html", "a.txt"),
        ("AddType text/html .shtmlx\nAddOutputFilter INCLUDES .shtmlx", "a.shtmlx", "a.html"),
        ("AddOutputFilter DEFLATE .txt", None, "a.txt"),
        ("ForceType application/x-httpd-php", "a.txt", None),
        ("SetOutputFilter INCLUDES", "a.html", None),
        ("IndexIgnore *.log secret*", "Secret.txt", "a.txt"),
        ("<IfModule mod_strange.c>\nAddHandler x .txt\n</IfModule>", "a.txt", "a.html"),
    ],
)
def test_what_is_executed_or_unlisted_is_hidden(text: str, hidden: str | None, shown: str | None) -> None:
    serving = parse_htaccess(text.encode()).serving
    assert hidden is None or serving.hides(hidden)
    assert shown is None or not serving.hides(shown)


@pytest.mark.parametrize(
    ("text", "name", "media_type"),
    [
        ("AddType text/markdown .md .text", "a.md", "text/markdown"),
        ("AddType text/markdown md", "a.MD", "text/markdown"),
        ("AddType text/markdown .md", "a.txt", None),
        ("AddType text/a .a\nAddType text/b .b", "x.b.a", "text/a"),
        ("AddType text/a .a\nAddType text/b .a", "x.a", "text/b"),
        ("ForceType image/gif\nAddType text/a .a", "x.a", "image/gif"),
        ("ForceType None", "x.a", None),
    ],
)
def test_declared_types_are_told(text: str, name: str, media_type: str | None) -> None:
    assert parse_htaccess(text.encode()).serving.media_type(name) == media_type


@pytest.mark.parametrize(
    ("head", "covered", "left"),
    [
        ("<Files a.txt>", "a.txt", "b.txt"),
        ('<Files "*.txt">', "b.txt", "b.html"),
        ('<Files ~ "^a">', "a.txt", "ba.txt"),
        (r'<FilesMatch "\.(txt|md)$">', "x.md", "x.md.html"),
    ],
)
def test_blocks_of_names_cover_those_names(head: str, covered: str, left: str) -> None:
    name = head[1:].split(maxsplit=1)[0]
    (section,) = parse_htaccess(f"{head}\nRequire all denied\n</{name}>".encode()).sections
    assert section.covers(covered)
    assert not section.covers(left)
    assert holds(section.access.whole(), None) is False


def test_a_section_whose_pattern_may_take_long_lets_nobody_near_any_file() -> None:
    (section,) = parse_htaccess(b'<FilesMatch "(a+)+$">\nRequire all granted\n</FilesMatch>').sections
    assert section.covers("anything")
    assert holds(section.access.whole(), ALICE) is None


@pytest.mark.parametrize(
    "text",
    [
        '<FilesMatch "[">\nRequire all granted\n</FilesMatch>',
        "<Files>\nRequire all granted\n</Files>",
        "<Files a b>\nRequire all granted\n</Files>",
        "<Files *>\n<Files a>\nRequire all granted\n</Files>\n</Files>",
        "<If x>\n<Files *>\nRequire all granted\n</Files>\n</If>",
    ],
)
def test_a_section_that_makes_no_sense_closes_the_folder(text: str) -> None:
    file = parse_htaccess(text.encode())
    assert file.access.is_broken
    assert [doubt.line for doubt in file.doubts] == [1]


def test_more_sections_than_anybody_writes_close_the_folder() -> None:
    block = "<Files a>\nRequire all granted\n</Files>\n"
    assert not parse_htaccess((block * 200).encode()).access.is_broken
    assert parse_htaccess((block * 201).encode()).access.is_broken
