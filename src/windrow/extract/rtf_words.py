"""What the control words of RTF mean for its text, and which encodings its fonts and languages name."""

from __future__ import annotations

# Groups whose text is none of the document's.
_SKIPPED_LIST = (
    "fonttbl colortbl stylesheet listtable listoverridetable revtbl rsidtbl generator filetbl pict "
    "objdata themedata colorschememapping datastore latentstyles xmlnstbl fldinst bkmkstart bkmkend "
    "nonshppict sp mmathPr template passwordhash userprops xe tc atnid atnauthor falt panose fname "
    "objclass objname datafield pntxta pntxtb blipuid shprslt listtext pntext"
)
SKIPPED = frozenset(_SKIPPED_LIST.split())
# Groups that begin with \* and have text all the same; a program that does not know them passes them over.
KEPT = frozenset(("shpinst", "shptxt", "footnote", "annotation"))
SIGNS = {
    "par": "\n",
    "line": "\n",
    "sect": "\n\n",
    "page": "\n\n",
    "row": "\n",
    "nestrow": "\n",
    "tab": "\t",
    "cell": "\t",
    "nestcell": "\t",
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
}
SYMBOLS = {"~": "\xa0", "_": "‑", "\n": "\n", "\r": "\n", "\\": "\\", "{": "{", "}": "}"}
# The numbers of \fcharset, as Windows has them.
CHARSETS = {
    0: "cp1252",
    77: "mac-roman",
    78: "cp932",
    80: "gb18030",
    81: "big5hkscs",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "big5hkscs",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp437",
}
FACTS = {
    "title": "title",
    "author": "creator",
    "subject": "description",
    "doccomm": "description",
    "keywords": "subject",
    "company": "publisher",
    "creatim": "date",
    "revtim": "modified",
    "generator": "software",
}
