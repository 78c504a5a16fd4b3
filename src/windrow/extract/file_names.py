"""What a file's name says about its kind: a hint for `sniffing`, taken where the content says nothing."""

from __future__ import annotations

UNKNOWN = "application/octet-stream"

# Only kinds that their content does not show: everything else is known without a name.
_ENDINGS = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "mdown": "text/markdown",
    "mkd": "text/markdown",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "tab": "text/tab-separated-values",
    "json": "application/json",
    "geojson": "application/json",
    "jsonld": "application/json",
    "tex": "text/x-tex",
    "ltx": "text/x-tex",
    "htm": "text/html",
    "html": "text/html",
    "shtml": "text/html",
    "xhtml": "application/xhtml+xml",
    "xht": "application/xhtml+xml",
    "xml": "application/xml",
    "xmp": "application/xml",
    "rdf": "application/xml",
    "svg": "image/svg+xml",
    "eml": "message/rfc822",
    "mbox": "application/mbox",
    "ps": "application/postscript",
    "eps": "application/postscript",
    "mp3": "audio/mpeg",
    "mp2": "audio/mpeg",
    "mpga": "audio/mpeg",
    "aac": "audio/aac",
    "wpd": "application/vnd.wordperfect",
    "djvu": "image/vnd.djvu",
    "tga": "image/x-tga",
    "iso": "application/x-iso9660-image",
}
# Source code, configuration and logs: text that is read as it stands, whatever markup it begins with.
_PLAIN_ENDINGS_LIST = (
    "py pyi pyx rb sh bash zsh ksh fish csh pl pm t lua tcl awk sed php phtml php3 php4 php5 phps inc "
    "c h cc cpp cxx hpp hh hxx ino m mm cs java kt kts scala groovy gradle clj cljs ex exs erl hrl hs lhs "
    "ml mli fs fsx fsi vb bas vbs ps1 psm1 bat cmd go rs swift dart zig nim v vhd vhdl sv d pas pp ada adb "
    "ads f f77 f90 f95 for cob cbl lisp lsp el scm rkt r rmd jl js mjs cjs ts mts cts tsx jsx vue svelte "
    "coffee sql ddl asp aspx ascx ashx jsp jspx jspf cfm cfc erb ejs hbs mustache twig j2 jinja "
    "css scss sass less proto graphql thrift cmake mk make mak ninja bzl nix dockerfile tf hcl "
    "asm s ini cfg conf cnf properties env toml yaml yml desktop service reg inf log diff patch po pot "
    "bib cgi fcgi sas do ado sps mpl gp plt dot gv sty cls rst adoc org textile pod"
)
_PLAIN_ENDINGS = frozenset(_PLAIN_ENDINGS_LIST.split())
_PLAIN_NAMES_LIST = (
    "makefile gnumakefile dockerfile containerfile vagrantfile rakefile gemfile procfile jenkinsfile "
    "cmakelists.txt sconstruct"
)
_PLAIN_NAMES = frozenset(_PLAIN_NAMES_LIST.split())


def is_source_code(name: str) -> bool:
    """Return whether a name is that of source code, configuration or a log, which is read as it stands."""
    own = name.rpartition("/")[2].lower()
    return own in _PLAIN_NAMES or (ending_of(own) in _PLAIN_ENDINGS and type_by_name(own) == "")


def ending_of(name: str) -> str:
    """The letters behind the last dot of a name, small; empty where there is none."""
    stem, dot, ending = name.rpartition("/")[2].rpartition(".")
    return ending.lower() if dot and stem else ""


def type_by_name(name: str) -> str:
    """The media type that a name promises; empty where it promises none."""
    return _ENDINGS.get(ending_of(name), "")
