"""A library full of records that mean harm: markup, addresses that run, letters that turn or pile up.

Everything that a stranger can fill in is filled in: fields, languages, identifiers, sets, the name of the
repository, what went wrong with it. What runs says so: it sets `window.harmed`, or asks another host.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from tests.contracts.store.shelf import NOW, Shelf, gone, live
from tests.flows.harvesting import Shelf as Library
from windrow.model.record import Record
from windrow.model.run import Outcome, Problem
from windrow.store import runs, sources
from windrow.store.published import list_pages
from windrow.store.records.set_hierarchy import name_sets
from windrow.store.store import open_store
from windrow.wiring import create_library, open_library
from windrow.wiring.indexing import follow_index

SOURCE, LISTED = "hay", "straw"  # records that are looked at one by one; titles that are looked at in lists
DC = "http://purl.org/dc/elements/1.1/"
DECLARATIONS = (
    f' xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="{DC}"'
    ' xmlns:kk="http://kk/1.0" xmlns:h="http://www.w3.org/1999/xhtml"'
).encode()
ELSEWHERE = "//evil.example/x"
MARKUP = (
    f'"\'><script>harmed=1</script><img src="{ELSEWHERE}" onerror="harmed=1"><svg/onload=harmed=1>'
    f'<iframe srcdoc="<script>top.harmed=1</script>"></iframe><style>@import "{ELSEWHERE}"</style>'
    f"<link rel=stylesheet href={ELSEWHERE}><base href={ELSEWHERE}>"
    f'<meta http-equiv=refresh content="0;{ELSEWHERE}">'
)
DATA_BLOCK = '</script><script>harmed=1</script><!--<script>"}]}; harmed=1; \\u003c/script\\u003e'
TEMPLATE = "{{ 7*7 }}{% raw %}${harmed=1}#{7*7}<%= 7*7 %>[[harmed]]{{constructor.constructor('harmed=1')()}}"
LANGUAGE = 'en"><script>harmed=1</script>" style="background:url(//evil.example/x)'
STYLE = "} * { display: none } h1::before { content: url(//evil.example/x) } <style>*{display:none}</style>"
RUNNING = (
    *("javascript:harmed=1", "JaVaScRiPt:harmed=1", " javascript:harmed=1", "java\tscript:harmed=1"),
    *("data:text/html,<script>harmed=1</script>", "vbscript:harmed=1", "//evil.example/x", "blob:null/1"),
    *('https://ok.example/" onmouseover="harmed=1', "https://ok.example/'><script>harmed=1</script>"),
    *("https://user:word@ok.example/", "http://[::1", "https://ok.example/" + "x" * 5_000),
)
TURNED = "\u202eright to left\u2066\u2067\u202d and never ended \u200f\u061c"
ARABIC = "\u0627\u0644\u062d\u0635\u0627\u062f \u0641\u064a \u0627\u0644\u062d\u0642\u0644 " * 8
PILED = "".join(letter + "\u0300\u0316\u0489\u20dd\u036f" * 40 for letter in "piled up")
ENDLESS = "endless" * 15_000  # 105,000 letters without a place to break
WIDE = "\ufdfd\U0001242b" * 400
UNSEEN = "\u200b\u2060\ufeff\u00ad\u180e"
ODD_ENDINGS = ("a/../b", "a//b", "a%2Fb", "a?b#c", '"><script>harmed=1</script>', "\u202eturned", "x" * 2_000)
FORMATS: Mapping[str, str] = {
    "oai_dc": "<oai_dc:dc><dc:title xml:lang={q}>{s}</dc:title><dc:creator>{s}</dc:creator>"
    "<dc:identifier>{u}</dc:identifier></oai_dc:dc>",
    "kk": '<kk:metadata><kk:link href={l}/><kk:field schema="dc" element="title" qualifier="" language={q} '
    'value={q}/><kk:file bundle="ORIGINAL" href={l} type={q}/></kk:metadata>',
    "marcxml": '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>{s}</leader>'
    '<datafield tag="245" ind1={q} ind2=" "><subfield code="a">{s}</subfield></datafield>'
    '<datafield tag="856" ind1="4" ind2=" ">'
    '<subfield code="u">{u}</subfield></datafield></record>',
    "mods": '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo lang={q}><title>{s}</title></titleInfo>'
    "<name type={q}><namePart>{s}</namePart></name><location><url>{u}</url></location></mods>",
    "etdms": '<thesis xmlns="http://www.ndltd.org/standards/metadata/etdms/1.0/"><title lang={q}>{s}</title>'
    "<creator>{s}</creator><identifier>{u}</identifier><degree><name>{s}</name></degree></thesis>",
    "mets": '<mets xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink" LABEL={q}>'
    '<dmdSec ID="d"><mdWrap MDTYPE="DC"><xmlData><dc:title>{s}</dc:title></xmlData></mdWrap></dmdSec>'
    '<fileSec><fileGrp USE={q}><file ID="f" MIMETYPE={q}><FLocat LOCTYPE="URL" xlink:href={l}/></file>'
    "</fileGrp></fileSec></mets>",
    "didl": '<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS"><Item><Descriptor><Statement mimeType={q}>'
    "<dc:title>{s}</dc:title></Statement></Descriptor><Component><Resource mimeType={q} ref={l}/>"
    "</Component></Item></DIDL>",
    "other": "<thing><h:script>harmed=1</h:script><h:img src={l} onerror='harmed=1'/><h:a href={l}>{s}</h:a>"
    "<h:style>{s}</h:style><field name={q}>{s}</field></thing>",
}


def metadata(*, written_in: str = "", **values: str | tuple[str, ...]) -> bytes:
    """Give oai_dc with these elements, each with a language where one is given."""
    attribute = f" xml:lang={quoteattr(written_in)}" if written_in else ""
    elements = "".join(
        f"<dc:{name}{attribute}>{escape(text)}</dc:{name}>"
        for name, texts in values.items()
        for text in ((texts,) if isinstance(texts, str) else texts)
    )
    return f"<oai_dc:dc>{elements}</oai_dc:dc>".encode()


def hostile_lines(path: Path) -> list[str]:
    """Give the lines of a list of attacks, without what no XML may hold."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    allowed = (re.sub("[^\t\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", line) for line in lines)
    return [line for line in allowed if line.strip()]


ALONE: Mapping[str, bytes] = {
    "markup": metadata(
        written_in=LANGUAGE,
        **dict.fromkeys(("title", "creator", "contributor", "subject", "description", "publisher"), MARKUP),
        **dict.fromkeys(("type", "date", "language", "rights", "relation", "coverage", "source"), MARKUP),
        identifier=(MARKUP, "https://ok.example/1"),
    ),
    "links": metadata(title="Links", identifier=RUNNING, rights=RUNNING, relation=RUNNING, source=RUNNING),
    "data block": metadata(title=DATA_BLOCK, creator=DATA_BLOCK, description=DATA_BLOCK, date="2001"),
    "template": metadata(title=TEMPLATE, creator=TEMPLATE, description=TEMPLATE, subject=TEMPLATE),
    "style": metadata(written_in=LANGUAGE, title=STYLE, creator=STYLE, description=STYLE, subject=STYLE),
    "turned": metadata(
        title=TURNED, creator=(TURNED, "Mower, Ann"), subject=(TURNED, "hay"), description=TURNED
    ),
    "arabic": metadata(written_in="ar", title=ARABIC, creator=ARABIC, description=ARABIC * 5, subject=ARABIC),
    "piled": metadata(title=PILED, creator=(PILED, "Mower, Ann"), subject=PILED, description=PILED * 3),
    "endless": metadata(
        **dict.fromkeys(("title", "creator", "subject", "description", "publisher", "type"), ENDLESS),
        **dict.fromkeys(("identifier", "rights", "language", "date", "relation"), ENDLESS),
    ),
    "wide": metadata(title=WIDE, creator=WIDE, subject=WIDE, description=WIDE, publisher=WIDE, type=WIDE),
    "unseen": metadata(title=UNSEEN, creator=UNSEEN, subject=UNSEEN, description=UNSEEN, publisher=UNSEEN),
    "crowd": metadata(title="Crowd", creator=tuple(f"Mower, A{number}" for number in range(10_000))),
    "many titles": metadata(title=(MARKUP, *(f"{place} {ENDLESS[:300]}" for place in range(200)))),
    "nul": b"<oai_dc:dc><dc:title>nul \x00 <b>bold</b></dc:title></oai_dc:dc>",
    "controls": metadata(title="bell \x85\ufdd0", description="\x9f\x85" * 100),
    "nothing": b"<oai_dc:dc/>",
}


IDENTIFIERS: Mapping[str, str] = {
    **{name: f"oai:alone:{name}" for name in ALONE},
    **{f"identifier {place}": f"oai:{ending}" for place, ending in enumerate(ODD_ENDINGS)},
}
EVERY_FORMAT = "oai:every-format"
WITHDRAWN = (f"oai:{ODD_ENDINGS[4]}:withdrawn", f"oai:{ENDLESS[:1000]}")


def make(folder: Path, titles: Sequence[str]) -> Path:
    """Make the library, with its index and its lists; `titles` are of the records that are only listed."""
    library = Library(create_library(folder))
    for name in (SOURCE, LISTED):
        library.add(f"https://{name}.example/oai", name=name)
    store = open_store(folder)
    shelf = Shelf(store, SOURCE)
    bad_sets = (MARKUP[:60], TURNED)
    alone = [(IDENTIFIERS[name], ALONE.get(name, metadata(title=f"Hay {name}"))) for name in IDENTIFIERS]
    shelf.write(*(_record(each, payload, sets=bad_sets) for each, payload in alone))
    for prefix, payload in in_every_format().items():
        shelf.write(_record(EVERY_FORMAT, payload), prefix=prefix)
    shelf.write(*(_record(each, metadata(title=MARKUP)) for each in WITHDRAWN))
    shelf.write(*(gone(each) for each in WITHDRAWN))
    _boast(shelf, bad_sets)
    listed = (_record(f"oai:listed:{place}", metadata(title=each)) for place, each in enumerate(titles))
    Shelf(store, LISTED).write(*listed)
    store.close()
    _follow(folder)
    return folder


def in_every_format() -> dict[str, bytes]:
    """Give metadata of the same harm in each format."""
    words = {"s": escape(MARKUP), "q": quoteattr(MARKUP), "u": RUNNING[0], "l": quoteattr(RUNNING[0])}
    return {prefix: text.format(**words).encode() for prefix, text in FORMATS.items()}


def _record(identifier: str, payload: bytes, *, sets: tuple[str, ...] = ()) -> Record:
    return live(identifier, payload, sets=sets, declarations=DECLARATIONS)


def _boast(shelf: Shelf, specs: Sequence[str]) -> None:
    """Let the repository have a name, sets and a failure that mean harm as well."""
    with shelf.store.writing() as connection:
        sources.note(connection, shelf.source_id, identity={"name": MARKUP, "adminEmail": [MARKUP]})
        name_sets(connection, shelf.source_id, [(spec, MARKUP + ENDLESS[:2_000]) for spec in specs])
        run = shelf.start_run_in(connection)
        runs.add_problems(connection, run, [Problem("markup", MARKUP + ENDLESS[:2_000], url=RUNNING[0])])
        runs.end(connection, run, outcome=Outcome.FAILED, now=NOW)


def _follow(folder: Path) -> None:
    opened = open_library(str(folder))
    follow_index(opened)
    list_pages.update_list_pages(opened.store)
    opened.close()
