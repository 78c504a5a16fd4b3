"""Which language a text is in."""

from __future__ import annotations

import subprocess
import sys

import pytest

from windrow.extract import language_detection
from windrow.model.file_content import Extract

TEXTS = {
    "en": "The children stayed at home because it was raining, and read books about far countries.",
    "sv": "Barnen stannade hemma i morse eftersom det regnade, och läste böcker om länder långt borta.",
    "fi": "Lapset jäivät aamulla kotiin, koska satoi, ja lukivat kirjoja kaukaisista maista.",
    "de": "Die Kinder blieben heute Morgen zu Hause, weil es regnete, und lasen Bücher über ferne Länder.",
    "ru": "Сегодня утром дети остались дома, потому что шёл дождь, и читали книги о дальних странах.",
    "ja": "今日は朝から雨が降っていたので、子供たちは家で本を読んでいました。",
}


@pytest.mark.parametrize(("code", "text"), TEXTS.items())
def test_the_language_of_a_sentence_is_told(code: str, text: str) -> None:
    assert language_detection.detect_language(text) == code


@pytest.mark.parametrize("text", ["", "Title", "12.5 13.7 99.1 " * 50, "x = y[i] + 3 * (z - 1); " * 3])
def test_what_is_too_short_or_no_prose_has_none(text: str) -> None:
    assert language_detection.detect_language(text) is None


def test_only_the_beginning_of_a_long_text_counts() -> None:
    assert language_detection.detect_language(TEXTS["sv"] * 200 + TEXTS["ru"] * 5000) == "sv"


def test_a_language_is_added_where_none_is_declared() -> None:
    found = language_detection.with_language(Extract("text/plain", text=("", TEXTS["fi"])))

    assert found.measured == (("detected-language", "fi"),)


def test_a_declared_language_stays_alone() -> None:
    extract = Extract("text/html", said=(("language", "sv"),), text=(TEXTS["fi"],))

    assert language_detection.with_language(extract) is extract


def test_without_the_library_there_is_no_language_and_no_error() -> None:
    script = (
        "import sys; sys.modules['py3langid'] = None\n"
        "from windrow.extract.language_detection import detect_language\n"
        f"print(detect_language({TEXTS['en']!r}))"
    )

    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert said.strip() == "None"
