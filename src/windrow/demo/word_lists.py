"""What the theses are about, who writes them, and where they are done; `theses` draws from these lists."""

from __future__ import annotations

from typing import NamedTuple

from windrow.demo.programmes import Field


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

# Free words beside the topic, the same in each language's place.
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
