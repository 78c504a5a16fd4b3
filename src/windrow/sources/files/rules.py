"""What is never shown, by its name alone. Built from a source's settings, asked by `tree`.

The measure is a careful web server: what it would not list, would not serve or would execute is not
shown. The settings add to that; they take nothing away but the dot of hidden files.
"""

from __future__ import annotations

from dataclasses import dataclass

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
EXECUTED = frozenset(
    (
        *("phtml", "pht", "phar", "cgi", "fcgi", "fpl", "pl", "py", "rb", "rhtml", "lua", "sh", "var"),
        *("jsp", "jspx", "jspf", "jsf", "jws", "do", "action", "cfm", "cfml", "cfc", "shtml", "shtm", "stm"),
        *("asp", "aspx", "asa", "asax", "ascx", "ashx", "asmx", "axd"),
    )
)
EXECUTED_PREFIX = "php"
EXECUTED_FOLDERS = ("cgi-bin", "fcgi-bin", "cgi-sys", "htbin")

_HIDDEN_FILES = BACKUPS + DUMPS + SECRETS
_HIDDEN_FOLDERS = BACKUPS + SECRETS + EXECUTED_FOLDERS


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
    address_path: str = "/"  # of the folder's address: Redirect in an .htaccess goes by it

    def hides_file(self, path: str, name: str) -> bool:
        """Say whether a file of this name, at this relative path, is never shown."""
        return (
            (name.startswith(".") and not self.show_hidden)
            or is_executed(name)
            or match_any(_HIDDEN_FILES)(name)
            or is_skipped(path, self.skip, is_folder=False)
        )

    def hides_folder(self, path: str, name: str) -> bool:
        """Say whether nothing below a folder of this name, at this relative path, is ever shown."""
        return (
            (name.startswith(".") and not self.show_hidden)
            or match_any(_HIDDEN_FOLDERS)(name)
            or is_skipped(path, self.skip, is_folder=True)
        )


def is_executed(name: str) -> bool:
    """Say whether some handler would run a file of this name, whichever of its extensions it goes by."""
    return any(one in EXECUTED or one.startswith(EXECUTED_PREFIX) for one in extensions(name))
