"""Topics, names, workplaces and phrases of the theses; `theses` draws from these lists."""

from __future__ import annotations

from typing import NamedTuple

from windrow.demo.universities import Field


class Topic(NamedTuple):
    """A subject of study; the genitive is for Finnish titles."""

    fi: str
    fi_genitive: str
    sv: str
    en: str


class Workplace(NamedTuple):
    """Where a thesis is done, after the name of a place: '… terveysasemalla', 'vid … hälsostation'."""

    fi: str
    sv: str
    en: str


TOPICS: dict[Field, tuple[Topic, ...]] = {
    Field.HEALTH: (
        Topic("perehdytys", "perehdytyksen", "introduktion", "orientation of new staff"),
        Topic("lääkehoito", "lääkehoidon", "läkemedelsbehandling", "medication safety"),
        Topic("kivunhoito", "kivunhoidon", "smärtlindring", "pain management"),
        Topic("potilasohjaus", "potilasohjauksen", "patienthandledning", "patient counselling"),
        Topic("käsihygienia", "käsihygienian", "handhygien", "hand hygiene"),
        Topic("imetysohjaus", "imetysohjauksen", "amningshandledning", "breastfeeding support"),
        Topic("saattohoito", "saattohoidon", "vård i livets slut", "palliative care"),
        Topic("etävastaanotto", "etävastaanoton", "distansmottagning", "remote consultation"),
        Topic("kaatumisten ehkäisy", "kaatumisten ehkäisyn", "fallprevention", "fall prevention"),
        Topic("muistisairaus", "muistisairauden", "minnessjukdom", "memory disorders"),
    ),
    Field.SOCIAL: (
        Topic("lastensuojelu", "lastensuojelun", "barnskydd", "child welfare"),
        Topic("osallisuus", "osallisuuden", "delaktighet", "social inclusion"),
        Topic("vertaistuki", "vertaistuen", "kamratstöd", "peer support"),
        Topic("kotoutuminen", "kotoutumisen", "integration", "integration of immigrants"),
        Topic("päihdetyö", "päihdetyön", "missbrukarvård", "substance abuse work"),
        Topic("ulkoleikki", "ulkoleikin", "utelek", "outdoor play"),
        Topic("etsivä nuorisotyö", "etsivän nuorisotyön", "uppsökande ungdomsarbete", "outreach youth work"),
        Topic("perhetyö", "perhetyön", "familjearbete", "family work"),
    ),
    Field.BUSINESS: (
        Topic("asiakastyytyväisyys", "asiakastyytyväisyyden", "kundnöjdhet", "customer satisfaction"),
        Topic(
            "sähköinen taloushallinto", "sähköisen taloushallinnon", "elektronisk redovisning", "e-invoicing"
        ),
        Topic("verkkokauppa", "verkkokaupan", "nätbutik", "online retail"),
        Topic("työnantajakuva", "työnantajakuvan", "arbetsgivarbild", "employer branding"),
        Topic("sosiaalinen media", "sosiaalisen median", "sociala medier", "social media marketing"),
        Topic("varastonhallinta", "varastonhallinnan", "lagerhantering", "inventory management"),
        Topic("liiketoimintasuunnitelma", "liiketoimintasuunnitelman", "affärsplan", "business planning"),
        Topic("sukupolvenvaihdos", "sukupolvenvaihdoksen", "generationsväxling", "business succession"),
        Topic("työhyvinvointi", "työhyvinvoinnin", "arbetshälsa", "well-being at work"),
    ),
    Field.COMPUTING: (
        Topic("koneoppiminen", "koneoppimisen", "maskininlärning", "machine learning"),
        Topic("tietoturva", "tietoturvan", "informationssäkerhet", "information security"),
        Topic("pilvipalvelu", "pilvipalvelun", "molntjänst", "cloud services"),
        Topic("käyttöliittymä", "käyttöliittymän", "användargränssnitt", "user interfaces"),
        Topic("testausautomaatio", "testausautomaation", "testautomatisering", "test automation"),
        Topic("saavutettavuus", "saavutettavuuden", "tillgänglighet", "web accessibility"),
        Topic("avoin data", "avoimen datan", "öppna data", "open data"),
        Topic("mobiilisovellus", "mobiilisovelluksen", "mobilapplikation", "mobile applications"),
        Topic("esineiden internet", "esineiden internetin", "sakernas internet", "the Internet of Things"),
    ),
    Field.ENGINEERING: (
        Topic("kunnossapito", "kunnossapidon", "underhåll", "maintenance"),
        Topic("energiatehokkuus", "energiatehokkuuden", "energieffektivitet", "energy efficiency"),
        Topic("lämmöntalteenotto", "lämmöntalteenoton", "värmeåtervinning", "heat recovery"),
        Topic(
            "tietomallinnus", "tietomallinnuksen", "informationsmodellering", "building information models"
        ),
        Topic("hitsaus", "hitsauksen", "svetsning", "welding"),
        Topic("aurinkosähkö", "aurinkosähkön", "solel", "solar power"),
        Topic("työturvallisuus", "työturvallisuuden", "arbetarskydd", "occupational safety"),
        Topic("betonin kosteusmittaus", "betonin kosteusmittauksen", "fuktmätning", "moisture measurement"),
        Topic("robottisolu", "robottisolun", "robotcell", "robot cells"),
        Topic("jätevesi", "jäteveden", "avloppsvatten", "waste water"),
    ),
    Field.CULTURE: (
        Topic("palvelumuotoilu", "palvelumuotoilun", "tjänstedesign", "service design"),
        Topic("kuvakäsikirjoitus", "kuvakäsikirjoituksen", "bildmanus", "storyboarding"),
        Topic("yhteislaulu", "yhteislaulun", "allsång", "community singing"),
        Topic("kierrätysmateriaali", "kierrätysmateriaalin", "återvunnet material", "recycled materials"),
        Topic("valokuvanäyttely", "valokuvanäyttelyn", "fotoutställning", "photography exhibitions"),
        Topic("äänisuunnittelu", "äänisuunnittelun", "ljuddesign", "sound design"),
        Topic("tapahtumatuotanto", "tapahtumatuotannon", "evenemangsproduktion", "event production"),
    ),
    Field.HOSPITALITY: (
        Topic("luontomatkailu", "luontomatkailun", "naturturism", "nature tourism"),
        Topic("ruokahävikki", "ruokahävikin", "matsvinn", "food waste"),
        Topic("lähiruoka", "lähiruoan", "närmat", "local food"),
        Topic("talvimatkailu", "talvimatkailun", "vinterturism", "winter tourism"),
        Topic("kuntosaliharjoittelu", "kuntosaliharjoittelun", "styrketräning", "strength training"),
        Topic("seuratoiminta", "seuratoiminnan", "föreningsverksamhet", "sports club activities"),
    ),
    Field.NATURE: (
        Topic("taimikonhoito", "taimikonhoidon", "plantskogsvård", "young stand management"),
        Topic("suon ennallistaminen", "suon ennallistamisen", "återställning av myr", "mire restoration"),
        Topic("nurmiviljely", "nurmiviljelyn", "vallodling", "grass cultivation"),
        Topic("luomutuotanto", "luomutuotannon", "ekologisk produktion", "organic production"),
        Topic("kasvihuonetuotanto", "kasvihuonetuotannon", "växthusodling", "greenhouse growing"),
        Topic("vesistökunnostus", "vesistökunnostuksen", "restaurering av vattendrag", "lake restoration"),
        Topic("eläinten hyvinvointi", "eläinten hyvinvoinnin", "djurvälfärd", "animal welfare"),
    ),
}

WORKPLACES: dict[Field, tuple[Workplace, ...]] = {
    Field.HEALTH: (
        Workplace("terveysasemalla", "hälsostation", "Health Centre"),
        Workplace("keskussairaalassa", "centralsjukhus", "Central Hospital"),
        Workplace("hoivakodissa", "vårdhem", "Nursing Home"),
        Workplace("neuvolassa", "rådgivningsbyrå", "Family Clinic"),
    ),
    Field.SOCIAL: (
        Workplace("päiväkodissa", "daghem", "Day Nursery"),
        Workplace("nuorisotalolla", "ungdomsgård", "Youth Centre"),
        Workplace("kaupungissa", "stad", "City"),
        Workplace("perhekeskuksessa", "familjecenter", "Family Centre"),
    ),
    Field.BUSINESS: (
        Workplace("osuuskaupassa", "handelslag", "Cooperative"),
        Workplace("tilitoimistossa", "bokföringsbyrå", "Accounting Office"),
        Workplace("tukkuliikkeessä", "partiaffär", "Wholesale"),
        Workplace("kauppakeskuksessa", "köpcenter", "Shopping Centre"),
    ),
    Field.COMPUTING: (
        Workplace("ohjelmistotalossa", "programvaruhus", "Software House"),
        Workplace("kirjastossa", "bibliotek", "Library"),
        Workplace("kaupungissa", "stad", "City"),
        Workplace("konesalissa", "datacenter", "Data Centre"),
    ),
    Field.ENGINEERING: (
        Workplace("konepajassa", "verkstad", "Engineering Works"),
        Workplace("energiayhtiössä", "energibolag", "Energy Company"),
        Workplace("sahalla", "såg", "Sawmill"),
        Workplace("satamassa", "hamn", "Harbour"),
    ),
    Field.CULTURE: (
        Workplace("taidemuseossa", "konstmuseum", "Art Museum"),
        Workplace("teatterissa", "teater", "Theatre"),
        Workplace("musiikkiopistossa", "musikinstitut", "Music School"),
        Workplace("kirjastossa", "bibliotek", "Library"),
    ),
    Field.HOSPITALITY: (
        Workplace("matkailukeskuksessa", "turistcenter", "Tourist Centre"),
        Workplace("hotellissa", "hotell", "Hotel"),
        Workplace("urheiluseurassa", "idrottsförening", "Sports Club"),
    ),
    Field.NATURE: (
        Workplace("metsänhoitoyhdistyksessä", "skogsvårdsförening", "Forestry Association"),
        Workplace("maatilalla", "gård", "Farm"),
        Workplace("taimitarhalla", "plantskola", "Nursery Garden"),
        Workplace("kalastuskunnassa", "fiskelag", "Fishing Association"),
    ),
}

# Keywords besides the topic, with the same meaning at the same position in each language.
KEYWORDS: tuple[tuple[str, str, str], ...] = (
    ("kyselytutkimus", "enkätundersökning", "survey"),
    ("haastattelu", "intervju", "interviews"),
    ("kehittäminen", "utveckling", "development"),
    ("laatu", "kvalitet", "quality"),
    ("toiminnallinen opinnäytetyö", "funktionellt examensarbete", "practice-based thesis"),
    ("kirjallisuuskatsaus", "litteraturstudie", "literature review"),
    ("kestävä kehitys", "hållbar utveckling", "sustainable development"),
    ("digitalisaatio", "digitalisering", "digitalisation"),
    ("asiakaslähtöisyys", "kundorientering", "customer orientation"),
    ("ohjeet", "anvisningar", "guidelines"),
    ("prosessit", "processer", "processes"),
    ("osaaminen", "kompetens", "competence"),
    ("viestintä", "kommunikation", "communication"),
    ("kustannukset", "kostnader", "costs"),
    ("R&D", "FoU", "R&D"),
    ("arviointi", "utvärdering", "evaluation"),
)

GIVEN_NAMES: tuple[str, ...] = (
    *("Aino", "Eero", "Helmi", "Väinö", "Sofia", "Onni", "Aada", "Leo", "Lumi", "Toivo", "Päivi", "Jyrki"),
    *("Åsa", "Björn", "Märta", "Göran", "Linnéa", "Östen", "Anna-Maija", "Juha-Pekka", "Kaisu", "Tapio"),
    *("Siiri", "Mikko", "Riikka", "Antti", "Hanna", "Ville", "Eeva", "Olli", "Minh Anh", "José", "Zofia"),
    *("Oksana", "Ravi", "Chloé", "Søren", "Jürgen", "İpek", "Dương"),
)
FAMILY_NAMES: tuple[str, ...] = (
    *("Korhonen", "Virtanen", "Mäkinen", "Nieminen", "Hämäläinen", "Järvinen", "Lehtonen", "Saarinen"),
    *("Heikkilä", "Kärkkäinen", "Öhman", "Åkerlund", "Sjöström", "Lindqvist", "Nyström", "Björklund"),
    *("Rantanen", "Salonen", "Kettunen", "Pöyhönen", "Räsänen", "Väisänen", "Yli-Kyyny", "af Björksten"),
    *("Nguyễn", "Żółtowska", "O'Brien", "Müller", "Čapková", "García Núñez", "Петренко", "王", "Demirtaş"),
    *("Laaksonen", "Karjalainen", "Peltola", "Hyvönen", "Ruohonen", "Sillanpää", "Tähkävuori"),
)

# The phrases of titles and abstracts, in three languages. `{n}` is the topic, `{N}` the same with a
# capital, `{g}` and `{G}` its Finnish genitive, `{o}` the place of work, `{a}` and `{b}` numbers. A few
# titles are as untidy as real ones: ampersands, markup in plain text, quotation marks of three kinds,
# characters beyond the Basic Multilingual Plane.

TITLES: dict[str, tuple[str, ...]] = {
    "fi": (
        "{G} kehittäminen {o}",
        "{N} {o}",
        "{G} nykytila {o} : kyselytutkimus henkilöstölle",
        "Opas {g} tueksi {o}",
        "Kokemuksia {g} käyttöönotosta {o}",
        "{G} merkitys arjen työssä : kuvaileva kirjallisuuskatsaus",
        "”{N} on meidän kaikkien asia” : näkemyksiä {o}",
        "{N} & laatu : mittareita {o}",
        "{G} suunnitelma vuosille 20{a}–20{b}",
        "Miten {n} toteutuu {o}?",
        "{G} mallinnus <i>in situ</i> {o}",
        "{N} 🌲 {o}",
    ),
    "sv": (
        "Utveckling av {n} {o}",
        "{N} {o}",
        "{N} {o} – en enkätstudie bland personalen",
        "Handbok för {n} {o}",
        "Erfarenheter av {n} {o}",
        "Betydelsen av {n} i vardagen : en litteraturstudie",
        "”{N} angår oss alla” : synpunkter {o}",
        "{N} & kvalitet : mätare {o}",
        "Plan för {n} 20{a}–20{b}",
        "Hur fungerar {n} {o}?",
        "Modellering av {n} <i>in situ</i> {o}",
        "{N} 🌲 {o}",
    ),
    "en": (
        "Developing {n} {o}",
        "{N} {o} : a case study",
        "The present state of {n} {o} : a survey of the staff",
        "A guide to {n} {o}",
        "Experiences of {n} {o}",
        "The role of {n} in everyday work : a literature review",
        '"{N} is everyone\'s business" : views {o}',
        "{N} & quality : indicators {o}",
        "A plan for {n} from 20{a} to 20{b}",
        "How does {n} work {o}?",
        "Modelling {n} <i>in situ</i> {o}",
        "{N} with 𝑛 < {a} : what small samples tell",
    ),
}

# The opening is always used, followed by four to six sentences. Sentence i has the same meaning in each
# language.
OPENINGS: dict[str, str] = {
    "fi": "Tämän opinnäytetyön aiheena oli {n}, ja se toteutettiin {o}.",
    "sv": "Temat för detta examensarbete var {n}, och arbetet utfördes {o}.",
    "en": "The subject of this thesis was {n}, and the work was carried out {o}.",
}
SENTENCES: dict[str, tuple[str, ...]] = {
    "fi": (
        "Tavoitteena oli selvittää, miten {n} näkyy arjessa ja mitä siinä voisi parantaa.",
        "Aineisto kerättiin verkkokyselyllä, johon vastasi {a} henkilöä (vastausprosentti {b}).",
        "Teoriaosuus perustuu alan kirjallisuuteen, aiempiin tutkimuksiin ja lainsäädäntöön.",
        "Haastatteluja tehtiin {a}, ja ne analysoitiin aineistolähtöisellä sisällönanalyysillä.",
        "Tulosten mukaan suurin osa vastaajista piti nykyistä käytäntöä toimivana mutta hajanaisena.",
        "Mittaukset tehtiin kahdessa jaksossa, ja niiden keskihajonta oli alle {a} %.",
        "Työn tuloksena syntyi ohje, jota toimeksiantaja voi täydentää tarpeen mukaan.",
        "Suurimmat erot löytyivät yksiköiden väliltä: ero oli > {b} % kaikista havainnoista.",
        "Kehittämisehdotukset koskevat tiedonkulkua, vastuita ja koulutusta.",
        "Kustannukset laskivat {a} prosenttia ensimmäisen vuoden aikana.",
    ),
    "sv": (
        "Syftet var att utreda hur {n} syns i vardagen och vad som kunde förbättras.",
        "Materialet samlades in med en webbenkät som besvarades av {a} personer (svarsprocent {b}).",
        "Teoridelen bygger på facklitteratur, tidigare forskning och lagstiftning.",
        "Sammanlagt {a} intervjuer gjordes och analyserades med induktiv innehållsanalys.",
        "Enligt resultaten ansåg de flesta att nuvarande praxis fungerar men är splittrad.",
        "Mätningarna gjordes i två omgångar och standardavvikelsen var under {a} %.",
        "Som resultat uppstod en anvisning som uppdragsgivaren kan komplettera vid behov.",
        "De största skillnaderna fanns mellan enheterna: > {b} % av alla observationer.",
        "Förbättringsförslagen gäller informationsgång, ansvar och utbildning.",
        "Kostnaderna sjönk med {a} procent under det första året.",
    ),
    "en": (
        "The aim was to find out how {n} shows in everyday work and what could be improved in it.",
        "The data were gathered with an online survey answered by {a} people (response rate {b} per cent).",
        "The theoretical part rests on professional literature, earlier studies and legislation.",
        "In all {a} interviews were made and examined with inductive content analysis.",
        "According to the results most respondents found the present practice workable but scattered.",
        "The measurements were made in two periods, with a standard deviation below {a} %.",
        "The outcome was a set of instructions that the commissioner can extend when needed.",
        "The greatest differences were found between units: > {b} % of all observations.",
        "The proposals concern the flow of information, responsibilities and training.",
        "Costs fell by {a} per cent during the first year.",
    ),
}
CORRECTIONS: dict[str, str] = {
    "fi": "Tiivistelmää on korjattu (versio {v}).",
    "sv": "Sammandraget har rättats (version {v}).",
    "en": "The abstract has been corrected (version {v}).",
}
