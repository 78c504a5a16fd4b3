"""The sentences that titles and abstracts are made of, in three languages; `theses` fills them in.

In the phrases `{n}` is the topic, `{N}` the same with a capital, `{g}` and `{G}` its Finnish genitive,
`{o}` where the thesis was done, `{a}` and `{b}` numbers. A few titles are as untidy as real ones:
ampersands, markup in plain text, quotation marks of three kinds, characters beyond the first plane.
"""

from __future__ import annotations

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

# The opening is always there, four to six sentences follow. Sentence i says the same in each language.
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
