"""The island's leaflets in three languages, and a minimal PDF writer for them.

The writer supports what the leaflets need of ISO 32000-1: one font, lines of text, document information and
an outline. The standard fonts need not be embedded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

WIDTH, HEIGHT = 420, 595  # A5 in points
_MARGIN = 46
_LETTERS = 58  # per line
_SIZE, _LEADING, _HEADING_SIZE = 11, 15, 17
_ESCAPED = str.maketrans({"\\": "\\\\", "(": "\\(", ")": "\\)"})


@dataclass(frozen=True, slots=True)
class Page:
    """One page; its heading is also in the outline."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Leaflet:
    """A few pages and their metadata. `colour` is red, green and blue, 0 to 1."""

    name: str  # of the file
    title: str
    creator: str
    subject: str
    created: str  # YYYYMMDD
    language: str
    colour: tuple[float, float, float]
    pages: Sequence[Page]


def write_pdf(leaflet: Leaflet) -> bytes:
    count = len(leaflet.pages)
    # Objects by number: catalog, pages, two fonts, information, outline, then three for each page.
    first = 7
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /Lang {_text(leaflet.language)} >>",
        f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{first + 3 * n} 0 R' for n in range(count))}] >>",
        _font("Helvetica"),
        _font("Helvetica-Bold"),
        _information(leaflet),
        f"<< /Type /Outlines /First {first + 2} 0 R /Last {first + 3 * count - 1} 0 R /Count {count} >>",
    ]
    for number, page in enumerate(leaflet.pages):
        at = first + 3 * number
        content = _content(leaflet, page, number + 1)
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {at + 1} 0 R"
            " /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            _entry(page.heading, at, is_first=number == 0, is_last=number == count - 1),
        ]
    return _file(objects)


def _file(objects: Sequence[str]) -> bytes:
    """Return the objects with their cross-reference table."""
    written = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    start = len(written)
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}".encode()
    written += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 5 0 R >>\n".encode()
    return bytes(written + f"startxref\n{start}\n%%EOF\n".encode())


def _font(name: str) -> str:
    return f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"


def _information(leaflet: Leaflet) -> str:
    return (
        f"<< /Title {_text(leaflet.title)} /Author {_text(leaflet.creator)}"
        f" /Keywords {_text(leaflet.subject)} /Creator {_text('Windrow demo')}"
        f" /CreationDate (D:{leaflet.created}120000Z) >>"
    )


def _entry(heading: str, page: int, *, is_first: bool, is_last: bool) -> str:
    before = "" if is_first else f" /Prev {page - 1} 0 R"
    after = "" if is_last else f" /Next {page + 5} 0 R"
    return f"<< /Title {_text(heading)} /Parent 6 0 R /Dest [{page} 0 R /Fit]{before}{after} >>"


def _text(words: str) -> str:
    """Return a text string: in UTF-16 unless it is plain ASCII."""
    if words.isascii():
        return f"({words.translate(_ESCAPED)})"
    wide = f"\ufeff{words}".encode("utf-16-be")
    return f"<{wide.hex()}>"


def _content(leaflet: Leaflet, page: Page, number: int) -> str:
    red, green, blue = leaflet.colour
    band = 150 if number == 1 else 60
    drawn = [f"{red} {green} {blue} rg 0 {HEIGHT - band} {WIDTH} {band} re f 1 g"]
    if number == 1:
        drawn.append(_lines(wrap(leaflet.title, 24), HEIGHT - 68, font="F2", size=24, leading=30))
    else:
        drawn.append(_lines([leaflet.title], HEIGHT - 36, font="F1", size=9, leading=9))
    drawn.append("0.15 g")
    top = HEIGHT - band - 44
    drawn.append(_lines([page.heading], top, font="F2", size=_HEADING_SIZE, leading=_LEADING))
    drawn.append(_lines(wrap(page.text, _LETTERS), top - 30, font="F1", size=_SIZE, leading=_LEADING))
    drawn.append(_lines([str(number)], 30, font="F1", size=9, leading=9))
    return "\n".join(drawn)


def _lines(lines: Sequence[str], top: int, *, font: str, size: int, leading: int) -> str:
    shown = " T* ".join(f"({line.translate(_ESCAPED)}) Tj" for line in lines)
    return f"BT /{font} {size} Tf {leading} TL {_MARGIN} {top} Td {shown} ET"


CREATORS = ("Barn Society of the island (demo)", "Shore Watch (demo)", "Skärgårdsarkivet (demo)")

LEAFLETS = (
    Leaflet(
        "drying-hay",
        "How hay is dried on the island",
        CREATORS[0],
        "hay; farming; weather",
        "20240612",
        "en",
        (0.25, 0.42, 0.2),
        (
            Page(
                "Cutting",
                "Grass is cut when most of it is about to flower. Cut earlier it holds more water than"
                " the sun can take out of it in two days; cut later it is straw. On the island this means"
                " the first week of July, and a second, smaller cut in August. Whoever cuts begins after"
                " the dew has gone and stops at noon, so that what lies on the ground has an afternoon of"
                " wind before the first night.",
            ),
            Page(
                "Windrows",
                "On the second day the hay is raked into long loose rows that lie along the wind: the"
                " windrows. Air passes through them, rain runs off them, and a wagon can follow them from"
                " one end of the field to the other. A good row is as high as a knee and twice as wide. If"
                " it rains, nothing is touched until the top is dry again; turning wet hay only wets the"
                " rest.",
            ),
            Page(
                "Bringing it in",
                "Hay is ready when a twisted handful breaks and no longer feels cool. It is brought into"
                " the drying barn through the upper door and trodden down lightly. For three weeks"
                " somebody feels with an iron rod, the hygroscope of the poor, whether the stack grows"
                " warm inside. A warm stack is opened at once: damp hay can take fire by itself.",
            ),
        ),
    ),
    Leaflet(
        "rain-gauge",
        "Measuring rain with a tin",
        CREATORS[1],
        "weather; measuring",
        "20240301",
        "en",
        (0.16, 0.33, 0.5),
        (
            Page(
                "The tin",
                "Any tin with straight walls will do. It stands level, a metre above the grass, and twice"
                " as far from the nearest house as that house is high. A funnel keeps the water from"
                " drying up, and a piece of netting keeps the wagtails out. One millimetre in the tin is"
                " one litre on each square metre of the field.",
            ),
            Page(
                "The book",
                "The tin is read at seven in the morning, summer and winter, and the number belongs to"
                " the day before. A dash means that nobody read it, a nought that it was dry: the"
                " difference has to be kept, or in fifty years nobody can say how dry a summer was. Snow"
                " is melted indoors and measured as water.",
            ),
            Page(
                "What fifty summers say",
                "The wettest July in the book brought a hundred and eighty-one millimetres, the driest"
                " four. Dry summers come in pairs more often than chance would have it. Pluviophiles,"
                " people who love rain, will find their best week between the tenth and the seventeenth of"
                " October.",
            ),
        ),
    ),
    Leaflet(
        "ferry",
        "The ferry and its timetable",
        CREATORS[1],
        "traffic; history",
        "20250115",
        "en",
        (0.45, 0.23, 0.2),
        (
            Page(
                "A rope across the sound",
                "Before there was an engine, the ferry was a raft on a rope. It took eleven minutes with"
                " the wind and a prayer against it. Cattle paid half; hay paid by the armful. A bell on"
                " either shore called the ferryman, and the old bell still hangs at the northern landing.",
            ),
            Page(
                "The timetable",
                "The first departure has been at six ever since the dairy wanted its milk by seven. In"
                " winter the ferry rests when the ice road opens, and the horn is tested on the first of"
                " March. Whoever wishes to cross at night telephones and waits; the lantern on the ramp"
                " says that somebody heard.",
            ),
        ),
    ),
    Leaflet(
        "shore-birds",
        "Birds of the shore meadow",
        CREATORS[1],
        "birds; nature",
        "20250510",
        "en",
        (0.3, 0.36, 0.4),
        (
            Page(
                "Who breeds here",
                "Oystercatchers come first, while there is still ice between the stones. Lapwings follow,"
                " then redshanks, and last of all the arctic terns, on the same three days in May each"
                " year. The meadow is not cut before the young of the curlew can walk under the fence.",
            ),
            Page(
                "How we count",
                "We walk the same line every Saturday, one of us looking left and one right, and write"
                " down pairs, not birds. A bird that circles us and calls has young; one that flies away"
                " silently has not. Phalaropes are counted twice, because they never stay where they were.",
            ),
            Page(
                "What you can do",
                "Keep the dog on a line until the first of August. Walk where the grass is short. If a"
                " tern dives at your head, you are three steps too near, and the way out is the way you"
                " came.",
            ),
        ),
    ),
    Leaflet(
        "ladugarden",
        "Den gamla ladan",
        CREATORS[2],
        "byggnader; historia",
        "20250820",
        "sv",
        (0.5, 0.16, 0.14),
        (
            Page(
                "Huset",
                "Ladan byggdes av timmer som flöt i land efter en höststorm. Väggarna är glesa med"
                " avsikt: vinden ska gå rakt igenom och torka höet inifrån. Taket lades först med spån,"
                " senare med plåt, och under plåten ligger spånen kvar. Porten mot söder är så bred att"
                " ett fullt lass går in utan att någon behöver stiga av.",
            ),
            Page(
                "Dansen",
                "Varje midsommar tömdes ladan och golvet skurades med sand. Då spelades det till klockan"
                " fyra på morgonen, och den som bodde på fastlandet fick vänta på första färjan. Ett"
                " nyckelharpsspel som hördes över sundet finns ännu i arkivet, fast ljudet är svagt.",
            ),
        ),
    ),
    Leaflet(
        "mehilaiset",
        "Mehiläiset saarella",
        CREATORS[0],
        "mehiläiset; luonto",
        "20250704",
        "fi",
        (0.58, 0.42, 0.1),
        (
            Page(
                "Kevät",
                "Pesät avataan vasta, kun paju kukkii ja lämpömittari näyttää kymmentä astetta. Talven"
                " jälkeen yhdyskunta on pieni, ja ensimmäinen hunaja jätetään mehiläisille. Saarella"
                " tuulee aina, joten pesät ovat kivimuurin takana ja lentoaukot kohti kaakkoa.",
            ),
            Page(
                "Satokausi",
                "Parasta hunajaa saadaan apilasta heinäkuun kahdella ensimmäisellä viikolla. Heinä"
                " niitetään vasta sen jälkeen, ja siitä on sovittu vanhan ladan seinään naulatulla"
                " paperilla. Syksyllä kanerva antaa tummaa hunajaa, jota ei myydä kenellekään.",
            ),
        ),
    ),
)
