"""Theses that nobody wrote, for trying an index with: the same ones for the same seed."""

from __future__ import annotations

from random import Random

from windrow.index.tantivy.rows import Entry
from windrow.model.document import (
    Agent,
    Document,
    DocumentDate,
    Event,
    HeldFile,
    Identifier,
    Link,
    LinkKind,
    Subject,
    Text,
)

_THINGS = {
    "en": [
        "hay",
        "meadows",
        "cars",
        "nurses",
        "batteries",
        "learning",
        "forests",
        "schools",
        "networks",
        "health",
    ],
    "sv": [
        "hö",
        "ängar",
        "bilar",
        "sjuksköterskor",
        "batterier",
        "lärande",
        "skogar",
        "skolor",
        "nät",
        "hälsa",
    ],
    "fi": [
        "heinä",
        "niityt",
        "autot",
        "hoitajat",
        "akut",
        "oppiminen",
        "metsät",
        "koulut",
        "verkot",
        "terveys",
    ],
}
_FRAMES = {
    "en": [
        "The future of {a} in {b}",
        "How {a} and {b} are measured: a study",
        "{a}, {b} and the people in them",
    ],
    "sv": ["Framtiden för {a} i {b}", "Hur {a} och {b} mäts: en studie", "{a}, {b} och de som arbetar där"],
    "fi": ["{a} ja {b} tulevaisuudessa", "Miten {a} ja {b} mitataan", "{a}, {b} ja niiden kehittäminen"],
}
_SENTENCES = {
    "en": [
        "This thesis looks at {a} and at what they mean for {b}.",
        "The data were collected in twelve interviews with people who work with {a}.",
        "The results show that {b} can be developed further.",
    ],
    "sv": [
        "Syftet med detta arbete är att undersöka {a} och deras betydelse för {b}.",
        "Materialet samlades in genom intervjuer med personer som arbetar med {a}.",
        "Resultaten visar att {b} kan utvecklas vidare.",
    ],
    "fi": [
        "Opinnäytetyön tavoitteena oli selvittää, mitä {a} ja {b} ovat.",
        "Aineisto kerättiin haastattelemalla ihmisiä, joiden työtä {a} on.",
        "Tulokset osoittavat, että {b} on hyvä kehittämisen kohde.",
    ],
}
_UNIVERSITIES = {
    "Meadow University of Applied Sciences": ["School of Grass", "School of Care"],
    "Field University": ["School of Grass", "Faculty of Machines", "Faculty of Learning"],
    "Högskolan på Ängen": ["Institutionen för vård", "Institutionen för teknik"],
    "Niityn ammattikorkeakoulu": ["Liiketalous", "Sosiaali- ja terveysala", "Tekniikka"],
    "Barn Polytechnic": ["Business", "Technology"],
}
_FAMILIES = ["Mower", "Rake", "Äng", "Niitty", "Heinonen", "Løkke", "Gräs", "O'Field", "Stack", "Lato"]
_GIVEN = ["Ann", "Bo", "Åsa", "Eero", "Łukasz", "Mary Ann", "Örjan", "Kaisa"]
_TYPES = ["Bachelor's thesis", "Master's thesis", "Field diary"]  # the last is in no table
_RIGHTS = [(), ("CC BY 4.0",), ("restricted access", "CC BY-NC-ND"), ("embargoedAccess",)]
_TOPICS: list[tuple[Subject, ...]] = [
    (),
    (Subject("haravointi", "yso", "p1", "fi"), Subject("raking", "yso", "p1", "en")),
    (Subject("niitto", "yso", "p2", "fi"), Subject("slåtter", "yso", "p2", "sv")),
    (
        Subject("hö", "yso", "p3", "sv"),
        Subject("heinä", "yso", "p3", "fi"),
        Subject("hay", "yso", "p3", "en"),
    ),
]
_MEDIA = {"application/pdf": "pdf", "text/plain": "txt", "image/jpeg": "jpg"}
_CODAS = ["Finis.", "Loppu.", "Slut."]
_PERIODS = ["autumn 2023", "spring 2024", "autumn 2024"]
_TOWNS = ["Ängsby", "Haytown", "Niittylä", "Haytown South"]
_HOLDINGS = ((), ("Series of Hay",), ("Yearbook", "Series of Hay"), ("Reports",))
_SETS = ["theses", "theses:bachelor", "theses:doctoral", "open"]


def sample_entries(count: int, *, seed: int = 0) -> list[Entry]:
    """Give so many entries, numbered from 1; one in ten of them says next to nothing."""
    random = Random(seed)
    return [_entry(random, number) for number in range(1, count + 1)]


def _entry(random: Random, number: int) -> Entry:
    source = random.choice(["barn", "field", "meadow"])
    identifier = f"oai:{source}.example:{number}"
    sets = tuple(sorted(random.sample(_SETS, random.randint(0, 2))))
    document = _bare(random) if random.random() < 0.1 else _thesis(random, number)
    stamp = f"{random.randint(2015, 2024)}-0{random.randint(1, 9)}-{random.randint(10, 28)}T10:00:00Z"
    return Entry(number, source, identifier, sets, document, stamp)


def _bare(random: Random) -> Document:
    return random.choice(
        [Document(), Document(titles=(Text("Hay"),)), Document(year=random.randint(2005, 2024))]
    )


def _thesis(random: Random, number: int) -> Document:
    language = random.choice(["en", "sv", "fi", "fi"])
    things = random.sample(_THINGS[language], 4)
    words = {"a": things[0], "b": things[1]}
    title = random.choice(_FRAMES[language]).format_map(words)
    institution = random.choice(list(_UNIVERSITIES))
    year = random.randint(2005, 2024)
    sentences = " ".join(sentence.format_map(words) for sentence in _SENTENCES[language])
    address = f"https://barn.example/thesis/{number}"
    return Document(
        titles=(Text(title[0].upper() + title[1:], random.choice([language, None])),),
        creators=tuple(_person(random, institution) for _ in range(random.choice([1, 1, 1, 2, 3]))),
        contributors=(_person(random, None),) if random.random() < 0.3 else (),
        subjects=(
            *(Subject(thing, language=language) for thing in things[:3]),
            *_TOPICS[number % len(_TOPICS)],
        ),
        keywords=tuple(things[2:]) if random.random() < 0.5 else (),
        descriptions=(Text(sentences, language),) if random.random() < 0.9 else (),
        publishers=(institution,) if random.random() < 0.5 else (),
        dates=(DocumentDate(f"{year}-05-{random.randint(10, 28)}", "issued"),),
        year=year,
        types=(random.choice(_TYPES),),
        languages=(language,),
        pages=random.randint(20, 250) if random.random() < 0.8 else None,
        links=(
            Link(address, LinkKind.LANDING),
            Link(f"{address}.pdf", LinkKind.FULLTEXT, None, "application/pdf"),
        ),
        names=(Identifier("urn", f"urn:nbn:fi:hay-{number}"),),
        rights=("All rights reserved",) if random.random() < 0.3 else _RIGHTS[number % len(_RIGHTS)],
        sources=("Journal of Hay",) if random.random() < 0.2 else (),
        institution=institution,
        department=random.choice(_UNIVERSITIES[institution]) if random.random() < 0.9 else None,
        events=_events(Random(number)),
        collections=_HOLDINGS[number % len(_HOLDINGS)],
        file=_file(Random(number + 1), sentences, year),
    )


def _file(random: Random, text: str, year: int) -> HeldFile | None:
    """Give the file of a thesis, for one in four."""
    if random.random() > 1 / 4:
        return None
    media_type, suffix = random.choice(list(_MEDIA.items()))
    name = f"{random.randrange(10**6)}.{suffix}"
    pages = ("", f"{text} {random.choice(_CODAS)}") if suffix == "pdf" else (text,)
    return HeldFile(
        path=random.choice([name, f"{year}/{name}", f"{year}/{random.choice(['day', 'Night'])}/{name}"]),
        media_type=media_type,
        size=random.choice([900, 20_000, 300_000, 4_000_000]),
        sha256=f"{random.getrandbits(256):064x}",
        text=pages if suffix != "jpg" else (),
        is_paged=suffix == "pdf",
        facts=(("camera", random.choice(["Box", "Pinhole", "Meadowflex"])),),
    )


def _events(random: Random) -> tuple[Event, ...]:
    """Give the rounds of a course, for one document in three."""
    if random.random() > 1 / 3:
        return ()
    return tuple(
        Event(
            identifier=f"round-{order}",
            period=random.choice(_PERIODS),
            kind=random.choice(["course", "course", "lecture", None]),
            intensity=random.choice(["full time", "half time"]),
            place=random.choice(_TOWNS),
            language=random.choice(["en", "sv", "fi"]),
            time=random.choice(["day", "evening", None]),
        )
        for order in range(random.randint(1, 4))
    )


def _person(random: Random, institution: str | None) -> Agent:
    name = f"{random.choice(_FAMILIES)}, {random.choice(_GIVEN)}"
    affiliation = institution if random.random() < 0.7 else random.choice(list(_UNIVERSITIES))
    is_named = random.random() < 0.4
    return Agent(name, affiliations=(affiliation,) if affiliation and is_named else ())
