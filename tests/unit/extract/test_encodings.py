"""Bytes of text become text, in whatever encoding they are."""

from __future__ import annotations

import codecs
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures import shared
from tests.unit.extract.encoding_samples import long_samples, short_samples
from windrow.extract.text_decoding import decode

FRENCH = "Les élèves français étudient à l'école dès la rentrée ; où êtes-vous allés après le dîner ?\n" * 4
POLISH = "Zażółć gęślą jaźń, powiedział źle śpiący mąż, który każdego ranka pił gorącą kawę z mlekiem.\n" * 4
RUSSIAN = "Сегодня утром шёл дождь, и дети остались дома читать книги о дальних странах и морях.\n" * 4
GREEK = "Σήμερα το πρωί έβρεχε και τα παιδιά έμειναν στο σπίτι διαβάζοντας βιβλία για μακρινές χώρες.\n" * 4
JAPANESE = "今日は朝から雨が降っていたので、子供たちは家で遠い国の本を読んでいました。\n" * 4
KOREAN = "오늘 아침에는 비가 와서 아이들은 집에서 먼 나라에 관한 책을 읽었습니다.\n" * 4
CHINESE = "今天早上下雨了，所以孩子们留在家里，看关于遥远国家的书。\n" * 4


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        ("plain\n", "ascii", "US-ASCII"),
        (FRENCH, "utf-8", "UTF-8"),
        (FRENCH, "utf-8-sig", "UTF-8"),
        (FRENCH, "utf-16-le", "UTF-16LE"),
        (FRENCH, "utf-16-be", "UTF-16BE"),
        (FRENCH, "utf-32-le", "UTF-32LE"),
        (FRENCH, "utf-32-be", "UTF-32BE"),
        (FRENCH, "iso8859-1", "ISO-8859-1"),
        (FRENCH.replace("'", "’"), "cp1252", "windows-1252"),
        (POLISH, "iso8859-2", "ISO-8859-2"),
        (POLISH, "cp1250", "windows-1250"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8-r", "KOI8-R"),
        (RUSSIAN, "cp866", "IBM866"),
        (RUSSIAN, "iso8859-5", "ISO-8859-5"),
        (GREEK, "cp1253", "windows-1253"),
        (JAPANESE, "shift_jis", "Shift_JIS"),
        (JAPANESE, "euc_jp", "EUC-JP"),
        (JAPANESE, "iso2022_jp", "ISO-2022-JP"),
        (KOREAN, "euc_kr", "EUC-KR"),
        (KOREAN, "iso2022_kr", "ISO-2022-KR"),
        (KOREAN, "johab", "Johab"),
        (CHINESE, "gb2312", "GB2312"),
        (CHINESE, "hz", "HZ-GB-2312"),
    ],
)
def test_text_that_does_not_say_its_encoding_is_read(text: str, codec: str, name: str) -> None:
    found = decode(text.encode(codec))

    assert found == (text, name, "")


@pytest.mark.parametrize(
    "mark_and_codec", [("utf-16-le", codecs.BOM_UTF16_LE), ("utf-32-be", codecs.BOM_UTF32_BE)]
)
def test_a_mark_at_the_beginning_settles_it(mark_and_codec: tuple[str, bytes]) -> None:
    codec, mark = mark_and_codec

    assert decode(mark + CHINESE.encode(codec)).text == CHINESE


@pytest.mark.parametrize(
    ("head", "codec"),
    [
        ('<meta charset="{}">', "koi8-r"),
        ('<META http-equiv=Content-Type content="text/html; charset={}">', "windows-1255"),
        ('<?xml version="1.0" encoding="{}"?>', "iso-8859-7"),
        ("# -*- coding: {} -*-\n", "cp1257"),
    ],
)
def test_what_a_file_declares_is_believed(head: str, codec: str) -> None:
    word = {"koi8-r": "Да", "windows-1255": "שלום", "iso-8859-7": "Ναι", "cp1257": "Ačiū"}[codec]
    text = head.format(codec) + word

    assert decode(text.encode(codec)).text == text


def test_what_came_with_the_bytes_is_believed() -> None:
    assert decode("Ačiū".encode("cp1257"), declared="windows-1257").text == "Ačiū"


def test_utf_8_that_declares_to_be_latin_is_utf_8() -> None:
    assert decode('<meta charset="iso-8859-1">Grüße'.encode()).text.endswith("Grüße")


def test_an_encoding_that_is_not_for_text_is_not_taken_from_a_file() -> None:
    assert decode(b'<meta charset="zlib"><p>a').text.endswith("<p>a")
    assert decode(b"a", declared="punycode").text == "a"


def test_no_text_has_a_nul_in_it() -> None:
    assert decode(b"a\0b").text == "ab"


def test_a_character_that_the_end_cuts_in_two_does_not_make_it_another_encoding() -> None:
    cut = "Grüße, ü".encode()[:-1]

    assert decode(cut, is_cut=True).encoding == "UTF-8"
    assert decode(cut).encoding != "UTF-8"


@given(st.binary(max_size=300), st.text(max_size=12))
def test_any_bytes_become_text(data: bytes, declared: str) -> None:
    found = decode(data, declared=declared)

    assert "\0" not in found.text
    assert found.encoding


def test_without_the_library_that_guesses_a_note_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['charset_normalizer'] = None\n"
        "from windrow.extract.text_decoding import decode\n"
        "print(decode('caf\\xe9'.encode('latin-1')).text)\n"
        "print(decode(('\\u043c\\u0438\\u0440' * 9).encode('cp1251')))"
    )

    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert "café" in said
    assert "pip install ." in said


CODECS = {"CP949": "cp949", "TIS-620": "cp874", "SHIFT_JIS": "cp932", "UTF-32": "utf-32", "ascii": "ascii"}


def test_real_files_of_known_encodings_are_read_whole() -> None:
    folder = shared("files/chardet__chardet")
    misread = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        stated = path.parent.name
        codec = CODECS.get(stated) or re.sub("-[a-z]{4,}$", "", stated)
        data = path.read_bytes()
        expected = data.decode(codec, "replace").lstrip("\ufeff").replace("\0", "")
        if decode(data).text != expected:
            misread.append(f"{stated}/{path.name}")
    assert misread == []


def test_a_short_text_in_japanese_is_told_from_korean_by_its_hiragana() -> None:
    text = "すべての人間は、生まれながらにして自由であり、かつ、平等である。"
    assert decode(text.encode("euc_jp")).text == text


@pytest.mark.parametrize(("text", "codec"), [*short_samples(), *long_samples()])
def test_texts_of_many_languages_are_read_right(text: str, codec: str) -> None:
    assert decode(text.encode(codec)).text == text


# Names, headings and cards that the rule was not made with.
UNSEEN_LIST = (
    "Björn Åkesson|Ærø|Žižek|François Côté|Ångström|50 % rabatt – köp nu!|Größe: 12 m²|5 µm ± 2|Zoë|Noël|"
    "œuvre complète|Ö|å|Tšekki voitti Šakin|ß|Citroën|Ça va bien|Çà et là|déçu|señorita|pingüino|öäåÖÄÅ|"
    "Överläkare Ström|Äänekoski|Ääliö älä lyö|Flødeskum|Þór|Það er gott|avô|ÄÖÜ|äöüß|élève|Où ça ?|ÉCOLE|"
    "ÅRSMÖTE|PROTOKOLL FÖRT VID SAMMANTRÄDE|ESPAÑA|DÉJÀ|10 €|«Bonjour»|¿Cómo estás?|½ kopp mjölk|20°C ute|"
    "coöperatie|Curaçao|På|Då|så|i år|hö|ön|København|blå|namn;ålder\nÅsa;12\nÖrjan;44\n"
)


@pytest.mark.parametrize("text", UNSEEN_LIST.split("|"))
def test_a_name_or_heading_of_western_europe_is_windows_1252(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text


@pytest.mark.parametrize("codec", ["iso8859-2", "cp1250"])
def test_short_polish_shows_itself_by_signs_within_words(codec: str) -> None:
    text = "Łódź jest piękna, powiedział mąż"
    assert decode(text.encode(codec)).text == text


@pytest.mark.parametrize("mark", ["iso-8859-1", "windows-1252", "macintosh", "utf-8"])
def test_a_short_page_is_read_as_it_declares(mark: str) -> None:
    text = f'<html><head><meta charset="{mark}"></head><body>Hyvää yötä, Malmö</body></html>'
    assert decode(text.encode("mac_roman" if mark == "macintosh" else mark)).text == text


CYRILLIC = (
    "Москва|Привет, мир|Война и мир|Год 2001|Мир|ЗАГОЛОВОК|1. Введение|Україна|Србија|Ёлка|"
    "Отчёт № 5 – «Итоги»"
)


@pytest.mark.parametrize("text", CYRILLIC.split("|"))
def test_short_cyrillic_is_windows_1251(text: str) -> None:
    assert decode(text.encode("cp1251")).text == text


@pytest.mark.parametrize("codec", ["koi8_r", "cp866", "iso8859_5"])
def test_short_cyrillic_is_read_in_its_other_encodings(codec: str) -> None:
    assert decode("Привет, мир".encode(codec)).text == "Привет, мир"


OTHER_SCRIPTS = {
    "cp1253": "Ελλάδα|Πλάτων|Αθήνα|ΑΘΗΝΑ|λόγος|Νίκος Καζαντζάκης",
    "cp1256": "مرحبا بالعالم|مكتبة",
    "gb18030": "中文文本测试|上海|论文|数据|中文|你好|经济|计算机",
    "big5": "中文測試|圖書館|論文",
    "cp932": "図書館|東京",
    "euc_jp": "歴史|日本語",
    "cp949": "도서관|서울|논문",
    "cp1252": "ÉÈÊ|éèê àâ|îôû|ÅÄÖ|ÆØÅ",
}


@pytest.mark.parametrize(
    ("text", "codec"), [(text, codec) for codec, texts in OTHER_SCRIPTS.items() for text in texts.split("|")]
)
def test_a_few_letters_of_other_scripts_are_not_taken_for_cyrillic(text: str, codec: str) -> None:
    found = decode(text.encode(codec)).encoding
    assert not found.startswith(("windows-1251", "KOI8", "IBM866", "ISO-8859-5"))


@pytest.mark.parametrize("codec", ["cp1250", "iso8859-2"])
@pytest.mark.parametrize(
    "text",
    [
        *("Příliš žluťoučký kůň", "Žluťoučký kůň", "Český Krumlov", "Výroční zpráva", "Mäsový kôň ľahký"),
        *("Zażółć gęślą jaźń", "Święta Bożego Narodzenia", "Słownik języka polskiego"),
        *("Árvíztűrő tükörfúrógép", "Őszi szünet gyűjtemény", "Đorđe Čubrić", "Ţara noastră şi poporul"),
    ],
)
def test_short_texts_of_central_europe_are_read(text: str, codec: str) -> None:
    assert decode(text.encode(codec)).text == text


@pytest.mark.parametrize(
    "text",
    [
        *("Jørgen, Andrés, Martínez", "Søren Ibáñez", "Irène Sørensen", "Café Åbo", "perché è così, più"),
        *(
            "São João não é coração",
            "Þórður Ægir Óskarsson",
            "naïve façade",
            "œuvre complète",
            "Bjørn Sýkora",
        ),
        *(
            "Größe: 5 µm ± 2 %",
            "L’été à Paris",
            "õpik žürii šokolaad",
            "Él dijo «sí»",
            "coöperatie ideeën één",
        ),
    ],
)
def test_short_texts_of_the_west_stay_what_they_are(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text
