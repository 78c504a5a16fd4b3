"""The obvious answer comes first. For the real index: how the plain one ranks is no measure."""

from __future__ import annotations

import pytest

from tests.contracts.index.back_ends import in_one_segment
from tests.contracts.index.hay import entry
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, Subject, Text
from windrow.model.text.folding import folded_words
from windrow.protocols.query.query_parser import parse_query

ABSTRACT = (
    "This thesis looks at lean production in a bakery. Lean production was studied with interviews, and lean "
    "production was found to help where lean thinking is understood. Lean tools were tried: a lean board, a "
    "lean meeting, and lean audits of production. Production grew."
)
FILLING = [
    entry(
        100 + number,
        Document(
            titles=(Text(f"Nursing and care in ward {number}", "en"),),
            creators=(Agent(f"Virtanen, Nurse{number}"),),
            subjects=(Subject("nursing", language="en"), Subject("care work", language="en")),
            descriptions=(
                Text(f"Interviews on ward {number} about work, quality and production of care.", "en"),
            ),
            languages=("en",),
        ),
    )
    for number in range(40)
]
LIBRARY: list[Entry] = [
    *FILLING,
    entry(1, Document(titles=(Text("Lean production", "en"),), descriptions=(Text("A handbook.", "en"),))),
    entry(2, Document(titles=(Text("Improving a bakery", "en"),), descriptions=(Text(ABSTRACT, "en"),))),
    entry(3, Document(titles=(Text("Quality of bread", "en"),), subjects=(Subject("lean production"),))),
    entry(4, Document(titles=(Text("On hayfields", "en"),), creators=(Agent("Heinonen, Kaisa"),), year=2001)),
    entry(
        5,
        Document(
            titles=(Text("Later botanists", "en"),),
            descriptions=(
                Text("Heinonen and Kaisa Heinonen's followers; Heinonen again, and Heinonen.", "en"),
            ),
        ),
    ),
    entry(6, Document(titles=(Text("Cars in winter", "en"),))),
    entry(7, Document(titles=(Text("A car in winter", "en"),))),
    entry(8, Document(titles=(Text("Winter", "en"),), descriptions=(Text("Of a car, and of ice.", "en"),))),
    entry(9, Document(titles=(Text("Metsien hoito", "fi"),))),
    entry(10, Document(titles=(Text("Metsä", "fi"),))),
]


def best(text: str) -> list[int]:
    return [hit.card.number for hit in in_one_segment(LIBRARY).search(parse_query(text).query, limit=20).hits]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("lean production", [1]),
        ("production lean", [1]),
        ("heinonen", [4, 5]),
        ("kaisa heinonen", [4, 5]),
        ("car", [7]),
        ("cars", [6]),
        ("metsä", [10, 9]),
        ("metsien", [9, 10]),
    ],
)
def test_the_obvious_answer_comes_first(text: str, first: list[int]) -> None:
    assert best(text)[: len(first)] == first


def test_title_and_subject_come_before_a_mention_in_the_abstract() -> None:
    order = best("lean")
    assert order.index(1) < order.index(2)
    assert order.index(3) < order.index(2)


def test_the_word_as_it_stands_comes_before_its_other_forms() -> None:
    order = best("car")
    assert set(order) == {6, 7, 8}
    assert order.index(8) < order.index(6)  # even in an abstract


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    assert best("care OR heinonen")[0] in (4, 5)


def test_a_boost_turns_the_order_round() -> None:
    assert best("heinonen^0.01 OR metsä^20")[0] == 10


def test_a_filter_does_not_change_the_order() -> None:
    plain = [number for number in best("production") if number >= 100]
    filtered = [number for number in best('production subject="nursing"') if number >= 100]
    assert plain[:5] == filtered[:5]


MENTIONS = "Computers and more computers: the computers of an open school, its computers, open to all."


@pytest.mark.parametrize(
    "text",
    [
        "Computers",
        "computers",
        "Open",
        "Field Hockey",
        "Football Team, 1928",
        "School: a school photo, 1987",
        "“Computers at school?”",
        '"Field Hockey"',
        "computers language:en",
    ],
)
def test_a_title_of_just_these_words_comes_before_all_that_say_more_about_them(text: str) -> None:
    wanted = ["Computers", "Open", "Field hockey", "Football team (1928)", "Computers at school?"]
    wanted += ["School: a school photo, 1987"]
    fuller = [
        "Computers, computers and computers at school",
        "Open Day: open computers, open doors",
        "Field Hockey player in a field hockey field",
        "Junior School Football Team, 1928",
        "Visitors at computers at school, Open Day",
        "A school photo: school, 1987 (school photo)",
    ]
    entries = [
        entry(
            number,
            Document(
                titles=(Text(title, "en"),),
                subjects=(Subject(title),) * (number > len(wanted)),
                descriptions=(Text(f"{title}. {MENTIONS}", "en"),) * (number > len(wanted)),
                languages=("en",),
            ),
        )
        for number, title in enumerate([*wanted, *fuller], 1)
    ]
    index = in_one_segment([*FILLING, *entries])
    (first, *_) = index.search(parse_query(text).query, limit=20).hits
    assert folded_words(first.card.title) == folded_words(text.removesuffix("language:en"))


def test_a_person_with_the_initial_comes_before_a_text_with_name_and_letter_apart() -> None:
    others = [Document(titles=(Text(f"On peat, part {number}"),)) for number in range(300)]
    wanted = [
        Document(titles=(Text("The dry cleaning company of Winter, figure S"),)),
        Document(titles=(Text("Turnips"),), creators=(Agent("Winter, Samuel Pratt"),)),
        Document(titles=(Text("Oats"),), creators=(Agent("Winter, S."),)),
    ]
    index = in_one_segment([entry(number, document) for number, document in enumerate([*wanted, *others])])
    hits = index.search(parse_query("Winter S").query, limit=3).hits
    assert [hit.card.number for hit in hits] == [2, 1, 0]
