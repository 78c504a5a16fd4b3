"""The vocabulary of the synthetic records: words, names and sets put together from small lists.

First step of the bench: `pages` draws from here. A few thousand words with falling frequency keep the
text about as compressible as real abstracts; a short word list would flatter whoever compresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, product
from random import Random

PREFIXES = ("", "bio", "geo", "re", "co", "sub")
STEMS = (
    "sediment catalys polymer membran genom harvest archiv season migrat narrat colon textil glaci forest "
    "pastor urban fiscal pension vaccin neur cogn lexic dialect morph syntax tempor spectr orbit magnet "
    "resonan turbul lamin porous ferment enzym bacteri fung pollen canop wetland estuar salin nitr phosph "
    "carbon sulph copper lithium silic ceram alloy corros fractur fatigu stiff elast viscos diffus adsor "
    "filtr dialys renal cardi vascul skelet muscul obstetr pediatr nurs rehabilit literac curricul pedagog "
    "tutor apprentic career labour union migrant border treat jurid penal evidenc testimon notar parish "
    "manor peasant guild merchant tariff harbour railway bridg tunnel timber plywood pulp cellul lign "
    "insul ventil radi acoust speech phonem melod rhythm choral theatr cinema portrait icon fresco mosaic"
)
ENDINGS = "e al ation ity ing ed ism ist ous ive ant ology ometric ary ence able ised ises or ature"
COMMON = (
    "the of and in to a for on with by from as that this is are was were which between among under over "
    "during after before within through more less than not only but also both each several many most few "
    "new early late high low long short first second further however therefore while where when how whether"
)
FINNISH = (
    "työn tavoitteena oli selvittää miten käytännössä tutkimus toteutettiin aineisto kerättiin sekä "
    "haastattelemalla tulokset osoittavat että järjestelmän kehittäminen edellyttää henkilöstön osaamista "
    "yhteistyötä riittävästi resursseja opinnäytetyö yrityksen palvelujen laatua asiakkaiden näkökulmasta"
)
SWEDISH = (
    "syftet med arbetet var att undersöka hur företaget kan förbättra sin verksamhet genom bättre planering "
    "resultaten visar även skillnader mellan grupperna och metoden lämpar sig väl för fortsatt användning "
    "studien omfattade både enkäter intervjuer samt mätningar på fältet under två år vårdens kvalitet"
)
SYLLABLES = ("Al", "Bre", "Dal", "Es", "Fjä", "Gra", "Hal", "Isk", "Kor", "Lun", "Mäk", "Nor", "Ost", "Pel")
TAILS = (
    "berg",
    "dal",
    "elin",
    "fors",
    "holm",
    "inen",
    "kari",
    "lund",
    "mann",
    "niemi",
    "ová",
    "qvist",
    "sen",
)
VOCABULARY = 9_000


@dataclass(frozen=True, slots=True)
class Words:
    """Words with their running weights, in the form `Random.choices` is quickest with."""

    words: tuple[str, ...]
    weights: tuple[float, ...]

    def draw(self, random: Random, number: int) -> list[str]:
        """Give this many words, the common ones oftener."""
        return random.choices(self.words, cum_weights=self.weights, k=number)


def english() -> Words:
    """Give the scholarly vocabulary: always the same, common words first."""
    made = sorted({"".join(parts) for parts in product(PREFIXES, STEMS.split(), ENDINGS.split())})
    Random(7).shuffle(made)
    words = (*COMMON.split(), *made[:VOCABULARY])
    # Zipf with a flattened head: word of rank r is used about 1/(r + 12) as often.
    return Words(words, tuple(accumulate(1 / (rank + 12) for rank in range(len(words)))))


def plain(text: str) -> Words:
    """Give the words of a text as a small vocabulary, each as likely as any other."""
    words = tuple(text.split())
    return Words(words, tuple(accumulate(1.0 for _ in words)))


def name(random: Random) -> str:
    """Give a made-up name, family first, with initials for the rest."""
    family = random.choice(SYLLABLES) + random.choice(TAILS)
    return f"{family}, {random.choice('ABCDEHJKLMNOPRSTV')}. {random.choice('ABEFGIJKMPRSTUV')}."
