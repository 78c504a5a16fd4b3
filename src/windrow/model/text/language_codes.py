"""ISO 639 language codes from the many ways in which records, `xml:lang` and queries name a language."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from windrow.model.text.folding import fold

LONGEST_LANGUAGE_CHARACTERS = 400
MOST_WORDS = 6  # a longer text is prose, which contains many two-letter words that are also codes

# code, ISO 639-2 codes (terminological, then bibliographic), names: English first, then in the languages of
# repositories.
_TABLE = """
aa aar Afar
ab abk Abkhazian Abkhaz
ae ave Avestan
af afr Afrikaans
ak aka Akan
am amh Amharic
an arg Aragonese
ar ara Arabic العربية arabe arabia arabiska Arabisch árabe
as asm Assamese
av ava Avaric
ay aym Aymara
az aze Azerbaijani Azeri
ba bak Bashkir
be bel Belarusian Byelorussian valkovenäjä vitryska
bg bul Bulgarian български bulgaria bulgariska
bi bis Bislama
bm bam Bambara
bn ben Bengali Bangla
bo bod tib Tibetan
br bre Breton
bs bos Bosnian bosanski
ca cat Catalan Valencian català katalaani catalán
ce che Chechen
ch cha Chamorro
co cos Corsican
cr cre Cree
cs ces cze Czech čeština česky tšekki tjeckiska Tschechisch
cu chu Church_Slavic Church_Slavonic
cv chv Chuvash
cy cym wel Welsh Cymraeg kymri
da dan Danish dansk tanska danska Dänisch danois
de deu ger German Deutsch saksa tyska allemand alemán tedesco Duits alemão немецкий
dv div Divehi Maldivian
dz dzo Dzongkha
ee ewe Ewe
el ell gre Greek Modern_Greek Ελληνικά kreikka grekiska Griechisch grec
en eng English englanti engelska Englisch anglais inglés inglese Engels inglês engelsk английский 英語
eo epo Esperanto
es spa Spanish Castilian español castellano espanja spanska Spanisch espagnol spagnolo espanhol spansk
et est Estonian eesti viro estniska Estnisch
eu eus baq Basque euskara euskera
fa fas per Persian Farsi persia فارسی
ff ful Fulah Fula
fi fin Finnish suomi finska Finnisch finnois finlandés finsk soome
fj fij Fijian
fo fao Faroese føroyskt
fr fra fre French français ranska franska Französisch francés francese Frans francês fransk французский
fy fry Western_Frisian Frisian Frysk
ga gle Irish Gaeilge
gd gla Scottish_Gaelic Gaelic
gl glg Galician galego gallego
gn grn Guarani
gu guj Gujarati
gv glv Manx
ha hau Hausa
he heb Hebrew עברית heprea hebreiska Hebräisch
hi hin Hindi हिन्दी
ho hmo Hiri_Motu
hr hrv Croatian hrvatski kroatia kroatiska
ht hat Haitian Haitian_Creole
hu hun Hungarian magyar unkari ungerska Ungarisch
hy hye arm Armenian
hz her Herero
ia ina Interlingua
id ind Indonesian Bahasa_Indonesia indonesia
ie ile Interlingue
ig ibo Igbo
ii iii Sichuan_Yi
ik ipk Inupiaq
io ido Ido
is isl ice Icelandic íslenska islanti isländska
it ita Italian italiano italia italienska Italienisch italien Italiaans
iu iku Inuktitut
ja jpn Japanese 日本語 japani japanska Japanisch japonais
jv jav Javanese
ka kat geo Georgian ქართული
kg kon Kongo
ki kik Kikuyu
kj kua Kuanyama
kk kaz Kazakh қазақ
kl kal Kalaallisut Greenlandic
km khm Khmer Central_Khmer
kn kan Kannada
ko kor Korean 한국어 korea koreanska
kr kau Kanuri
ks kas Kashmiri
ku kur Kurdish
kv kom Komi
kw cor Cornish
ky kir Kirghiz Kyrgyz
la lat Latin Latina latín Latein
lb ltz Luxembourgish
lg lug Ganda Luganda
li lim Limburgish Limburgan
ln lin Lingala
lo lao Lao
lt lit Lithuanian lietuvių liettua litauiska
lu lub Luba-Katanga
lv lav Latvian latviešu latvia lettiska
mg mlg Malagasy
mh mah Marshallese
mi mri mao Maori Māori
mk mkd mac Macedonian македонски
ml mal Malayalam
mn mon Mongolian
mr mar Marathi
ms msa may Malay Bahasa_Melayu
mt mlt Maltese Malti
my mya bur Burmese
na nau Nauru
nb nob Norwegian_Bokmål Bokmål bokmal
nd nde North_Ndebele
ne nep Nepali
ng ndo Ndonga
nl nld dut Dutch Flemish Nederlands hollanti nederländska holländska Niederländisch néerlandais neerlandés
nn nno Norwegian_Nynorsk Nynorsk
no nor Norwegian norsk norja norska Norwegisch norvégien
nr nbl South_Ndebele
nv nav Navajo
ny nya Chichewa Nyanja
oc oci Occitan Occitan_post_1500 Provençal
oj oji Ojibwa
om orm Oromo
or ori Oriya Odia
os oss Ossetian Ossetic
pa pan Punjabi Panjabi
pi pli Pali
pl pol Polish polski puola polska Polnisch polonais język_polski
ps pus Pashto Pushto
pt por Portuguese português portugali portugisiska Portugiesisch portugués portugais portoghese
qu que Quechua
rm roh Romansh
rn run Rundi
ro ron rum Romanian Moldavian Moldovan română romania rumänska
ru rus Russian русский venäjä ryska Russisch russe ruso russo russisk ruština русский_язык
rw kin Kinyarwanda
sa san Sanskrit
sc srd Sardinian
sd snd Sindhi
se sme Northern_Sami North_Sami davvisámegiella pohjoissaame nordsamiska
sg sag Sango
si sin Sinhala Sinhalese
sk slk slo Slovak slovenčina slovakki slovakiska
sl slv Slovenian Slovene slovenščina sloveeni slovenski
sm smo Samoan
sn sna Shona
so som Somali
sq sqi alb Albanian shqip
sr srp Serbian српски srpski serbia
ss ssw Swati
st sot Southern_Sotho Sotho Sesotho
su sun Sundanese
sv swe Swedish svenska ruotsi Schwedisch suédois sueco svensk rootsi
sw swa Swahili Kiswahili
ta tam Tamil
te tel Telugu
tg tgk Tajik
th tha Thai ไทย
ti tir Tigrinya
tk tuk Turkmen
tl tgl Tagalog Filipino
tn tsn Tswana Setswana
to ton Tonga Tongan
tr tur Turkish Türkçe turkki turkiska Türkisch turc
ts tso Tsonga
tt tat Tatar
tw twi Twi
ty tah Tahitian
ug uig Uighur Uyghur
uk ukr Ukrainian українська ukraina ukrainska
ur urd Urdu
uz uzb Uzbek
ve ven Venda
vi vie Vietnamese tiếng_Việt
vo vol Volapük
wa wln Walloon
wo wol Wolof
xh xho Xhosa isiXhosa
yi yid Yiddish jiddiš jiddisch
yo yor Yoruba
za zha Zhuang
zh zho chi Chinese Mandarin Mandarin_Chinese 中文 汉语 kiina kinesiska Chinesisch chinois chino
zu zul Zulu isiZulu
ang ang Old_English Anglo-Saxon
arc arc Aramaic
ase ase American_Sign_Language
chr chr Cherokee
cop cop Coptic
dsb dsb Lower_Sorbian
dum dum Middle_Dutch
egy egy Egyptian
enm enm Middle_English
fil fil Pilipino
frm frm Middle_French
fro fro Old_French
frr frr Northern_Frisian
gmh gmh Middle_High_German
goh goh Old_High_German
grc grc Ancient_Greek
gsw gsw Swiss_German Alemannic
haw haw Hawaiian
hsb hsb Upper_Sorbian
krl krl Karelian karjala
nds nds Low_German Plattdeutsch
non non Old_Norse
rom rom Romany Romani
sco sco Scots
sma sma Southern_Sami eteläsaame
smj smj Lule_Sami luulajansaame
smn smn Inari_Sami inarinsaame
sms sms Skolt_Sami koltansaame
syc syc Classical_Syriac
syr syr Syriac
xno xno Anglo-Norman
"""

# The other three-letter codes of ISO 639-2 for single languages, which have no two-letter one.
_PLAIN_CODES = """
ace ach ada ady afh ain akk ale alt anp arn arp arw ast awa bal ban bas bej bem bho bik bin bla bra bua
bug byn cad car ceb chb chg chk chm chn cho chp chy cnr crh csb dak dar del den dgr din doi dua dyu efi
eka elx ewo fan fat fon frs fur gaa gay gba gez gil gon gor got grb gwi hai hil hit hmn hup iba ilo inh
jbo jpr jrb kaa kab kac kam kaw kbd kha kho kmb kok kos kpe krc kru kum kut lad lah lam lez lol loz lua
lui lun luo lus mad mag mai mak man mas mdf mdr men mga mic min mnc mni moh mos mus mwl mwr myv nap new
nia niu nog nqo nso nwc nym nyn nyo nzi osa ota pag pal pam pap pau peo phn pon pro raj rap rar rup sad
sah sam sas sat scn sel sga shn sid snk sog srn srr suk sus sux tem ter tet tig tiv tkl tlh tli tmh tog
tpi tsi tum tvl tyv udm uga umb vai vep vot wal war was xal yao yap zap zen zun zza
"""

# Country codes and withdrawn codes that repositories use as language codes.
_MISTAKES = {"cn": "zh", "jp": "ja", "cz": "cs", "dk": "da", "ua": "uk", "iw": "he", "in": "id", "ji": "yi"}
# Codes that MARC has withdrawn, still in many records.
_MISTAKES |= {"scc": "sr", "scr": "hr", "esp": "eo", "gae": "gd", "gag": "gl", "gua": "gn", "iri": "ga"}
_MISTAKES |= {"mol": "ro", "tag": "tl", "taj": "tg", "tsw": "tn", "fri": "fy", "cam": "km", "mla": "mg"}

_SEPARATOR = re.compile(r"[;,/|]")
_ASIDE = re.compile(r"[(\[（]([^()\[\]（）]*)[)\]）]")
_JOINING_WORDS = frozenset(("and", "&", "+", "und", "et", "y", "ja", "och", "og", "e", "en", "with"))
_LABELLED = re.compile(r"([a-z]{2,3})=([^|]*)")


def language_codes(text: str) -> tuple[str, ...]:
    """Return the ISO 639 codes in a text, two-letter ones if possible; () for none or "undetermined"."""
    code = _codes().get(text)
    return (code,) if code is not None else _search(text[:LONGEST_LANGUAGE_CHARACTERS])


def language_spellings(text: str) -> tuple[str, ...]:
    """Return the spellings of a language that documents may have: as written, folded, or as its code."""
    return tuple(dict.fromkeys((fold(text), *language_codes(text))))


def labels_by_language(text: str) -> dict[str, str]:
    """Return the wordings of a multilingual text by language; {} for any other text.

    Finnish DSpace repositories write `fi=Opinnäytetyö|sv=Examensarbete|en=Thesis|`.
    """
    if "=" not in text[2:4]:
        return {}
    found: dict[str, str] = {}
    for part in text.split("|"):
        match = _LABELLED.fullmatch(part.strip())
        if match is None and part.strip():
            return {}
        if match is not None and match[2].strip():
            found.setdefault(match[1], match[2].strip())
    return found


@cache
def _codes() -> dict[str, str]:
    spellings = {code: code for code in _PLAIN_CODES.split()} | _MISTAKES
    for row in _TABLE.strip().splitlines():
        code, *others = row.split()
        spellings[code] = code
        for other in others:
            spellings.setdefault(other.replace("_", " ").casefold(), code)
    return spellings


@lru_cache(maxsize=2048)
def _search(text: str) -> tuple[str, ...]:
    text = text.strip()
    if text[:4].casefold() == "http":
        return _code_in_address(text)
    whole = _lookup(text)
    if whole is not None:
        return (whole,)
    wordings = labels_by_language(text)
    parts = wordings.values() if wordings else _SEPARATOR.split(text)
    return tuple(dict.fromkeys(code for part in parts for code in _codes_in_part(part)))


def _lookup(text: str) -> str | None:
    folded = text.strip(" .:\"'").casefold()
    codes = _codes()
    found = codes.get(folded)
    if found is not None:
        return found
    primary = re.split(r"[-_]", folded, maxsplit=1)[0]  # "en-GB", "sv_FI", "zh-Hant"
    is_tag = len(primary) in (2, 3) and primary != folded and " " not in folded
    return codes.get(primary) if is_tag else None


def _codes_in_part(part: str) -> tuple[str, ...]:
    whole = _lookup(part)
    if whole is not None:
        return (whole,)
    bare = _lookup(_ASIDE.sub(" ", part))
    if bare is not None:
        return (bare,)
    asides = [code for aside in _ASIDE.findall(part) if (code := _lookup(aside))]
    return tuple(asides) if asides else _codes_in_words(part)


def _codes_in_words(part: str) -> tuple[str, ...]:
    """Return the codes in "English and German" or "en fr"; () if any word is not a language."""
    words = part.split()
    if not 1 < len(words) <= MOST_WORDS:
        return ()
    if len(words[0]) > 3:  # in "fi ja sv" the middle word is Japanese, in "suomi ja ruotsi" it is "and"
        words = [
            words[0],
            *(word for word in words[1:-1] if word.casefold() not in _JOINING_WORDS),
            words[-1],
        ]
    codes = [_lookup(word) for word in words]
    return tuple(code for code in codes if code) if all(codes) else ()


def _code_in_address(address: str) -> tuple[str, ...]:
    """Return the code at the end of a vocabulary's URI: lexvo.org/id/iso639-3/eng, …/language/ENG."""
    last = address.rstrip("/#").rsplit("/", 1)[-1].casefold()
    code = _codes().get(last)
    if code is None and "iso639" in address and re.fullmatch("[a-z]{3}", last):
        code = last
    return (code,) if code else ()


@cache
def bibliographic_code(code: str) -> str:
    """Return the ISO 639-2/B code of a language, as in MARC 21: `ger` for `de`; "" if there is none."""
    if len(code) == 3 and code.isascii() and code.isalpha():
        return code.lower()
    return _bibliographic().get(code.lower(), "")


@cache
def _bibliographic() -> dict[str, str]:
    found: dict[str, str] = {}
    for row in _TABLE.strip().splitlines():
        code, *others = row.split()
        codes = [other for other in others[:2] if len(other) == 3 and other.isascii() and other.islower()]
        if codes:
            found[code] = codes[-1]
    return found
