"""Twenty-five invented universities of applied sciences with their departments: the sets of the demo.

The sets are flat, as DSpace lists them: a community for each university, a collection for each department. No
such institution or place exists. `theses` deals out theses to them, the bigger ones getting more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from windrow.demo.programmes import PROGRAMMES, Programme

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
_HANDLE = "10024"  # what all handles of the repository begin with
_SWEDISH_SPEAKING = frozenset({"norrgrund", "silverskar"})
_MOST_DEPARTMENTS, _FEWEST_DEPARTMENTS = 50, 22  # the biggest and the smallest university: about 900 in all
# Coprime with the number of programmes, so that walking by it meets each programme once.
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
    """The twenty-five, the biggest first."""
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
