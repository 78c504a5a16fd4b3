"""Irregular word forms of English, Finnish and Swedish, which no rule of stemming covers.

A line is one word: its dictionary form, then its other forms. A hyphen before a word includes longer words
that end in it: handbok, handböcker. A hyphen after a form includes the form with the endings of its language.
A form in two lines belongs to both words. Forms that a rule covers are left out, and so are those that would
conflate words with different meanings: "media" and "medium"; "lägre" and "låg", which folded is also "lag".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from windrow.model.text.folding import fold

ENGLISH = """
-thesis theses
-gnosis gnoses
-morphosis morphoses
symbiosis symbioses
neurosis neuroses
psychosis psychoses
crisis crises
basis bases
axis axes
oasis oases
ellipsis ellipses
emphasis emphases
synopsis synopses
criterion criteria
phenomenon phenomena
automaton automata
mitochondrion mitochondria
ganglion ganglia
polyhedron polyhedra
taxon taxa
bacterium bacteria
curriculum curricula
datum data
stratum strata
spectrum spectra
symposium symposia
memorandum memoranda
erratum errata
addendum addenda
millennium millennia
equilibrium equilibria
quantum quanta
stadium stadia
aquarium aquaria
compendium compendia
consortium consortia
colloquium colloquia
stimulus stimuli
nucleus nuclei
radius radii
fungus fungi
focus foci
locus loci
bacillus bacilli
alumnus alumni
cactus cacti
syllabus syllabi
terminus termini
genus genera
corpus corpora
bureau bureaux
plateau plateaux plateaus
schema schemata
stigma stigmata
index indices
matrix matrices
vertex vertices
vortex vortices
appendix appendices
codex codices
cortex cortices
apex apices
helix helices
bus buses
gas gases
bias biases biased
life lives
-wife wives
-knife knives
-shelf shelves
leaf leaves
wolf wolves
half halves
self selves
calf calves
loaf loaves
thief thieves
elf elves
scarf scarves
hoof hooves
dwarf dwarves
sheaf sheaves
wharf wharves
man men
-sman smen
chairman chairmen
clergyman clergymen
fireman firemen
fisherman fishermen
freshman freshmen
gentleman gentlemen
horseman horsemen
nobleman noblemen
policeman policemen
seaman seamen
serviceman servicemen
workman workmen
-woman women
-child children
foot feet
-tooth teeth
goose geese
mouse mice
louse lice
write wrote written
teach taught
choose chose chosen
speak spoken
know knew known
grow grew grown
defense defence defences
offense offence offences
license licence licences
practice practise practised practising
catalog catalogue catalogues catalogued cataloguing
dialog dialogue dialogues
analog analogue analogues
program programme programmes
gray grey
mold mould moulds
plow plough ploughs ploughing
sulfur sulphur
aluminum aluminium
judgment judgement judgements
skillful skilful
jewelry jewellery
fetus foetus
diarrhea diarrhoea
estrogen oestrogen oestrogens
esophagus oesophagus
esthetic aesthetic aesthetics
"""

FINNISH = """
-puu pui-
maa mai-
-maa maiden maita maissa maihin maille
-pää päiden päissä päistä päihin päillä
suu sui-
luu lui-
kuu kui-
suo soi-
jää jäi-
sää säi-
häät häi-
yö yön yöt yötä yössä yöstä yöllä yöltä yölle yöksi yönä yöhön öi-
tie tei-
rautatie rautatie- rautatei-
maantie maantie- maantei-
-mäki mäe-
-joki joe-
-väki väe-
-tuki tue-
käki käe-
hauki haue-
laki lain lait laissa laista lailla laiksi
arki arje-
-järki järje-
-jälki jälje-
kärki kärje-
kurki kurje-
särki särje-
kylki kylje-
ikä iä- iki-
sika sia-
vika via-
liika liia-
taika taia-
reikä reiä-
aika aja-
-poika poja- poji-
-ruoka ruoa- ruua-
-jalka jala-
-selkä selä-
nälkä nälä-
velka vela-
märkä märä-
uhka uha-
nahka naha-
alku alun alut alussa alulle
-polku polu-
sulku sulu-
pelko pelo-
-haku hau-
maku mau-
-jako jao-
pako pao-
-teko teon teot
tauko tauo-
koko koo-
apu avu-
-näkö näö-
näky näy-
mies miehe- miehi-
-veli velje- velji- veljeä
isä isi-
-tytär tyttäre- tyttäri-
-sydän sydäme- sydämi- sydäntä sydänten
lyhyt lyhye- lyhyi- lyhyttä
kevyt kevye- kevyi- kevyttä
kevät kevättä
ohut ohue- ohui- ohutta
olut olue- olui- olutta
kaunis kaunii- kauniin kauniit
kallis kallii- kalliin kalliit
valmis valmii- valmiin valmiit
tiivis tiivii- tiiviin tiiviit
saalis saalii- saaliin saaliit
koe kokee- kokei-
-ikkuna ikkuna- ikkunaa ikkunoi-
peruna peruna- perunaa perunoi-
musta musta- mustaa musti-
omena omena- omenaa omenoi-
kuusi kuusta kuusten
-lumi lunta
tuli tulta
veri verta
kilpi kilve-
särky säryn säryt
lämmin lämmintä lämpimä- lämpimi-
"""

SWEDISH = """
-bok böcker-
-fot fötter-
-rot rötter-
mus möss
gås gäss
-bror bröder- broder brodern broderns
ledamot ledamöter-
-man mannen mannens männen männens
vän vännen vännens vänner-
öga ögat ögats ögon ögonen
öra örat örats öron öronen
-vatten vattnet vattnets vattnen
-tecken tecknet tecknets tecknen
-vapen vapnet vapnets vapnen
botten bottnen bottnar-
socken socknen socknens socknar-
öken öknen öknens öknar-
morgon morgnar-
-nummer numret numrets numren
-sommar somrar-
-museum museet museets museer-
-centrum centret centrets centren centra
-program programmet programmets programmen programmens
-rum rummet rummets rummen
-hem hemmet hemmets hemmen
-ämne ämnet ämnets
-område områden områdens områdena områdenas
-hals halsen halsens halsar-
åker åkern åkerns åkrar-
yrke yrket yrkets
gymnasium gymnasiet gymnasiets gymnasier-
kriterium kriteriet kriteriets kriterier-
laboratorium laboratoriet laboratoriets laboratorier-
territorium territoriet territoriets territorier-
ministerium ministeriet ministeriets ministerier-
seminarium seminariet seminariets seminarier-
stipendium stipendiet stipendiets stipendier-
ung ungt yngre yngst yngsta
gammal gammalt gamla äldre äldst äldsta
stor stort större störst största
lång längre längst längsta
hög högt högre högst högsta
tung tyngre tyngst tyngsta
liten litet lilla små mindre minst minsta
dålig sämre sämst sämsta
god gott
grov grovt grövre grövst
ny nya nytt nyare nyast nyaste
vit vitt
varm varmt
kall kallt
svår svårt
grön grönt
djup djupt
röd rött
blå blått blåa
säker säkert säkra
vacker vackert vackra
öppen öppet öppna
egen eget egna
mogen moget mogna
"""

# The lookup from each folded form to its base forms, which stemming uses.

TAIL = 4  # letters

_CASES = ("n", "t", "ssa", "sta", "lla", "lta", "lle", "ksi")
_PLURAL_CASES = ("a", "en", "ta", "den", "na", "hin", *_CASES[2:])
_SWEDISH_PLURALS = ("", "s", "na", "nas")


class _Lists(NamedTuple):
    """The irregular forms of one language, mapped to their base forms."""

    whole: dict[str, tuple[str, ...]]
    ends: dict[str, str]  # of compounds
    tails: frozenset[str]  # their last letters: a quick check that rules out most words
    lengths: range  # of those
    short: frozenset[str]  # words of two letters


def irregular_base_forms(word: str, letter: str) -> Sequence[str]:
    """Return the words of which a folded word is an irregular form, in the language with this letter."""
    whole, ends, tails, lengths, _ = _LISTS[letter]
    if word in whole:
        return whole[word]
    if word[-TAIL:] in tails:
        for length in lengths:
            end = word[-length:]
            if end in ends:
                return (word[:-length] + ends[end],)
    return ()


def is_short_word(word: str, letter: str) -> bool:
    return word in _LISTS[letter].short


def _read(text: str, letter: str) -> _Lists:
    whole: dict[str, tuple[str, ...]] = {}
    ends: dict[str, str] = {}
    for line in fold(text).strip().splitlines():
        word, *written = line.split()
        base = word.removeprefix("-")
        for form in [form for each in written for form in _forms(each, letter)]:
            whole[form] = tuple(dict.fromkeys((*whole.get(form, ()), base)))
            if base != word:
                ends[form] = base
    lengths = range(min(map(len, ends)), max(map(len, ends)) + 1)
    tails = frozenset(form[-TAIL:] for form in ends)
    bases = {base for found in whole.values() for base in found}
    return _Lists(whole, ends, tails, lengths, frozenset(base for base in bases if len(base) == 2))


def _forms(written: str, letter: str) -> Iterator[str]:
    """Yield a form, or, for a form with a hyphen at its end, all its inflections."""
    stem = written.removesuffix("-")
    if stem == written:
        yield written
    elif letter == "s":
        yield from (stem + ending for ending in _SWEDISH_PLURALS)
    else:  # Finnish, in which an i marks the plural
        yield from (stem + ending for ending in (_PLURAL_CASES if stem.endswith("i") else _CASES))


_LISTS = {letter: _read(text, letter) for letter, text in (("e", ENGLISH), ("f", FINNISH), ("s", SWEDISH))}
# Forms with a different first letter than their word: yngre, of ung.
STRAYS = frozenset(
    form
    for lists in _LISTS.values()
    for form, bases in lists.whole.items()
    for base in bases
    if form[0] != base[0]
)
