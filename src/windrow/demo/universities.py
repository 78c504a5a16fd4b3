"""Twenty-five invented universities of applied sciences with their departments: the sets of the demo.

The sets are flat, as DSpace lists them: a community for each university, a collection for each department.
No such institution or place exists. `theses` assigns theses to them, more to the bigger ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

# The degree programmes that the invented universities choose from.


class Field(StrEnum):
    """A field of study, which determines the topics of theses."""

    HEALTH = "health"
    SOCIAL = "social"
    BUSINESS = "business"
    COMPUTING = "computing"
    ENGINEERING = "engineering"
    CULTURE = "culture"
    HOSPITALITY = "hospitality"
    NATURE = "nature"


@dataclass(frozen=True, slots=True)
class Programme:
    """A degree programme, in three languages; `is_master` marks the higher degree."""

    slug: str
    finnish: str
    swedish: str
    english: str
    field: Field
    is_master: bool = False


# slug, Finnish, Swedish, English; each becomes a set of every university that offers it.
_BACHELOR: dict[Field, tuple[tuple[str, str, str, str], ...]] = {
    Field.HEALTH: (
        ("sairaanhoito", "Sairaanhoitajakoulutus", "Utbildning i sjukskötsel", "Nursing"),
        ("terveydenhoito", "Terveydenhoitajakoulutus", "Utbildning i hälsovård", "Public Health Nursing"),
        ("katilotyo", "Kätilökoulutus", "Utbildning i barnmorskearbete", "Midwifery"),
        ("fysioterapia", "Fysioterapian koulutus", "Utbildning i fysioterapi", "Physiotherapy"),
        ("toimintaterapia", "Toimintaterapian koulutus", "Utbildning i ergoterapi", "Occupational Therapy"),
        ("ensihoito", "Ensihoidon koulutus", "Utbildning i akutvård", "Emergency Care"),
        (
            "bioanalytiikka",
            "Bioanalytiikan koulutus",
            "Utbildning i bioanalytik",
            "Biomedical Laboratory Science",
        ),
        ("suunhoito", "Suun terveydenhuollon koulutus", "Utbildning i munhälsa", "Oral Health Care"),
        ("radiografia", "Radiografian koulutus", "Utbildning i radiografi", "Radiography"),
        ("vanhustyo", "Vanhustyön koulutus", "Utbildning i äldreomsorg", "Elderly Care"),
    ),
    Field.SOCIAL: (
        ("sosiaaliala", "Sosiaalialan koulutus", "Utbildning i det sociala området", "Social Services"),
        ("nuorisotyo", "Yhteisöpedagogikoulutus", "Utbildning i samhällspedagogik", "Youth Work"),
        (
            "varhaiskasvatus",
            "Varhaiskasvatuksen koulutus",
            "Utbildning i småbarnspedagogik",
            "Early Education",
        ),
    ),
    Field.BUSINESS: (
        ("liiketalous", "Liiketalouden koulutus", "Utbildning i företagsekonomi", "Business Administration"),
        ("kansainvalinen-kauppa", "Kansainvälinen kauppa", "Internationell handel", "International Business"),
        ("taloushallinto", "Taloushallinnon koulutus", "Utbildning i redovisning", "Accounting"),
        ("markkinointi", "Markkinoinnin koulutus", "Utbildning i marknadsföring", "Marketing"),
        ("logistiikka", "Logistiikan koulutus", "Utbildning i logistik", "Logistics"),
        ("oikeus", "Oikeudellisen työn koulutus", "Utbildning i rättstjänster", "Legal Services"),
    ),
    Field.COMPUTING: (
        ("tietojenkasittely", "Tietojenkäsittelyn koulutus", "Utbildning i databehandling", "Business IT"),
        ("tietotekniikka", "Tieto- ja viestintätekniikka", "Informationsteknik", "Information Technology"),
        ("ohjelmistot", "Ohjelmistotekniikan koulutus", "Utbildning i programvara", "Software Engineering"),
        ("kyberturva", "Kyberturvallisuuden koulutus", "Utbildning i cybersäkerhet", "Cyber Security"),
        ("pelit", "Pelituotannon koulutus", "Utbildning i spelproduktion", "Game Production"),
    ),
    Field.ENGINEERING: (
        ("konetekniikka", "Konetekniikan koulutus", "Utbildning i maskinteknik", "Mechanical Engineering"),
        (
            "rakennustekniikka",
            "Rakennustekniikan koulutus",
            "Utbildning i byggteknik",
            "Construction Engineering",
        ),
        (
            "sahkotekniikka",
            "Sähkö- ja automaatiotekniikka",
            "El- och automationsteknik",
            "Electrical Engineering",
        ),
        (
            "talotekniikka",
            "Talotekniikan koulutus",
            "Utbildning i husteknik",
            "Building Services Engineering",
        ),
        ("ymparistotekniikka", "Ympäristötekniikan koulutus", "Miljöteknik", "Environmental Engineering"),
        ("prosessitekniikka", "Prosessitekniikan koulutus", "Processteknik", "Process Engineering"),
        ("energiatekniikka", "Energiatekniikan koulutus", "Energiteknik", "Energy Technology"),
        ("puutekniikka", "Puutekniikan koulutus", "Träteknik", "Wood Technology"),
        ("tuotantotalous", "Tuotantotalouden koulutus", "Produktionsekonomi", "Industrial Management"),
        ("merenkulku", "Merenkulun koulutus", "Utbildning i sjöfart", "Maritime Technology"),
        ("maanmittaus", "Maanmittaustekniikan koulutus", "Lantmäteriteknik", "Land Surveying"),
    ),
    Field.CULTURE: (
        ("muotoilu", "Muotoilun koulutus", "Utbildning i formgivning", "Design"),
        ("media", "Median koulutus", "Utbildning i medier", "Media"),
        ("musiikki", "Musiikin koulutus", "Utbildning i musik", "Music"),
        ("kuvataide", "Kuvataiteen koulutus", "Utbildning i bildkonst", "Fine Arts"),
        ("vaatetus", "Vaatetusalan koulutus", "Utbildning i beklädnad", "Fashion and Clothing"),
        ("kulttuurituotanto", "Kulttuurituotannon koulutus", "Kulturproduktion", "Cultural Management"),
    ),
    Field.HOSPITALITY: (
        ("matkailu", "Matkailun koulutus", "Utbildning i turism", "Tourism"),
        (
            "ravintola-ala",
            "Ravintola-alan koulutus",
            "Utbildning i restaurangbranschen",
            "Restaurant Services",
        ),
        ("liikunta", "Liikunnan koulutus", "Utbildning i idrott", "Sports and Leisure"),
    ),
    Field.NATURE: (
        ("maatalous", "Maaseutuelinkeinojen koulutus", "Landsbygdsnäringar", "Agriculture"),
        ("metsatalous", "Metsätalouden koulutus", "Utbildning i skogsbruk", "Forestry"),
        ("puutarhatalous", "Puutarhatalouden koulutus", "Trädgårdsnäring", "Horticulture"),
        ("kalatalous", "Kalatalouden koulutus", "Utbildning i fiskeri", "Fisheries"),
    ),
}

_MASTER: dict[Field, tuple[str, str, str, str]] = {
    Field.HEALTH: (
        *("terveysjohtaminen", "Terveysalan johtaminen"),
        *("Ledarskap inom hälsovård", "Health Care Leadership"),
    ),
    Field.BUSINESS: (
        *("liiketoiminta", "Liiketoiminnan kehittäminen"),
        *("Affärsutveckling", "Business Development"),
    ),
    Field.COMPUTING: ("digitalisaatio", "Digitaaliset ratkaisut", "Digitala lösningar", "Digital Solutions"),
    Field.ENGINEERING: (
        *("tekniikan-johtaminen", "Teknologiajohtaminen"),
        *("Teknologiledning", "Technology Management"),
    ),
}

PROGRAMMES: tuple[Programme, ...] = (
    *(Programme(*names, field) for field, rows in _BACHELOR.items() for names in rows),
    *(Programme(*names, field, is_master=True) for field, names in _MASTER.items()),
)

# key, place in Finnish (nominative, genitive), name in Swedish
_PLACES: tuple[tuple[str, str, str, str], ...] = (
    ("harmaasaari", "Harmaasaari", "Harmaasaaren", "Gråholmens yrkeshögskola"),
    ("kuusilampi", "Kuusilampi", "Kuusilammen", "Granträskets yrkeshögskola"),
    ("tuulivaara", "Tuulivaara", "Tuulivaaran", "Vindbergets yrkeshögskola"),
    ("hopeaniemi", "Hopeaniemi", "Hopeaniemen", "Silveruddens yrkeshögskola"),
    ("pilvijarvi", "Pilvijärvi", "Pilvijärven", "Molnsjö yrkeshögskola"),
    ("lumivirta", "Lumivirta", "Lumivirran", "Snöströmmens yrkeshögskola"),
    ("kaarnajoki", "Kaarnajoki", "Kaarnajoen", "Barkå yrkeshögskola"),
    ("jaasalmi", "Jääsalmi", "Jääsalmen", "Issundets yrkeshögskola"),
    ("sammalkorpi", "Sammalkorpi", "Sammalkorven", "Mossmarkens yrkeshögskola"),
    ("louhikoski", "Louhikoski", "Louhikosken", "Klippforsens yrkeshögskola"),
    ("norrgrund", "Norrgrund", "Norrgrundin", "Yrkeshögskolan Norrgrund"),
    ("koivurinne", "Koivurinne", "Koivurinteen", "Björksluttningens yrkeshögskola"),
    ("peurakangas", "Peurakangas", "Peurakankaan", "Renhedens yrkeshögskola"),
    ("tahtiharju", "Tähtiharju", "Tähtiharjun", "Stjärnåsens yrkeshögskola"),
    ("kurkiluoto", "Kurkiluoto", "Kurkiluodon", "Tranholmens yrkeshögskola"),
    ("kanervasuo", "Kanervasuo", "Kanervasuon", "Ljungmossens yrkeshögskola"),
    ("aallonmaki", "Aallonmäki", "Aallonmäen", "Vågbackens yrkeshögskola"),
    ("teerisaari", "Teerisaari", "Teerisaaren", "Orrholmens yrkeshögskola"),
    ("silverskar", "Silverskär", "Silverskärin", "Yrkeshögskolan Silverskär"),
    ("honkapera", "Honkaperä", "Honkaperän", "Furuändans yrkeshögskola"),
    ("usvalahti", "Usvalahti", "Usvalahden", "Dimvikens yrkeshögskola"),
    ("karhupolku", "Karhupolku", "Karhupolun", "Björnstigens yrkeshögskola"),
    ("hillavuoma", "Hillavuoma", "Hillavuoman", "Hjortronmyrens yrkeshögskola"),
    ("loimuranta", "Loimuranta", "Loimurannan", "Flamstrandens yrkeshögskola"),
    ("otavankyla", "Otavankylä", "Otavankylän", "Karlavagnens yrkeshögskola"),
)
_HANDLE = "10024"  # the prefix of all handles of the repository
_SWEDISH_SPEAKING = frozenset({"norrgrund", "silverskar"})
_MOST_DEPARTMENTS, _FEWEST_DEPARTMENTS = (
    50,
    22,
)  # of the biggest and the smallest university: about 900 in all
# Coprime with the number of programmes, so that steps of it reach each programme once.
_STRIDE = 5


@dataclass(frozen=True, slots=True)
class Department:
    """A degree programme at one university; `spec` is its setSpec, `community` that of the university."""

    spec: str
    programme: Programme
    community: str


@dataclass(frozen=True, slots=True)
class University:
    """An invented university; `spec` is its setSpec, `weight` its share of the theses."""

    key: str
    spec: str
    place: str
    genitive: str
    finnish: str
    swedish: str
    english: str
    speaks_swedish: bool
    weight: int
    departments: tuple[Department, ...] = field(repr=False)


@cache
def universities() -> tuple[University, ...]:
    return tuple(_found(rank, *place) for rank, place in enumerate(_PLACES))


def _found(rank: int, key: str, place: str, genitive: str, swedish: str) -> University:
    return University(
        key=key,
        spec=_community(rank),
        place=place,
        genitive=genitive,
        finnish=f"{genitive} ammattikorkeakoulu",
        swedish=swedish,
        english=f"{place} University of Applied Sciences",
        speaks_swedish=key in _SWEDISH_SPEAKING,
        weight=1000 // (rank + 4),
        departments=_departments(rank),
    )


def _community(rank: int) -> str:
    return f"com_{_HANDLE}_{rank + 1}"


def _departments(rank: int) -> tuple[Department, ...]:
    last = len(_PLACES) - 1
    count = _MOST_DEPARTMENTS - (_MOST_DEPARTMENTS - _FEWEST_DEPARTMENTS) * rank // last
    chosen = (PROGRAMMES[(7 * rank + _STRIDE * step) % len(PROGRAMMES)] for step in range(count))
    first = (rank + 1) * 100  # no university has as many
    return tuple(
        Department(f"col_{_HANDLE}_{number}", programme, _community(rank))
        for number, programme in enumerate(chosen, first)
    )
