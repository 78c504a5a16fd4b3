"""The repository as files: deterministic oai_dc records, cut into pages that a static server can serve.

After `words`, before `nginx`. Record number n is the same whatever the page size and the total, so runs
at 100 and at 1,000 a page harvest the same records, and the truth to compare with is a formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from random import Random

from bench import words

COMMUNITIES = 20
COLLECTIONS = 200
RESPONSE_DATE = "2026-01-05T06:00:00Z"  # fixed: the same files, byte for byte, on every machine
BASE_URL = "http://oai.bench.example/oai"
TYPES = ("Article", "Bachelor's thesis", "Conference paper", "Dataset", "Doctoral dissertation", "Report")
LANGUAGES = ("en", "en", "en", "fi", "sv")

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ '
    'http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">'
    f"<responseDate>{RESPONSE_DATE}</responseDate>"
)
TAIL = "</OAI-PMH>\n"
DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ '
    'http://www.openarchives.org/OAI/2.0/oai_dc.xsd">'
)
IDENTIFY = (
    f"<repositoryName>Bench</repositoryName><baseURL>{BASE_URL}</baseURL>"
    "<protocolVersion>2.0</protocolVersion><adminEmail>bench@example.org</adminEmail>"
    "<earliestDatestamp>2006-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord>"
    "<granularity>YYYY-MM-DDThh:mm:ssZ</granularity>"
)
FORMATS = (
    "<metadataFormat><metadataPrefix>oai_dc</metadataPrefix>"
    "<schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema>"
    "<metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat>"
)


@dataclass(frozen=True, slots=True)
class Site:
    """A folder of answers: what it holds and how many bytes the record pages have."""

    folder: Path
    records: int
    per_page: int
    page_bytes: int

    @property
    def pages(self) -> int:
        """How many pages a whole harvest reads."""
        return -(-self.records // self.per_page)

    def identifiers(self) -> Iterator[str]:
        """Give the truth: every identifier a harvest must bring home."""
        return map(identifier, range(self.records))


def identifier(number: int) -> str:
    """Give the OAI identifier of a record."""
    return f"oai:bench.example:10024/{100_000 + number}"


def token(page: int) -> str:
    """Give the resumption token that leads to a page."""
    return f"p{page}"


def write(folder: Path, *, records: int, per_page: int) -> Site:
    """Write every answer of the repository into a folder, made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_verbs(folder)
    written = 0
    for page in range(-(-records // per_page)):
        body = render_page(page, records=records, per_page=per_page)
        written += (folder / f"{token(page)}.xml").write_bytes(body)
    return Site(folder, records, per_page, written)


def render_page(page: int, *, records: int, per_page: int) -> bytes:
    """Give one ListRecords answer."""
    first = page * per_page
    last = min(first + per_page, records)
    following = token(page + 1) if last < records else ""
    resume = f'<resumptionToken completeListSize="{records}" cursor="{first}">{following}</resumptionToken>'
    body = "".join(map(render_record, range(first, last)))
    return _answer("ListRecords", f"<ListRecords>{body}{resume}</ListRecords>")


def render_record(number: int) -> str:
    """Give one record: header with two or three sets, Dublin Core of about two kilobytes in all."""
    random = Random(number * 2_654_435_761)  # neighbouring seeds would draw alike
    specs = "".join(f"<setSpec>{spec}</setSpec>" for spec in _sets(random))
    stamp = f"20{random.randrange(6, 26):02}-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}"
    time = f"{random.randrange(24):02}:{random.randrange(60):02}:{random.randrange(60):02}Z"
    return (
        f"<record><header><identifier>{identifier(number)}</identifier>"
        f"<datestamp>{stamp}T{time}</datestamp>{specs}</header>"
        f"<metadata>{DC}{_fields(random, number)}</oai_dc:dc></metadata></record>\n"
    )


def _fields(random: Random, number: int) -> str:
    language = random.choice(LANGUAGES)
    year = random.randrange(1985, 2026)
    fields = [("title", _sentence(random, random.randrange(6, 14))[:-1])]
    fields += [("creator", words.name(random)) for _ in range(random.randrange(1, 4))]
    fields += [("subject", " ".join(_english().draw(random, 2))) for _ in range(random.randrange(3, 7))]
    fields += [
        ("description", " ".join(_sentence(random, random.randrange(9, 24)) for _ in range(5))),
        ("publisher", f"University of {random.choice(words.SYLLABLES)}{random.choice(words.TAILS)}"),
        ("contributor", words.name(random)),
        ("date", f"{year}-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}"),
        ("type", random.choice(TYPES)),
        ("format", "application/pdf"),
        ("identifier", f"http://repository.bench.example/handle/10024/{100_000 + number}"),
        ("identifier", f"URN:NBN:fi:bench-{year}{random.randrange(10**9):09}"),
        ("language", language),
        ("rights", "In copyright & available on the open web; see <http://rights.bench.example/1.0/>"),
    ]
    return "".join(f"<dc:{tag}>{escape(text, quote=False)}</dc:{tag}>" for tag, text in fields) + (
        _abstract(random, language) if language != "en" else ""
    )


def _sentence(random: Random, length: int) -> str:
    drawn = _english().draw(random, length)
    return f"{drawn[0].capitalize()} {' '.join(drawn[1:])}."


def _abstract(random: Random, language: str) -> str:
    vocabulary = _finnish() if language == "fi" else _swedish()
    text = " ".join(vocabulary.draw(random, random.randrange(12, 40))).capitalize()
    return f'<dc:description xml:lang="{language}">{text}.</dc:description>'


def _sets(random: Random) -> list[str]:
    collection = random.randrange(COLLECTIONS)
    specs = [f"com_10024_{collection % COMMUNITIES}", f"col_10024_{collection}"]
    if random.random() < 0.4:
        specs.append(f"year_{random.randrange(2006, 2026)}")
    return specs


def _write_verbs(folder: Path) -> None:
    specs = [f"com_10024_{number}" for number in range(COMMUNITIES)]
    specs += [f"col_10024_{number}" for number in range(COLLECTIONS)]
    specs += [f"year_{year}" for year in range(2006, 2026)]
    sets = "".join(f"<set><setSpec>{spec}</setSpec><setName>Set {spec}</setName></set>" for spec in specs)
    for verb, body in {"Identify": IDENTIFY, "ListMetadataFormats": FORMATS, "ListSets": sets}.items():
        (folder / f"{verb}.xml").write_bytes(_answer(verb, f"<{verb}>{body}</{verb}>"))
    nothing = '<error code="noRecordsMatch">Nothing is newer than that.</error>'
    (folder / "nothing.xml").write_bytes(_answer("ListRecords", nothing))


def _answer(verb: str, body: str) -> bytes:
    return f'{HEAD}<request verb="{verb}">{BASE_URL}</request>{body}{TAIL}'.encode()


@cache
def _english() -> words.Words:
    return words.english()


@cache
def _finnish() -> words.Words:
    return words.plain(words.FINNISH)


@cache
def _swedish() -> words.Words:
    return words.plain(words.SWEDISH)
