"""Sentences of many languages in the encodings they were written in: short notes, and longer texts."""

from __future__ import annotations

# Short texts, as file names, notes and cards have them, by language.
SHORT = {
    "sv": (
        "åäö",
        "ÅÄÖåäö",
        "Räksmörgås",
        "Malmö",
        "är",
        "Från Malmö till Göteborg",
        "Hej då, vi ses på lördag!",
        "Äpplen och päron är mogna.",
        "Grönköping, den 3 maj",
    ),
    "fi": ("Hyvää päivää", "Tämä on lyhyt teksti.", "yö", "Jyväskylän yliopisto", "Pöytäkirja 12/1998"),
    "de": ("Grüße aus Köln", "Übung", "Straße", "Die Kühe stehen auf der Weide.", "Müller & Söhne"),
    "fr": (
        "Déjà vu",
        "été",
        "L'été à la ferme",
        "Voici le reçu, garçon.",
        "Où êtes-vous né ?",
        "naïve façade",
    ),
    "es": ("¿Qué tal?", "año", "El niño comió piñas.", "Señor Muñoz", "¡Adiós, corazón!"),
    "pt": ("São Paulo", "Não há pão.", "coração", "A informação está à mão."),
    "da": ("Blåbærgrød", "Rødgrød med fløde", "Æbler på øen", "smørrebrød"),
    "no": ("Blåbærsyltetøy", "Får får får?", "Tromsø", "På øya bor det få."),
    "is": ("Þetta er íslenska.", "Reykjavík", "Góðan daginn"),
    "it": ("Perché no?", "La città è bella.", "caffè"),
    "nl": ("een café", "Hij geeft één voorbeeld.", "reünie"),
    "et": ("Täna on ilus ilm.", "Tõsi küll", "õun"),
    "ca": ("Això és català.", "L'estació"),
    "en": ("café", "a naïve rôle", "It costs £5.", "25 °C", "© 1998 The Museum"),
}
# Punctuation that Windows has and ISO 8859-1 has not.
WINDOWS_ONLY = (
    "He said “no” – and left…",
    "It’s the mill’s barley",
    "Das kostet 5 €",
    "L’été à l’œuvre",
    "„Gut“, sagte sie.",
    "Ref™ • one",
)
DOS = (
    "Från Malmö till Göteborg på lördag",
    "Hyvää päivää, tämä on lyhyt teksti",
    "Grüße aus Köln, die Kühe stehen auf der Weide",
    "Hej då, vi ses på lördag när äpplena är mogna",
)
MAC = (
    "Från Malmö till Göteborg på lördag",
    "Grüße aus Köln, die Kühe stehen auf der Weide",
    "L'été à la ferme, où êtes-vous né ?",
    "Hej då, vi ses på lördag när äpplena är mogna",
)
LONG = {
    ("pl", "iso8859-2 cp1250"): (
        "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni "
        "rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa. Każdy człowiek posiada "
        "wszystkie prawa i wolności bez względu na jakiekolwiek różnice rasy, koloru, płci i języka. "
    ),
    ("cs", "iso8859-2 cp1250"): (
        "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím "
        "a mají spolu jednat v duchu bratrství. Každý má všechna práva a všechny svobody, bez jakéhokoli "
        "rozlišování, zejména podle rasy, barvy, pohlaví, jazyka, náboženství nebo smýšlení. "
    ),
    ("hu", "iso8859-2 cp1250"): (
        "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és "
        "lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek. Mindenki "
        "hivatkozhat a jelen Nyilatkozatban kinyilvánított összes jogokra és szabadságokra. "
    ),
    ("tr", "iso8859-9 cp1254"): (
        "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve "
        "birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Herkes, ırk, renk, cinsiyet, dil, "
        "din, siyasi veya diğer herhangi bir akide farkı gözetilmeksizin bu haklardan yararlanır. "
    ),
    ("ru", "iso8859-5 cp1251 koi8-r cp866"): (
        "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и "
        "совестью и должны поступать в отношении друг друга в духе братства. Каждый человек должен обладать "
        "всеми правами и всеми свободами, провозглашенными настоящей Декларацией. "
    ),
    ("el", "iso8859-7 cp1253"): (
        "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι "
        "προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα "
        "αδελφοσύνης. Κάθε άνθρωπος δικαιούται να επικαλείται όλα τα δικαιώματα και όλες τις ελευθερίες. "
    ),
    ("he", "iso8859-8 cp1255"): (
        "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם "
        "לנהוג איש ברעהו ברוח של אחווה. כל אדם זכאי לזכויות ולחרויות שנקבעו בהכרזה זו ללא הפליה כלשהי. "
    ),
    ("ja", "cp932 euc_jp"): (
        "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と"
        "良心とを授けられており、互いに同胞の精神をもって行動しなければならない。"
    ),
    ("zh", "gb18030 big5hkscs"): (
        "人人生而自由，在尊嚴和權利上一律平等。他們有理性和良心，請以手足關係的精神相對待。人人有資格享受"
        "本宣言所載的一切權利和自由，不分種族、膚色、性別、語言、宗教。"
    ),
    ("ko", "cp949"): (
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 "
        "양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다. 모든 사람은 어떠한 종류의 차별이 "
        "없이 권리를 누린다. "
    ),
    ("sv", "cp1252 cp850 mac_roman"): (
        "Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och "
        "samvete och bör handla gentemot varandra i en anda av broderskap. Var och en är berättigad till "
        "alla de rättigheter och friheter som uttalas i denna förklaring utan åtskillnad av något slag. "
    ),
    ("fr", "cp1252 cp850 mac_roman"): (
        "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison "
        "et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité. "
        "Chacun peut se prévaloir de tous les droits et de toutes les libertés de la Déclaration. "
    ),
}


def short_samples() -> list[tuple[str, str]]:
    """Short texts and the encodings they are in: the ones that people meet."""
    short = [text for texts in SHORT.values() for text in texts]
    western = [(text, codec) for text in short for codec in ("cp1252", "iso8859-1", "utf-8", "utf-16")]
    western += [(text, "cp1252") for text in WINDOWS_ONLY]
    western += [(text, "utf-8-sig") for text in WINDOWS_ONLY]
    return western + [(text, "cp850") for text in DOS] + [(text, "mac_roman") for text in MAC]


def long_samples() -> list[tuple[str, str]]:
    """Texts of some length, by the encodings of their languages."""
    return [(text * 4, codec) for (_, codecs), text in LONG.items() for codec in codecs.split()]
