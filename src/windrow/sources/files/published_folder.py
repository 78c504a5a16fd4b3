"""What is never shown, by its name alone. Built from a source's settings, asked by `tree`.

The measure is a careful web server: what it would not list, would not serve or would execute is not
shown. The settings add to that; they take nothing away but the dot of hidden files.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from windrow.sources.files.apache.serving import extensions
from windrow.sources.files.name_patterns import match_any
from windrow.sources.files.skipping import is_skipped

# Copies that editors, version control and downloads leave behind.
BACKUPS = (
    *("*~", "*.bak", "*.backup", "*.swp", "*.swo", "*.orig", "*.rej", "*.old", "*.save", "*.tmp", "*.temp"),
    *("#*#", ".#*", "*,v", "*,t", "*.part", "*.crdownload", "._*", "Thumbs.db", "desktop.ini"),
    *("RCS", "CVS", "SCCS"),
)
# A memory dump is a file; folders of this name are ordinary.
DUMPS = ("core", "core.[0-9]*", "*.core")
# Configuration and secrets; these stay hidden even where hidden files are shown.
SECRETS = (
    *(
        ".ht*",
        ".git*",
        ".svn",
        ".hg",
        ".bzr",
        ".ssh",
        ".aws",
        ".env*",
        "*.env",
        ".netrc",
        ".npmrc",
        ".pgpass",
    ),
    *("web.config", "wp-config*", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.htpasswd"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx"),
)
# What some handler would run. PHP has too many endings to list: whatever begins so is one.
SCRIPTS = frozenset(("pl", "py", "rb", "lua", "sh"))  # run by CGI, and ordinary source code elsewhere
SERVER_PAGES = frozenset(
    (
        *("phtml", "pht", "phar", "cgi", "fcgi", "fpl", "rhtml", "var"),
        *("jsp", "jspx", "jspf", "jsf", "jws", "do", "action", "cfm", "cfml", "cfc", "shtml", "shtm", "stm"),
        *("asp", "aspx", "asa", "asax", "ascx", "ashx", "asmx", "axd"),
    )
)
EXECUTED = SCRIPTS | SERVER_PAGES
EXECUTED_PREFIX = "php"
EXECUTED_FOLDERS = ("cgi-bin", "fcgi-bin", "cgi-sys", "htbin")

# Why a file or folder is left out, for the people who own it.
BY_DOT = "the name begins with a dot (show_hidden = true takes such names in)"
BY_SKIP = "the source's skip patterns leave it out"
AS_COPY = "the name is that of a backup, a temporary copy or a memory dump"
AS_SECRET = "the name is that of configuration, a key or a password"  # noqa: S105 - a reason
AS_PROGRAM = "a web server would run it instead of sending it"


class Running(Enum):
    """Which files a web server would run instead of sending them."""

    BY_NAME = "by name"  # every script and every server page
    DOCUMENTS = "documents"  # server pages, and scripts that are executable: others are read as text
    NOTHING = "nothing"  # no web server publishes the folder


@dataclass(frozen=True, slots=True)
class Rules:
    """What a source's settings say about what is shown.

    `needs_public_read`: whether files (and the folders they lie in) must be readable by every user of
    the machine. The web server usually is another user than the one who harvests, so a file that only
    its owner may read is one that the web server would refuse. Set it to false where the web server
    reads by its group. The folder that was named in the settings itself is always entered.
    """

    skip: tuple[str, ...] = ()  # "*.log" and "private/" anywhere, "drafts/**" from the top
    show_hidden: bool = False  # names that begin with a dot
    needs_public_read: bool = True
    # Of the folder's address: rules of an .htaccess go by them. "": unknown.
    address_path: str = "/"
    address_scheme: str = ""
    address_host: str = ""
    running: Running = Running.BY_NAME

    def why_file_hidden(self, path: str, name: str, *, is_executable: bool) -> str:
        """Return why a file of this name, at this relative path, is never shown; empty where it may be."""
        if name.startswith(".") and not self.show_hidden:
            return BY_DOT
        if self._is_run(name, is_executable=is_executable):
            return AS_PROGRAM
        if match_any(SECRETS)(name):
            return AS_SECRET
        if match_any(BACKUPS + DUMPS)(name):
            return AS_COPY
        return BY_SKIP if is_skipped(path, self.skip, is_folder=False) else ""

    def why_folder_hidden(self, path: str, name: str) -> str:
        """Return why nothing below a folder of this name is ever shown; empty where it may be."""
        if name.startswith(".") and not self.show_hidden:
            return BY_DOT
        if self.running is not Running.NOTHING and match_any(EXECUTED_FOLDERS)(name):
            return AS_PROGRAM
        if match_any(SECRETS)(name):
            return AS_SECRET
        if match_any(BACKUPS)(name):
            return AS_COPY
        return BY_SKIP if is_skipped(path, self.skip, is_folder=True) else ""

    def _is_run(self, name: str, *, is_executable: bool) -> bool:
        if self.running is Running.NOTHING or not is_executed(name):
            return False
        return self.running is Running.BY_NAME or is_executable or is_server_page(name)


def is_executed(name: str) -> bool:
    """Say whether some handler would run a file of this name, whichever of its extensions it goes by."""
    return is_server_page(name) or not SCRIPTS.isdisjoint(extensions(name))


def is_server_page(name: str) -> bool:
    """Say whether a file of this name is a page that a web server makes by running it."""
    return any(one in SERVER_PAGES or one.startswith(EXECUTED_PREFIX) for one in extensions(name))
