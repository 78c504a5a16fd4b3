"""Words whose forms no ending tells are found by any of them; words that are not one stay apart."""

from __future__ import annotations

import pytest

from windrow.model.document import Document, Text
from windrow.model.matching import matches
from windrow.model.query import Word
from windrow.model.text.highlighting import highlights
from windrow.model.text.irregular_forms import _LISTS, STRAYS, irregular_base_forms
from windrow.model.text.word_forms import _english_words, initials_of, query_stems, stem_words

FINNISH = """
kauppa kaupan kauppaa kaupassa kaupat kauppojen kauppoja
ikä iän ikää iässä iät ikien ikiä
puu puun puuta puussa puut puiden puita
yö yön yötä yössä yöt öiden öitä
mäki mäen mäkeä mäessä mäet mäkien mäkiä
tie tien tietä tiessä tiet teiden teitä
kukka kukan kukkaa kukassa kukat kukkien kukkia
reikä reiän reikää reiässä reiät reikien reikiä
jalka jalan jalkaa jalassa jalat jalkojen jalkoja
selkä selän selkää selässä selät selkien selkiä
jälki jäljen jälkeä jäljessä jäljet jälkien jälkiä
kurki kurjen kurkea kurjessa kurjet kurkien kurkia
joki joen jokea joessa joet jokien jokia
väki väen väkeä väessä väet väkien väkiä
näkö näön näköä näössä näöt näköjen näköjä
puku puvun pukua puvussa puvut pukujen pukuja
luku luvun lukua luvussa luvut lukujen lukuja
suku suvun sukua suvussa suvut sukujen sukuja
kyky kyvyn kykyä kyvyssä kyvyt kykyjen kykyjä
apu avun apua avussa avut apujen apuja
leipä leivän leipää leivässä leivät leipien leipiä
tapa tavan tapaa tavassa tavat tapojen tapoja
lupa luvan lupaa luvassa luvat lupien lupia
kylpy kylvyn kylpyä kylvyssä kylvyt kylpyjen kylpyjä
halpa halvan halpaa halvassa halvat halpojen halpoja
kipu kivun kipua kivussa kivut kipujen kipuja
papu pavun papua pavussa pavut papujen papuja
kohta kohdan kohtaa kohdassa kohdat kohtien kohtia
aurinko auringon aurinkoa auringossa auringot aurinkojen aurinkoja
lampi lammen lampea lammessa lammet lampien lampia
rumpu rummun rumpua rummussa rummut rumpujen rumpuja
ilta illan iltaa illassa illat iltojen iltoja
parta parran partaa parrassa parrat partojen partoja
virta virran virtaa virrassa virrat virtojen virtoja
lämpö lämmön lämpöä lämmössä lämmöt
kerta kerran kertaa kerrassa kerrat kertojen kertoja
siirto siirron siirtoa siirrossa siirrot siirtojen siirtoja
lyhyt lyhyen lyhyttä lyhyessä lyhyet lyhyiden lyhyitä
kevät kevään kevättä keväässä keväät keväiden keväitä
syksy syksyn syksyä syksyssä syksyt syksyjen syksyjä
vanha vanhan vanhaa vanhassa vanhat vanhojen vanhoja
kaunis kauniin kaunista kauniissa kauniit kauniiden kauniita
puhdas puhtaan puhdasta puhtaassa puhtaat puhtaiden puhtaita
sydän sydämen sydäntä sydämessä sydämet sydänten sydämiä
veli veljen veljeä veljessä veljet veljien veljiä
isä isän isää isässä isät isien isiä
tytär tyttären tytärtä tyttäressä tyttäret tyttärien tyttäriä
mies miehen miestä miehessä miehet miesten miehiä
suu suun suuta suussa suut suiden suita
luu luun luuta luussa luut luiden luita
kuu kuun kuuta kuussa kuut kuiden kuita
suo suon suota suossa suot soiden soita
jää jään jäätä jäässä jäät jäiden jäitä
sää sään säätä säässä säät säiden säitä
hammas hampaan hammasta hampaassa hampaat hampaiden hampaita
lammas lampaan lammasta lampaassa lampaat lampaiden lampaita
kangas kankaan kangasta kankaassa kankaat kankaiden kankaita
tehdas tehtaan tehdasta tehtaassa tehtaat tehtaiden tehtaita
varvas varpaan varvasta varpaassa varpaat varpaiden varpaita
kuningas kuninkaan kuningasta kuninkaassa kuninkaat kuninkaiden kuninkaita
kuusi kuusen kuusta kuusessa kuuset kuusten kuusia
lumi lumen lunta lumessa lumet lumien lumia
ikkuna ikkunan ikkunaa ikkunassa ikkunat ikkunoiden ikkunoita
luokka luokan luokkaa luokassa luokat luokkien luokkia
talous talouden taloutta taloudessa taloudet talouksien talouksia
historia historian historiaa historiassa historiat historioiden historioita
vika vian vikaa viassa viat vikojen vikoja
häkki häkin häkkiä häkissä häkit häkkien häkkejä
nahka nahan nahkaa nahassa nahat nahkojen nahkoja
sika sian sikaa siassa siat sikojen sikoja
lappi lapin lappia lapissa lapit lappien lappeja
paikka paikan paikkaa paikassa paikat paikkojen paikkoja
oppi opin oppia opissa opit oppien oppeja
haitta haitan haittaa haitassa haitat
huolto huollon huoltoa huollossa
turve turpeen turvetta
tärkeä tärkeän tärkeää tärkeät tärkeitä
musta mustan mustaa mustat mustia
lämmin lämpimän lämmintä lämpimät lämpimiä
tuki tuen tukea tuessa tuet tukien tukia
ruoka ruoan ruuan ruokaa ruoat
pää pään päätä päässä päiden
verkkokauppa verkkokaupan verkkokaupat
kehitysmaa kehitysmaat kehitysmaiden kehitysmaissa
päätöksenteko päätöksenteon
seinäjoki seinäjoen
"""
SWEDISH = """
bok boken böcker böckerna böckers bokens
man mannen män männen männens
rot roten rötter rötterna
fot foten fötter fötterna
bror brodern bröder bröderna
moder modern mödrar mödrarna
dotter dottern döttrar döttrarna
syster systern systrar systrarna
öga ögat ögon ögonen
öra örat öron öronen
ung unga ungt yngre yngst yngsta
gammal gamla gammalt äldre äldst äldsta
stor stora stort större störst största
lång långa långt längre längst längsta
liten litet lilla små mindre minst minsta
hög höga högt högre högst högsta
tung tunga tungt tyngre tyngst
grov grova grovt grövre
dålig dåliga dåligt sämre sämst
vatten vattnet vattnets vattnen
tecken tecknet tecknen
vapen vapnet vapnen
cirkel cirkeln cirklar cirklarna
artikel artikeln artiklar artiklarna
regel regeln regler reglerna
fågel fågeln fåglar fåglarna
nyckel nyckeln nycklar
exempel exemplet exemplen
medel medlet medlen
kapitel kapitlet kapitlen
fönster fönstret fönstren
nummer numret numren
vinter vintern vintrar
sommar sommaren somrar somrarna
finger fingret fingrar fingrarna
teater teatern teatrar
mönster mönstret mönstren
register registret registren
ålder åldern åldrar
lager lagret lagren
center centret centren
museum museet museer museerna
centrum centret centra
gymnasium gymnasiet gymnasier
kriterium kriteriet kriterier
laboratorium laboratoriet laboratorier
handbok handboken handböcker handböckerna
lärobok läroboken läroböcker läroböckerna
huvudstad huvudstaden huvudstäder
grundvatten grundvattnet grundvattnets
förälder föräldern föräldrar föräldrarna
ny nya nytt nyare
enkel enkelt enkla
dubbel dubbelt dubbla
vacker vackert vackra
säker säkert säkra
mogen moget mogna
öppen öppet öppna
egen eget egna
blå blått blåa
röd rött röda
vit vitt vita
morgon morgonen morgnar
botten bottnen bottnar
ämne ämnet ämnen
yrke yrket yrken
program programmet programmen
rum rummet rummen
hem hemmet hemmen
vän vännen vänner
mus möss
gås gäss
god gott
byggnad byggnader byggnaden
"""
ENGLISH = """
thesis theses
hypothesis hypotheses
crisis crises
synthesis syntheses
basis bases
axis axes
diagnosis diagnoses
prognosis prognoses
parenthesis parentheses
oasis oases
emphasis emphases
synopsis synopses
metamorphosis metamorphoses
prosthesis prostheses
criterion criteria
phenomenon phenomena
automaton automata
polyhedron polyhedra
mitochondrion mitochondria
ganglion ganglia
life lives
leaf leaves
wife wives
knife knives
wolf wolves
half halves
shelf shelves
self selves
calf calves
loaf loaves
thief thieves
elf elves
scarf scarves
hoof hooves
wharf wharves
man men
foot feet
tooth teeth
goose geese
mouse mice
louse lice
index indices indexes
matrix matrices
vertex vertices
vortex vortices
appendix appendices
codex codices
apex apices
cortex cortices
helix helices
bacterium bacteria
curriculum curricula
datum data
stimulus stimuli
nucleus nuclei
radius radii
fungus fungi
focus foci
locus loci
alumnus alumni
cactus cacti
syllabus syllabi
terminus termini
genus genera
corpus corpora
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
schema schemata
stigma stigmata
policeman policemen
chairman chairmen
fisherman fishermen
craftsman craftsmen
housewife housewives
midwife midwives
bookshelf bookshelves
colour color colours colors coloured
behaviour behavior behaviours behavioral behavioural
labour labor
favour favor
honour honor
harbour harbor
humour humor
rumour rumor
tumour tumor
vapour vapor
flavour flavor
armour armor
savour savor
vigour vigor
endeavour endeavor
centre center centres centers
theatre theater theatres
fibre fiber fibres
metre meter metres
litre liter litres
organisation organization organisations organizations organise organize
globalisation globalization
realise realize realised realized
recognise recognize recognised
optimisation optimization
urbanisation urbanization
analyse analyze analysed analyzed analysing
catalyse catalyze
paralyse paralyze
defence defense
licence license
offence offense
practice practise
catalogue catalog
dialogue dialog
programme program programmes
grey gray
plough plow
aluminium aluminum
archaeology archeology
paediatric pediatric
encyclopaedia encyclopedia
anaemia anemia
oestrogen estrogen
foetus fetus
anaesthesia anesthesia
haemoglobin hemoglobin
orthopaedic orthopedic
gynaecology gynecology
judgement judgment
skilful skillful
mould mold
write wrote written writing
teach taught
sulphur sulfur
woman women
child children
grandchild grandchildren
neighbourhood neighborhood
bus buses
"""
FAMILIES = [
    (language, line)
    for language, text in (("fi", FINNISH), ("sv", SWEDISH), ("en", ENGLISH))
    for line in text.strip().splitlines()
]
APART = [
    ("fi", "kauppa kaupunki"),
    ("fi", "kukka kukko"),
    ("fi", "luku lupa"),
    ("fi", "arvo arpa"),
    ("fi", "kuva kupu"),
    ("fi", "pää paita"),
    ("fi", "alku alusta"),
    ("fi", "teko teosta"),
    ("fi", "omaista maa"),
    ("fi", "kuu kuin"),
    ("fi", "tie tein"),
    ("sv", "lag lägre"),
    ("sv", "vagnen vägen"),
    ("sv", "barnet baren"),
    ("sv", "saknar saken"),
    ("sv", "bock bok"),
    ("sv", "mor modern"),
    ("sv", "genre gen"),
    ("en", "leaf leave"),
    ("en", "life live"),
    ("en", "organ organisation"),
    ("en", "media medium"),
    ("en", "person people"),
    ("en", "specimen man"),
    ("en", "size sis"),
    ("en", "prize prise"),
    # Of any of the three, where nobody says which.
    (None, "care career"),
    (None, "line linear"),
    (None, "even event"),
    (None, "oven open"),
    (None, "premier premium"),
    (None, "pet petit"),
    (None, "angel anglers"),
    (None, "by byar"),
]


@pytest.mark.parametrize(("language", "line"), FAMILIES, ids=[line for _, line in FAMILIES])
def test_a_word_is_found_by_its_base_form_and_finds_it(language: str, line: str) -> None:
    base, *forms = line.split()
    assert [
        form for form in forms if not _finds(base, form, language) or not _finds(form, base, language)
    ] == []


@pytest.mark.parametrize(("language", "line"), FAMILIES, ids=[line for _, line in FAMILIES])
def test_it_is_found_and_marked_where_nobody_says_which_language_it_is(language: str, line: str) -> None:
    base, *forms = line.split()
    for one, other in [pair for form in forms for pair in ((base, form), (form, base))]:
        if other not in _english_words():  # "modern" may be the Swedish mother, and seldom is
            assert _finds(one, other, None)
        assert highlights(other, Word(one), field="title", language=language) == [(0, len(other))]


@pytest.mark.parametrize(("language", "line"), APART, ids=[line for _, line in APART])
def test_words_that_are_not_one_are_told_apart(language: str | None, line: str) -> None:
    one, other = line.split()
    assert not _finds(one, other, language)
    assert not _finds(other, one, language)


def test_a_form_of_two_words_finds_both() -> None:
    assert _finds("leaves", "leaf", "en")
    assert _finds("leaves", "leave", "en")
    assert _finds("bases", "basis", "en")
    assert _finds("bases", "base", "en")


@pytest.mark.parametrize("letter", "efs")
def test_a_longer_word_that_ends_in_a_form_ends_in_its_word(letter: str) -> None:
    ends = _LISTS[letter].ends
    assert ends
    assert {form: irregular_base_forms(f"xy{form}", letter) for form in ends} == {
        form: (f"xy{base}",) for form, base in ends.items()
    }


def test_a_word_of_two_letters_has_a_stem_if_it_has_forms() -> None:
    assert stem_words("yö", "fi") == ["fyo"]
    assert stem_words("yö", "sv") == []
    assert set(query_stems("yö")) == {"fyo"}


def test_forms_that_begin_with_another_letter_are_known() -> None:
    assert {"yngre", "aldre", "oita", "oestrogen"} <= STRAYS
    assert initials_of("yngre") >= {"u", "y"}
    assert highlights("Äldre", Word("gamla"), field="title", language="sv") == [(0, 5)]
    assert highlights("Unga", Word("yngre"), field="title", language="sv") == [(0, 4)]


def _finds(word: str, text: str, language: str | None) -> bool:
    return matches(Word(word), Document(titles=(Text(text, language),)))
