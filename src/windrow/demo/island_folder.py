"""The island's other writings: a diary in plain text, rules in Markdown, a web page, minutes for Word."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # what a zip archive can say; the same each time
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PROPERTIES = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
_OPENXML = "application/vnd.openxmlformats"

DIARY = """Diary of the rain tin, July

1  dry. The swifts are high.
2  dry. Cut the south field before noon.
3  four millimetres in the night, none after breakfast. Nobody touched the rows.
4  dry, wind from the west. Turned the hay twice.
5  dry. Brought in eleven loads; the barn smells of sweet vernal grass.
6  a thunderstorm at sea, nothing here.
7  dry. The ferry brought a film crew who wanted it to rain.
"""

RULES = """---
title: House rules of the drying barn
author: Barn Society of the island (demo)
date: 2024-05-01
keywords: [barn, rules]
---

# House rules of the drying barn

## The doors

The lower door is closed at night and the upper door never. Cats may use either.

## Fire

No lamp, no pipe, no exceptions. The bucket by the ladder is *full* and stays full.

## The key

There is no key. There never was a key; please stop looking for the **palimpsest** on the beam, it
is a shopping list.
"""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>The summer fair on the island</title>
<meta name="description" content="What happens at the fair, and when the last ferry leaves.">
<meta name="author" content="Barn Society of the island (demo)">
<meta name="keywords" content="fair, ferry">
<meta name="DC.date" content="2025-07-26">
</head>
<body>
<main>
<h1>The summer fair</h1>
<p>It begins when the church clock strikes ten, which is at about a quarter past. There is a race of
wheelbarrows, a raffle of cheeses, and a talk on lichens that is over before anybody notices.</p>
<p>The last ferry leaves at eleven. Those who miss it sleep in the hay.</p>
</main>
</body>
</html>
"""

_MINUTES = (
    "Minutes of the yearly meeting",
    "Present were nine members, two dogs and a visitor from the mainland who had taken the wrong ferry.",
    "It was agreed to mend the roof before the autumn, with sheet metal where the shingles are gone.",
    "The proposal to paint the barn blue was put off, as in every year since there is a barn.",
    "A treasurer was not found. The cash box stays with whoever has the stronger shelf.",
)


def write_minutes(creator: str) -> bytes:
    """Give the minutes as a docx file."""
    return _packed(
        {
            "[Content_Types].xml": _content_types(),
            "_rels/.rels": _relations(),
            "docProps/core.xml": _core(_MINUTES[0], creator, "2025-02-14T19:00:00Z"),
            "word/document.xml": _document(_MINUTES),
        }
    )


def _packed(parts: dict[str, str]) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            entry = ZipInfo(name, _EARLIEST)
            entry.compress_type = ZIP_DEFLATED
            archive.writestr(entry, f'<?xml version="1.0" encoding="UTF-8"?>\n{content}')
    return file.getvalue()


def _content_types() -> str:
    main, core = (
        f"{_OPENXML}-officedocument.wordprocessingml.document.main",
        f"{_OPENXML}-package.core-properties",
    )
    return (
        f'<Types xmlns="{_TYPES}">'
        f'<Default Extension="rels" ContentType="{_OPENXML}-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main}+xml"/>'
        f'<Override PartName="/docProps/core.xml" ContentType="{core}+xml"/></Types>'
    )


def _relations() -> str:
    core = _PROPERTIES.replace("metadata/", "relationships/metadata/")
    return (
        f'<Relationships xmlns="{_RELATIONS}">'
        f'<Relationship Id="a" Type="{_KINDS}/officeDocument" Target="word/document.xml"/>'
        f'<Relationship Id="b" Type="{core}" Target="docProps/core.xml"/></Relationships>'
    )


def _core(title: str, creator: str, created: str) -> str:
    return (
        f'<c:coreProperties xmlns:c="{_PROPERTIES}" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:t="http://purl.org/dc/terms/" xmlns:x="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{title}</dc:title><dc:creator>{creator}</dc:creator><dc:language>en</dc:language>"
        f'<t:created x:type="t:W3CDTF">{created}</t:created></c:coreProperties>'
    )


def _document(paragraphs: Sequence[str]) -> str:
    shown = "".join(f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>" for words in paragraphs)
    return f'<w:document xmlns:w="{_WORD}"><w:body>{shown}</w:body></w:document>'
