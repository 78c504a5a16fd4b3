"""Many an .htaccess, each asked of a real Apache: what it keeps from a stranger is not seen."""

# ruff: noqa: E501 - tables

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.unit.sources.files.apache.httpd import Apache, folder_for_all, serve
from tests.unit.sources.files.planting import plant
from windrow.config.source_kinds import FolderSettings
from windrow.sources.files.published_folder import VisibilityRules, published_folder
from windrow.sources.files.visible_files import NotUnderstood, look_up, walk

NAMES = ("a.txt", "b.txt", "été.txt", "sub/a.txt", "sub/b.txt")
ON = "RewriteEngine On\n"

# Nothing of this is about access.
HARMLESS = [
    "",
    "# only a comment\n\n   # and another \\\nRequire all denied",
    "Options -Indexes",
    "Options +FollowSymLinks -MultiViews",
    "Options Indexes FollowSymLinks",
    "DirectoryIndex index.html home.html",
    "DirectorySlash Off",
    "ErrorDocument 404 /missing.html",
    'ErrorDocument 403 "Not for you, that is."',
    'Header set X-Frame-Options "DENY"\nHeader always unset X-Powered-By',
    'Header set Link "%{X}e;%t" env=X',
    "SetEnvIf Referer evil\\.example bad\nBrowserMatch MSIE old",
    "SetEnv APPLICATION production\nUnsetEnv X",
    'ExpiresActive On\nExpiresDefault "access plus 1 month"\nExpiresByType text/css A3600',
    "AddDefaultCharset utf-8\nAddCharset utf-8 .txt\nAddLanguage en .en\nAddEncoding x-gzip .gz",
    "AddType text/markdown .md\nForceType None\nFileETag None",
    "AddOutputFilterByType DEFLATE text/html text/plain\nSetOutputFilter DEFLATE",
    "ServerSignature Off\nLimitRequestBody 102400\nAcceptPathInfo Off",
    "IndexOptions FancyIndexing NameWidth=*\nIndexIgnore *.bak\nAddDescription map *.txt",
    "LanguagePriority en sv fi\nForceLanguagePriority Prefer Fallback",
    "<IfModule mod_php.c>\nphp_value upload_max_filesize 2M\nphp_flag engine off\n</IfModule>",
    "<IfModule !mod_authz_core.c>\nOrder allow,deny\nDeny from all\n</IfModule>",
    "Require all granted",
    "Order allow,deny\nAllow from all",
    "<Limit PUT DELETE>\nRequire all denied\n</Limit>",
    "<RequireAll>\nRequire all granted\n</RequireAll>",
    "<Files c.txt>\nRequire all denied\n</Files>",
    *(
        f"<Files {path}>\nRequire all denied\n</Files>"
        for path in (
            "/a.txt",
            "/../a.txt",
            "../a.txt",
            "sub/a.txt",
            "../x/../../sub/../a.txt",
            "a.txt/",
            "a.txt/.",
            "a.txt/..",
            "..",
            "./",
            "...",
        )
    ),
    f"{ON}RewriteRule ^nothing$ - [F]",
    f"{ON}RewriteRule . - [L]\nRewriteRule . - [F]",
    f"{ON}RewriteRule . - [E=X:y,NC]",
    # What content management systems write.
    f"{ON}RewriteBase /\nRewriteCond %{{REQUEST_FILENAME}} !-f\nRewriteCond %{{REQUEST_FILENAME}} !-d\n"
    "RewriteRule . /index.php [L]",
    f"<IfModule mod_rewrite.c>\n{ON}RewriteRule ^index\\.php$ - [L]\n"
    "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /index.php [L]\n</IfModule>",
    # No other site may show our pictures; who comes by the address itself is welcome.
    f"{ON}RewriteCond %{{HTTP_REFERER}} !^$\nRewriteCond %{{HTTP_REFERER}} !our\\.example [NC]\n"
    "RewriteRule \\.txt$ - [F]",
    f"{ON}RewriteCond %{{QUERY_STRING}} edit\nRewriteRule . /login [R,L]",
    # What a query string may not have, as Joomla writes it: such an expression takes long, but there is none.
    f"{ON}RewriteCond %{{QUERY_STRING}} (<|%3C)([^s]*s)+cript.*(>|%3E) [NC,OR]\n"
    "RewriteCond %{QUERY_STRING} GLOBALS(=|\\[|\\%[0-9A-Z]{0,2})\nRewriteRule .* index.php [F]",
    "Options All -Indexes",
    f"Options All -Indexes -ExecCGI\n{ON}",
    "DefaultType text/plain",
    "ErrorDocument 404 http://%{HTTP_HOST}/100%",
    r"Header set X \%%",
    "<IfModule mod_brotli.c>\nAddOutputFilterByType BROTLI_COMPRESS text/html\n</IfModule>",
    "IndexOptions +FancyIndexing -NameWidth +IconHeight=16 Charset=UTF-8\nIndexOrderDefault Descending Date",
    "AddIcon (TXT,/icons/text.gif) .txt\nAddIconByType /icons/image.gif image/*",
    'Header set X y "expr=%{CONTENT_TYPE} =~ m#text/(css|html)#i"\nHeader set X y "expr=%{HTTPS} == \'on\'"',
    "Header edit Set-Cookie ^(.*)$ $1;Secure",
    "<Limit POST>\nHeader set X y\nErrorDocument 404 /x\n<RequireAll>\nRequire all denied\n</RequireAll>\n</Limit>",
    "<LimitExcept GET HEAD POST>\nOrder deny,allow\nDeny from all\n</LimitExcept>",
    "RewriteEngine Off\nRewriteRule . - [F]",
    "Redirect gone /elsewhere\nRedirectMatch 404 ^/nothing/.*",
    f"{ON}RewriteRule \\.txt$ - [T=text/plain]",
    "<IfModule mod_alias.c>\nRedirect 301 /old /new\nRedirectMatch 403 ^/secret\n</IfModule>",
    f"<IfModule mod_rewrite.c>\n<IfModule mod_negotiation.c>\nOptions -MultiViews\n</IfModule>\n{ON}RewriteRule ^no - [F]\n</IfModule>",
    "<IfModule !mod_rewrite.c>\n<IfModule mod_alias.c>\nRedirectMatch 302 ^/$ /index.php/\n</IfModule>\n</IfModule>",
    # As Drupal has it, in short
    f"<IfModule mod_fcgid.c>\n<IfModule mod_rewrite.c>\n{ON}RewriteRule .* - [E=A:%{{HTTP:Authorization}},L]\n</IfModule>\n</IfModule>\n"
    f'<IfModule mod_rewrite.c>\n{ON}RewriteRule "/\\.|^\\.(?!well-known/)" - [F]\n<IfModule mod_headers.c>\n'
    "RewriteCond %{HTTP:Accept-encoding} gzip\nRewriteCond %{REQUEST_FILENAME}\\.gz -s\nRewriteRule ^(.*)\\.css$ $1.css.gz [QSA]\n"
    "RewriteRule \\.css\\.gz$ - [T=text/css,E=no-gzip:1]\nHeader append Vary Accept-Encoding\n</IfModule>\n</IfModule>",
    'Header always set Server ""\nSetEnv X ""\nHeader edit X a ""\nRequestHeader unset Range',
]

# Each may keep something from somebody, or makes Apache refuse everything.
CONDITIONS = [
    *("%{REMOTE_ADDR} ^127\\.", "%{REMOTE_ADDR} !^10\\.", "%{REMOTE_HOST} !example", "%{REMOTE_USER} !.", "%{REMOTE_USER} ^$"),
    *("%{HTTP_COOKIE} !session=", "%{HTTP_REFERER} !^https://our\\.example", "%{HTTP_REFERER} ^$"),
    *("%{HTTP_USER_AGENT} stranger", "%{HTTP_USER_AGENT} !Friend [NC]", "%{TIME_HOUR} >=00", "%{TIME_YEAR} >2000"),
    *("%{HTTPS} off", "%{HTTPS} !=on", "%{HTTP_HOST} !^www\\.our\\.example$ [NC]", "%{SERVER_PORT} !^443$"),
    *("%{HTTP:Authorization} ^$", "%{HTTP:X-Token} !secret", "%{ENV:allowed} !1", "%{QUERY_STRING} !token="),
    *("%{REQUEST_METHOD} GET", "%{REQUEST_METHOD} =GET", "%{THE_REQUEST} txt", "%{REQUEST_URI} ^/v", "%{REQUEST_FILENAME} -f"),
    *("%{REQUEST_FILENAME} !-d", "%{REQUEST_FILENAME} -s", "expr \"%{REMOTE_ADDR} -ipmatch '127.0.0.1'\"", "$0 ."),
    *("%{IS_SUBREQ} =false", "%{HTTP_ACCEPT} !html", "%{SERVER_NAME}%{REQUEST_URI} .", "%{HTTP_COOKIE} ^$ [OR]"),
    *("%{HTTP_FORWARDED} ^$", "%{CONN_REMOTE_ADDR} 127", "%{SSL:SSL_CLIENT_VERIFY} !SUCCESS", "%{REQUEST_SCHEME} =http"),
]  # fmt: skip
EFFECTS = [
    *("- [F]", "- [G,L]", "/login [R]", "https://login.example/ [R=302,L]", "/login.html [L]", "- [R=404]"),
    *(
        "http://127.0.0.1:9/ [P]",
        "- [F,NC]",
        "sub/b.txt [END]",
        "- [forbidden]",
        "/login?back=$0 [QSA,R=303]",
    ),
]
CLOSING = [
    *(f"{ON}RewriteRule ^ {effect}" for effect in EFFECTS),
    f"{ON}RewriteRule \\.txt$ - [F]",
    f"{ON}RewriteRule ^(.*)$ /x/$1 [S=1]",
    f"{ON}RewriteRule . - [C]\nRewriteRule . - [F]",
    f"{ON}RewriteRule !^public/ - [F]",
    f"{ON}RewriteRule ^sub/ - [L]\nRewriteRule . - [F]",
    f"{ON}RewriteCond %{{HTTP_COOKIE}} session\nRewriteRule . - [L]\nRewriteRule . /login [R]",
    f"{ON}RewriteCond %{{REMOTE_ADDR}} ^10\\. [OR]\nRewriteCond %{{REMOTE_ADDR}} ^127\\.\nRewriteRule . - [F]",
    f"{ON}RewriteRule (a|b)+\\.txt$ - [F]",
    f"{ON}RewriteRule . - [S=1]\nRewriteRule ^x - [L]\nRewriteRule . - [F]",
    f"{ON}RewriteRule ^ - [H=cgi-script]",
    "RewriteRule . - [F]\nRewriteEngine on",
    f"Options None\n{ON}RewriteRule ^nothing - [F]",
    f"Options -FollowSymLinks\n{ON}",
    f"<Files *.txt>\nOptions None\n</Files>\n{ON}",
    "Redirect / https://www.example.org/",
    "Redirect permanent / https://www.example.org/",
    "RedirectPermanent / https://www.example.org/",
    "RedirectTemp / https://www.example.org/",
    "RedirectMatch . https://www.example.org/",
    "RedirectMatch 403 \\.txt$",
    "Redirect gone /\n",
    # Requirements
    *("Require not ip 127.0.0.1", "Require not all denied", "Require ip 10", "Require host example.org"),
    *("Require expr false", "Require env allowed", "Require local\nRequire all denied", "Require nonsense"),
    *("Require", "Require all", "Require all maybe", "Require valid-user", "Require ip", "Require ip nonsense"),
    *("Require all granted\nRequire ip nonsense", "Require all granted\nRequire nonsense", "Require method get"),
    *("Require user alice", "Require group staff", "Require file-owner", "Require all granted extra"),
    "<RequireAll>\nRequire all granted\nRequire not ip 127.0.0.1\n</RequireAll>",
    "<RequireAll>\nRequire all granted\nRequire not local\n</RequireAll>",
    "<RequireAll>\nRequire all granted\nRequire not env x\nRequire env y\n</RequireAll>",
    "<RequireAll>\nRequire all granted\n<RequireNone>\nRequire ip 127\n</RequireNone>\n</RequireAll>",
    "<RequireAny>\nRequire not env x\n</RequireAny>",
    "Order allow,deny\nAllow from all\nDeny from 127.0.0.1",
    "Order deny,allow\nDeny from env=bad\nDeny from 127",
    "SetEnvIf User-Agent stranger bad\nOrder allow,deny\nAllow from all\nDeny from env=bad",
    "SetEnvIf User-Agent stranger bad\n<RequireAll>\nRequire all granted\nRequire not env bad\n</RequireAll>",
    "SetEnvIf X-Token secret good\nRequire env good",
    "Order deny,allow\nDeny from all\nAllow from env=good",
    "Allow from 10.0.0.0/99\nAllow from all",
    "Order nonsense\nAllow from all",
    "AuthMerging Off",
    "AuthType Basic\nAuthName x\nAuthBasicProvider nonsense\nRequire all granted",
    "AuthName two words\nRequire all granted",
    "AuthType Digest\nAuthName x\nRequire valid-user",
    "AuthBasicAuthoritative maybe",
    # Expressions and sections
    "<If \"%{REMOTE_ADDR} == '127.0.0.1'\">\nRequire all denied\n</If>",
    "<If \"%{HTTP_COOKIE} !~ /session/\">\nRedirect / https://login.example/\n</If>",
    "<If \"%{HTTP_COOKIE} =~ /session/\">\nHeader set X y\n</If>\n<Else>\nRequire all denied\n</Else>",
    "<If nonsense(>\nHeader set X y\n</If>",
    "<Limit GET>\nRequire all denied\n</Limit>",
    "<Limit HEAD>\nRequire all denied\n</Limit>",
    "<Limit get>\nRequire all denied\n</Limit>",
    "<LimitExcept get>\nRequire all denied\n</LimitExcept>",
    "<LimitExcept POST>\nRequire all denied\n</LimitExcept>",
    "<LimitExcept POST OPTIONS>\nDeny from all\n</LimitExcept>",
    "<Limit TRACE>\nRequire all denied\n</Limit>",
    "<Limit POST>\nNonsense\n</Limit>",
    "<Files *.txt>\nRequire all denied\n</Files>",
    '<Files "[ab].txt">\nRequire all denied\n</Files>\nRequire all granted',
    '<Files "?????.txt">\nRequire all denied\n</Files>',  # two letters of été are two bytes each
    # Apache takes the argument of <Files> for a path, and makes it canonical.
    *(f'<Files "{path}">\nRequire all denied\n</Files>' for path in ("./a.txt", ".//a.txt", "x/../a.txt", "././*", "x/y/../.././a.txt", "*/../[ab].txt", "x//../a.txt", "b.txt/../a.txt")),
    '<FilesMatch "^[[:alpha:]]\\.txt$">\nRequire all denied\n</FilesMatch>',
    "<FilesMatch .>\nRedirect / https://login.example/\n</FilesMatch>",
    f"<Files *>\n{ON}RewriteRule . - [F]\n</Files>",
    "<Files a.txt>\n<Files b.txt>\nHeader set X y\n</Files>\n</Files>",
    "<IfDefine Nonsense>\nRequire all denied\n</IfDefine>",
    "<IfModule mod_headers.c>\nRequire all denied\n</IfModule>",
    "<IfModule headers_module>\nRedirect / https://login.example/\n</IfModule>",
    "<IfFile /etc/passwd>\nRequire all denied\n</IfFile>",
    "<IfVersion >= 2.4>\nRequire all denied\n</IfVersion>",
    # In a section about other methods, only what is said of access is limited to those.
    "<Limit POST>\nRedirect / https://login.example/\n</Limit>",
    f"<Limit POST>\n{ON}RewriteRule . - [F]\n</Limit>",
    f"<Limit PUT>\nOptions None\n{ON}</Limit>",
    "<LimitExcept GET>\nSetHandler cgi-script\n</LimitExcept>",
    "<Limit POST>\n<IfModule mod_headers.c>\nRedirect / https://login.example/\n</IfModule>\n</Limit>",
    "<Limit POST>\n<Limit GET>\nRequire all denied\n</Limit>\n</Limit>",
    "<Limit GET>\n<Files nothing>\nRequire all denied\n</Files>\n</Limit>",
    *("ForceType application/x-type-map", "AddType application/x-type-map .txt"),
    # What Apache refuses to read
    *("Redirect 404 /nothing https://x.example/", "Redirect 301 /nothing", "RedirectMatch 301 ^/nothing", "Redirect seeother /nothing"),
    *("RedirectMatch 404 ^/nothing https://x.example/", "Redirect gone /nothing /x", "Redirect 200 /nothing /x", "Redirect /nothing nowhere"),
    *("RedirectPermanent /nothing nowhere", 'RedirectMatch ^/nothing ""', "Redirect 199 /nothing /x", "Redirect /nothing ?x"),
    *(f"{ON}RewriteRule ^nothing - {flags}" for flags in ("[]", "[L,,NC]", "[L,]", "[R=399]", "[R=299]", "[R=418]")),
    *(f"{ON}RewriteRule nothing{rest} - [F]" for rest in ("[:alpha:]", "[.a.]", "{65536}", "{1,70000}")),
    *("Require All granted", "REQUIRE ALL GRANTED", "<RequireAll x>\nRequire all granted\n</RequireAll>", "< Files x>\n</Files>"),
    *("Header set X y expr=nonsense(", 'Header set X y "expr=%{HTTPS} =~ /(/"', "Header set X y env=", "Header set X y env=!"),
    *('Header edit X a "%z"', "ErrorDocument 404 a b", 'ErrorDocument 404 "a" b', "ExpiresByType nonsense A1", 'SetEnvIf "" x y'),
    *("IndexOptions NameWidth=2", "IndexOptions NameWidth", "IndexOptions -NameWidth=9", "IndexOptions DescriptionWidth=2"),
    *("IndexOptions FancyIndexing=x", "IndexOptions None FancyIndexing", "IndexOptions Charset", "IndexOptions -IconWidth=3"),
    *("IndexOrderDefault Name Ascending", "IndexOrderDefault Ascending Ascending", "AddIcon (x /a.gif .txt", "AddIcon (x,/a.gif .txt"),
    *("ForceLanguagePriority Prefer None", "Options All All", "Options Indexes -FollowSymLinks", "DefaultType a b"),
    *("Nonsense on", "Requre all granted", "\ufeffRequire all granted", "\ufeff# a comment", "Require\u00a0all granted"),
    *("<Files a.txt>", "</Files>", "<Files a.txt>\n</Limit>", "<Directory />\n</Directory>", "<Location />\n</Location>"),
    *("<VirtualHost *>\n</VirtualHost>", "ServerName x", "DocumentRoot /", "Alias /x /y", "LoadModule x y", "AllowOverride All"),
    *("RewriteMap x txt:/y", "RewriteEngine", "RewriteEngine maybe", "RewriteBase x", "RewriteOptions nonsense"),
    *(f"{ON}RewriteRule .", f"{ON}RewriteRule ( - [F]", f"{ON}RewriteRule ^x - F", f"{ON}RewriteRule ^x - [F, L]"),
    *(f"{ON}RewriteRule ^x - [XYZ]", f"{ON}RewriteRule ^x - [R=abc]", f"{ON}RewriteCond %{{HTTPS}} ( \nRewriteRule ^x -"),
    *("Redirect", "Redirect x", "Redirect nowhere https://x.example", "RedirectMatch (", "RedirectMatch 403 ( x", "Redirect gone x"),
    *("Options Nonsense", "Options +Indexes FollowSymLinks", "ErrorDocument 999 x", "ErrorDocument", "Header nonsense X y"),
    *("Header set X", "Header set X %z", "SetEnvIf x", "SetEnvIf Referer ( x", "ExpiresDefault nonsense", "ExpiresActive maybe"),
    *("AddType text/plain", "ForceType", "DirectoryIndex", "DirectorySlash maybe", "FileETag nonsense", "IndexOptions nonsense"),
    *("LimitRequestBody much", "AcceptPathInfo maybe", "AddDefaultCharset", "ServerSignature maybe", "php_value a b"),
    *("Error oops", "Include x", "Define x y", "UnDefine x", "Use x", "SetHandler", "Satisfy maybe", "IndexIgnoreReset maybe"),
    *("<IfModule>\n</IfModule>", "<IfVersion nonsense>\n</IfVersion>", "<Else>\n</Else>", "<Files>\n</Files>"),
    *("Action text/plain /cgi-bin/x", "SetHandler cgi-script", "SetOutputFilter SUBSTITUTE\nSubstitute s/content/x/", "XBitHack full"),
    # Wrong, if only for a file that there is not: Apache answers 500 for all of them.
    *(f"<Files nothing>\nDeny from {place}\n</Files>" for place in ("/8", "0.0.0.0/0", "::/0", "[::1]", "a:b", "example.org/8", "#")),
    *(f"<Files nothing>\nRequire {what}\n</Files>" for what in ("ip ::/0", "ip fe80::1%eth0", "ip ::ffff:1.2.3.4", "host %{x}")),
    '<Files nothing>\nRequire all "denied"\n</Files>',
    "<Files nothing>\nAllow from .\n</Files>",
    "<Files nothing>\n<IfVersion => 2.4>\nRequire all denied\n</IfVersion>\n</Files>",
    "<Limit POST>\nRequire not ip 10\n</Limit>",
    "<Limit POST>\n<RequireNone>\nRequire all denied\n</RequireNone>\n</Limit>",
    "<IfVersion < 2.4>\nRequire all denied\\\\\n\n</IfVersion>",
    # A section that may hold or not: what it ends, it may not end, and what it refuses, it may refuse.
    f"<IfModule mod_nope.c>\n{ON}RewriteRule . - [L]\n</IfModule>\n{ON}RewriteRule . - [F]",
    f"{ON}<IfModule mod_headers.c>\nRewriteRule . - [F]\n</IfModule>",
    f"<IfModule mod_rewrite.c>\n<IfModule mod_headers.c>\n{ON}RewriteRule . - [F]\n</IfModule>\n</IfModule>",
    f"{ON}<IfModule mod_nope.c>\nRewriteRule ^no - [C]\n</IfModule>\nRewriteRule . - [F]",
    f"{ON}RewriteRule ^no - [C]\n<IfModule mod_headers.c>\nRewriteRule ^no -\n</IfModule>\nRewriteRule . - [F]",
    f"{ON}<IfModule mod_nope.c>\nRewriteCond %{{HTTP_COOKIE}} .\n</IfModule>\nRewriteRule . - [F]",
    f"<IfModule mod_nope.c>\nRewriteEngine Off\n</IfModule>\n{ON}RewriteRule . - [F]",
    f"{ON}RewriteRule . - [F]\n<IfModule mod_nope.c>\nRewriteEngine Off\n</IfModule>",
    f"{ON}RewriteRule . - [F]\n<IfModule mod_rewrite.c>\n<IfModule mod_nope.c>\nRewriteEngine Off\n</IfModule>\n</IfModule>",
    "<IfModule mod_headers.c>\n<IfModule mod_alias.c>\nRedirect gone /\n</IfModule>\n</IfModule>",
    # Apache knows modules by two spellings each; a section for another name is for a module that it has not.
    *(f"<IfModule !{name}>\nRequire all denied\n</IfModule>" for name in ("mime", "mod_mime", "authz_core.c", "MOD_MIME.C")),
    f"<IfModule mod_rewrite>\n{ON}RewriteRule . - [L]\n</IfModule>\n{ON}RewriteRule . - [F]",
    "<FilesMatch ~ c>\nRequire all denied\n</FilesMatch>",
    # Headers that make Apache answer with an error, with a part of the file, or that nothing has changed
    *(f"RequestHeader set {name} x" for name in ("If-Match", "Content-Length", "Transfer-Encoding")),
    *("RequestHeader set Range bytes=0-1", "RequestHeader append If-None-Match *", "Header merge Transfer-Encoding x"),
    *('Header set "" y', 'Header set "X Y" z', "Header set Xé z", 'Header set X "a\\nb"', 'Header set X "a\x01b"', 'Header always add X(y) z'),
    # An empty argument is none, and some of what Apache would send is not allowed in HTTP.
    *(f'{name} ""' for name in ("AddDefaultCharset", "ForceType", "ReadmeName", "FallbackResource", "RemoveType", "AuthName", "IndexIgnore")),
    *('SetEnv "" x', 'ErrorDocument 404 ""', 'AddType "" .txt', 'SetEnvIf X "" y', 'BrowserMatch . ""', 'DefaultLanguage "a\x01b"'),
    # Texts that Apache takes for expressions, and values that it takes for formats
    *("ErrorDocument 404 /x%{X}y", 'ErrorDocument 404 "%{HTTP_HOST"', "AuthName %{X}", 'AuthName "%{nosuch:x}"', "AuthType %{X}"),
    f"{ON}RewriteRule .[[:x:]] - [E=X:y]", "Header edit X ^.[[:x:]]$ y", "RedirectMatch 404 no[[:Alpha:]]",
    # Apache takes what begins with a digit for a status.
    *("RedirectMatch 404a \\.txt$", "RedirectMatch 4 \\.txt$", "RedirectMatch 127.0 /x", "Redirect 410.txt /"),
    # Filters that the server may not have, and a sign that it takes for a comment
    *(f"AddOutputFilterByType {name} text/x" for name in ("BROTLI_COMPRESS", "none", "DEFLATE;NOSUCH")),
    "<Files c>\nAddOutputFilterByType NOSUCH text/x\n</Files>",
    *("Allow from a#l\nAllow from all", "<Files nothing>\nDeny from a#l\n</Files>"),
    *(r"Header set X \%y", r"Header set X a(\%[0-9])", r"RequestHeader set X \%y"),
    *("Require ${nonsense}", "<Proxy *>\n</Proxy>", "Order allow, deny\nAllow from all", "<RequireAll>\nOptions None\n</RequireAll>"),
]  # fmt: skip


def every(*variants: Sequence[str]) -> Iterator[str]:
    for texts in variants:
        yield from texts


def conditional(choice: random.Random) -> Iterator[str]:
    """Give rules behind each kind of condition, with an effect drawn at random."""
    for condition in CONDITIONS:
        yield f"{ON}RewriteCond {condition}\nRewriteRule . {choice.choice(EFFECTS)}"


def mixed(choice: random.Random, number: int) -> Iterator[str]:
    """Give files made of several variants, as they are, in sections, or with other ends of lines."""
    parts = [*HARMLESS, *CLOSING, *conditional(choice)]
    wraps = ["{}", "{}", "<IfModule mod_rewrite.c>\n{}\n</IfModule>", "<FilesMatch a>\n{}\n</FilesMatch>"]
    for _ in range(number):
        drawn = [choice.choice(HARMLESS), choice.choice(parts), choice.choice(HARMLESS)]
        choice.shuffle(drawn)
        text = "\n".join(choice.choice(wraps).replace("{}", part) for part in drawn)
        yield text.replace("\n", choice.choice(["\n", "\n", "\r\n", "\n\n  "]))


def lay_out(root: Path, texts: Sequence[str]) -> None:
    for number, text in enumerate(texts):
        plant(root, *(f"v{number}/{name}" for name in NAMES))
        (root / f"v{number}" / ".htaccess").write_bytes(text.encode())


def served(server: Apache, root: Path) -> set[str]:
    found = (path.relative_to(root).as_posix() for path in root.rglob("*.txt"))
    return {path for path in found if server.get(path, None) == (200, b"content")}


def seen(root: Path, rules: VisibilityRules, troubles: dict[str, Exception]) -> set[str]:
    """Give what a stranger sees in lists and one by one, with every report of what is not understood."""

    def note(path: str, error: Exception) -> None:
        if isinstance(error, NotUnderstood):
            troubles[path] = error

    listed = {file.path for file in walk(root, rules, on_error=note) if not file.guards}
    every_file = [path.relative_to(root).as_posix() for path in root.rglob("*.txt")]
    single = {path for path in every_file if (file := look_up(root, path, rules)) and not file.guards}
    assert listed == single
    return listed


RULES = VisibilityRules(address_scheme="http", address_host="127.0.0.1")


def test_no_htaccess_shows_what_apache_keeps_from_strangers() -> None:
    choice = random.Random(36)
    texts = list(dict.fromkeys(every(HARMLESS, CLOSING, list(conditional(choice)), list(mixed(choice, 150)))))
    with folder_for_all() as place:
        root = place / "www"
        lay_out(root, texts)
        troubles: dict[str, Exception] = {}
        shown = seen(root, RULES, troubles)
        with serve(root, place) as server:
            given = served(server, root)
        wrong = {texts[int(path.split("/")[0][1:])] for path in shown - given}
    assert not wrong, "\n---\n".join(sorted(wrong))
    for number, text in enumerate(texts[: len(HARMLESS)]):
        assert {f"v{number}/{name}" for name in NAMES} <= shown, text


def test_inner_files_never_open_what_apache_keeps_closed() -> None:
    choice = random.Random(37)
    outer = ["", f"{ON}RewriteRule \\.txt$ - [F]", "Nonsense", "Require all denied", f"{ON}RewriteRule ^sub/ /login [R]",
             "Options None", f"RewriteOptions InheritDown\n{ON}RewriteRule b - [F]", "Redirect 404 /",
             f"{ON}RewriteCond %{{HTTP_COOKIE}} !x\nRewriteRule . - [F]"]  # fmt: skip
    inner = ["RewriteEngine Off", "RewriteEngine On", f"{ON}RewriteRule ^a - [L]", "RewriteOptions Inherit",
             f"RewriteOptions InheritBefore\n{ON}RewriteRule . - [L]", "Require all granted", "Nonsense", "RewriteBase /",
             "Options FollowSymLinks", "Satisfy Any", "Allow from all\nSatisfy Any", "AuthMerging And\nRequire all granted",
             "<Files a.txt>\nRequire all granted\n</Files>", "RewriteOptions IgnoreInherit", "Header set X y",
             *(f"<Files {path}>\nRequire all granted\n</Files>" for path in ("a.txt/", "a.txt/.", "/a.txt", "../a.txt", "a.txt/.."))]  # fmt: skip
    pairs = [(above, below) for above in outer for below in choice.sample(inner, k=len(inner))]
    with folder_for_all() as place:
        root = place / "www"
        lay_out(root, [above for above, _ in pairs])
        for number, (_, below) in enumerate(pairs):
            (root / f"v{number}/sub/.htaccess").write_text(below)
        shown = seen(root, RULES, {})
        with serve(root, place) as server:
            given = served(server, root)
        wrong = {(*pairs[int(path.split("/")[0][1:])], path) for path in shown - given}
    assert not wrong
    assert len(shown) > len(pairs)  # or the comparison says little


@pytest.mark.parametrize("text", [*CLOSING, *conditional(random.Random(1))])
def test_what_may_keep_files_back_hides_them_and_reports_name_the_file(tmp_path: Path, text: str) -> None:
    plant(tmp_path, "v/a.txt" if "?" not in text else "v/été.txt")
    (tmp_path / ".htaccess").write_text(text)
    troubles: dict[str, Exception] = {}
    assert not seen(tmp_path, RULES, troubles)
    for error in troubles.values():
        assert str(error).startswith(f"{tmp_path / '.htaccess'}")


def test_the_report_names_the_line_that_a_rule_stands_in(tmp_path: Path) -> None:
    plant(tmp_path, *NAMES)
    rule = "RewriteCond %{REMOTE_ADDR} !^10\\.\n" + "RewriteRule . \\\n /login [R]"
    (tmp_path / ".htaccess").write_text(f"# ours\n{ON}\n{rule}\n")
    troubles: dict[str, Exception] = {}
    assert not seen(tmp_path, RULES, troubles)
    assert str(troubles[""]).startswith(f"{tmp_path}/.htaccess, line 5: RewriteRule")
    assert "%{REMOTE_ADDR}" in str(troubles[""])


@pytest.mark.parametrize(
    "text",
    [
        "Require ip 10.0.0.0/8",
        "Require env allowed",
        "Order allow,deny\nAllow from all\nDeny from 192.0.2.1",
        "<RequireAll>\nRequire all granted\nRequire not host bad.example\n</RequireAll>",
        "<Files a.txt>\nDeny from env=bad\n</Files>",
        "<IfDefine X>\nRequire all denied\n</IfDefine>",
        "<Files a.txt>\nRedirect gone /\n</Files>",
        f"{ON}RewriteRule ^x - [S=1]\nRewriteRule ^ - [F]",
        f"{ON}RewriteCond %{{REQUEST_FILENAME}} a\\.txt$\nRewriteRule . - [F]",
        f"{ON}RewriteCond %{{REQUEST_URI}} -U\nRewriteRule . - [F]",
        f"{ON}RewriteRule (a|b)+\\.txt$ - [F]",
        "RedirectMatch 403 (a|b)+\\.txt$",
        "RewriteRule . - [F]",
    ],
)
def test_every_rule_that_depends_on_the_unknown_is_reported(tmp_path: Path, text: str) -> None:
    plant(tmp_path, *NAMES)
    (tmp_path / ".htaccess").write_text(f"# ours\n\n{text}\n")
    troubles: dict[str, Exception] = {}
    assert "a.txt" not in seen(tmp_path, RULES, troubles)
    assert f"{tmp_path}/.htaccess, line " in str(troubles[""])


def test_reports_are_few_and_short_however_long_the_file_is(tmp_path: Path) -> None:
    plant(tmp_path, *NAMES)
    for text in (
        f"Deny from {'1.2.3.4 ' * 20_000}",
        "Deny from 1.2.3.4\n" * 10_000,
        "Nonsense " + "x" * 200_000,
    ):
        (tmp_path / ".htaccess").write_text(text)
        reports: list[str] = []
        assert not list(walk(tmp_path, RULES, on_error=lambda _, error: reports.append(str(error))))  # noqa: B023
        assert len(reports) <= 21
        assert max(map(len, reports)) < 500


def odd_files(root: Path) -> None:
    """Make folders whose .htaccess is no ordinary file that everybody may read."""
    plant(
        root,
        *(
            f"{name}/a.txt"
            for name in ("folder", "private", "dangling", "looping", "linked", "large", "binary")
        ),
    )
    (root / "folder/.htaccess").mkdir()
    (root / "private/.htaccess").write_text("Require all granted")
    (root / "private/.htaccess").chmod(0o600)
    (root / "dangling/.htaccess").symlink_to("nothing")
    (root / "looping/.htaccess").symlink_to(".htaccess")
    (root / ".htelsewhere").write_text("Require all denied")
    (root / "linked/.htaccess").symlink_to("../.htelsewhere")
    (root / "large/.htaccess").write_text("# filler\n" * 40_000 + "Require all denied\n")
    (root / "binary/.htaccess").write_bytes(b"\x7fELF\x00\x01" * 100)


def test_an_htaccess_that_is_no_ordinary_file_closes_its_folder() -> None:
    with folder_for_all() as place:
        root = place / "www"
        root.mkdir()
        odd_files(root)
        troubles: dict[str, Exception] = {}
        shown = seen(root, RULES, troubles)
        with serve(root, place) as server:
            given = served(server, root)
    assert shown <= given
    assert shown == {"dangling/a.txt"}
    assert set(troubles) == {"folder", "private", "looping", "large", "binary"}


def test_links_are_not_followed_where_the_options_forbid_it() -> None:
    with folder_for_all() as place:
        root = place / "www"
        plant(root, "real/a.txt", "open/", "closed/", "owner/", "inner/sub/")
        for folder in ("open", "closed", "owner", "inner/sub"):
            (root / folder / "link.txt").symlink_to(root / "real/a.txt")
            (root / folder / "folder").symlink_to(root / "real")
        (root / "closed/.htaccess").write_text("Options -FollowSymLinks")
        (root / "owner/.htaccess").write_text("Options SymLinksIfOwnerMatch")
        (root / "inner/.htaccess").write_text("Options None")
        shown = {file.path for file in walk(root, RULES)}
        with serve(root, place) as server:
            given = {path for path in shown if server.get(path, None) == (200, b"content")}
            assert server.get("closed/link.txt", None)[0] == 403
    assert shown == given
    assert shown == {"real/a.txt", "open/link.txt", "open/folder/a.txt"}


def test_the_address_decides_about_rules_for_hosts_and_https(tmp_path: Path) -> None:
    plant(tmp_path, *NAMES)
    to_https = "RewriteCond %{HTTPS} off\nRewriteRule ^(.*)$ https://%{HTTP_HOST}%{REQUEST_URI} [L,R=301]\n"
    to_host = (
        "RewriteCond %{HTTP_HOST} !^www\\.our\\.example$ [NC]\nRewriteRule . https://www.our.example/ [R]\n"
    )
    (tmp_path / ".htaccess").write_text(ON + to_https + to_host)
    ours = VisibilityRules(address_scheme="https", address_host="www.our.example")
    assert seen(tmp_path, ours, {}) == set(NAMES)
    assert not seen(tmp_path, VisibilityRules(address_scheme="http", address_host="www.our.example"), {})
    assert not seen(tmp_path, VisibilityRules(address_scheme="https", address_host="our.example"), {})
    assert not seen(tmp_path, VisibilityRules(), {})


def test_the_host_of_an_address_is_compared_as_browsers_send_it(tmp_path: Path) -> None:
    plant(tmp_path / "www", *NAMES)
    rule = "RewriteCond %{HTTP_HOST} !^www\\.our\\.example$\nRewriteRule . https://www.our.example/ [R]\n"
    (tmp_path / "www/.htaccess").write_text(ON + rule)

    def shown(address: str) -> set[str]:
        settings = FolderSettings(name="files", url=address, folder=str(tmp_path / "www"))
        return seen(tmp_path / "www", published_folder(settings, library=tmp_path).rules, {})

    assert shown("https://WWW.our.example:443/") == set(NAMES)
    assert not shown("https://www.our.example:8443/")
