"""What a request asks for, and every way in which it can be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.oai_schema import validate
from tests.thorough import tries
from tests.unit.protocols.oai.answering.answers import refusal
from windrow.protocols.oai.provider_request import (
    MAX_CHARACTERS,
    MAX_PROBLEMS,
    ProviderRequest,
    RequestRefused,
    make_refusal,
    parse_arguments,
)

Pairs = list[tuple[str, str]]


def ask(verb: str = "ListRecords", **arguments: str) -> ProviderRequest:
    return parse_arguments([("verb", verb), *_pairs(arguments)])


def window(**arguments: str) -> tuple[int | None, int | None]:
    asked = ask(metadataPrefix="oai_dc", **arguments)
    return asked.since, asked.until


def refused(pairs: Pairs) -> RequestRefused:
    with pytest.raises(RequestRefused) as caught:
        parse_arguments(pairs)
    return caught.value


def messages(verb: str = "ListRecords", **arguments: str) -> list[str]:
    found = refused([("verb", verb), *_pairs(arguments)])
    assert {error.code for error in found.errors} == {"badArgument"}
    assert found.echo == ()
    return [error.message for error in found.errors]


def _pairs(arguments: dict[str, str]) -> Pairs:
    return [(name.rstrip("_"), value) for name, value in arguments.items()]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "The verb is missing"),
        ([("metadataPrefix", "oai_dc")], "The verb is missing"),
        ([("Verb", "Identify")], "The verb is missing"),
        ([("verb", "Identify"), ("verb", "Identify")], "The verb is repeated"),
        ([("verb", "Harvest")], "'Harvest' is no verb of OAI-PMH 2.0"),
        ([("verb", "identify")], "'identify' is no verb"),
        ([("verb", "")], "'' is no verb"),
        ([("verb", "Identify ")], "'Identify ' is no verb"),
    ],
)
def test_a_verb_that_is_missing_repeated_or_unknown_is_a_bad_verb(pairs: Pairs, message: str) -> None:
    found = refused(pairs)
    assert [error.code for error in found.errors] == ["badVerb"]
    assert found.errors[0].message.startswith(message)
    assert found.echo == ()


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("Identify", {}),
        ("ListMetadataFormats", {}),
        ("ListMetadataFormats", {"identifier": "oai:x:1"}),
        ("ListSets", {}),
        ("ListSets", {"resumptionToken": "abc"}),
        ("GetRecord", {"identifier": "oai:x:1", "metadataPrefix": "oai_dc"}),
        ("ListIdentifiers", {"metadataPrefix": "oai_dc"}),
        ("ListIdentifiers", {"resumptionToken": "abc"}),
        ("ListRecords", {"metadataPrefix": "a-_.!~*'()", "set": "a:b", "from": "2024-01-01"}),
        ("ListRecords", {"resumptionToken": ""}),  # refused later, as a token that is none
    ],
)
def test_every_verb_takes_its_arguments_and_repeats_them_in_their_order(
    verb: str, arguments: dict[str, str]
) -> None:
    for pairs in ([("verb", verb), *arguments.items()], [*arguments.items(), ("verb", verb)]):
        asked = parse_arguments(pairs)
        assert asked.verb == verb
        assert asked.pairs == tuple(pairs)
        assert asked.identifier == arguments.get("identifier")
        assert asked.prefix == arguments.get("metadataPrefix")
        assert asked.set_spec == arguments.get("set")
        assert asked.token == arguments.get("resumptionToken")


def test_a_repeated_argument_is_refused_even_with_the_same_value() -> None:
    pairs = [("verb", "ListRecords"), ("metadataPrefix", "oai_dc"), ("metadataPrefix", "oai_dc")]
    assert [error.message for error in refused(pairs).errors] == ["The argument 'metadataPrefix' is repeated"]


@pytest.mark.parametrize(
    ("verb", "arguments", "message"),
    [
        ("Identify", {"set": "a"}, "Identify takes no argument 'set'"),
        ("Identify", {"resumptionToken": "a"}, "Identify takes no argument 'resumptionToken'"),
        ("ListSets", {"metadataPrefix": "a"}, "ListSets takes no argument 'metadataPrefix'"),
        ("ListRecords", {"metadataPrefix": "a", "x": "1"}, "ListRecords takes no argument 'x'"),
        ("ListRecords", {"metadataPrefix": "a", "identifier": "b"}, "ListRecords takes no argument 'iden"),
        ("ListRecords", {}, "ListRecords needs the argument metadataPrefix"),
        ("GetRecord", {"metadataPrefix": "a"}, "GetRecord needs the argument identifier"),
        ("GetRecord", {"identifier": "a"}, "GetRecord needs the argument metadataPrefix"),
        (
            "ListRecords",
            {"resumptionToken": "a", "set": "b"},
            "A resumptionToken stands alone; leave out set",
        ),
        ("ListSets", {"resumptionToken": "a", "x": "b"}, "ListSets takes no argument 'x'"),
    ],
)
def test_illegal_missing_and_exclusive_arguments_are_told_apart(
    verb: str, arguments: dict[str, str], message: str
) -> None:
    (told,) = messages(verb, **arguments)
    assert told.startswith(message)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    told = messages("GetRecord", metadataPrefix="ä", from_="2024", x="y")
    assert [text.partition(":")[0] for text in told] == [
        "GetRecord needs the argument identifier",
        "GetRecord takes no argument 'from'",
        "GetRecord takes no argument 'x'",
        "'ä' is no metadataPrefix",
        "'2024' is no date for from",
    ]


def test_a_flood_of_wrong_arguments_gets_a_short_answer() -> None:
    pairs = [("verb", "Identify"), *((f"{'x' * 5000}{number}", "") for number in range(1000))]
    found = refused(pairs)
    assert len(found.errors) == MAX_PROBLEMS
    assert sum(len(error.message) for error in found.errors) < 1000


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("1970-01-01", "1970-01-01", (0, 86_399)),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", (0, 0)),
        ("2024-02-29", "2024-03-01", (1_709_164_800, 1_709_337_599)),
        ("0001-01-01", "9999-12-31", (-62_135_596_800, 253_402_300_799)),
        ("1969-12-31T23:59:59Z", "1970-01-01T00:00:01Z", (-1, 1)),
    ],
)
def test_both_ends_of_a_window_are_included_and_a_day_lasts_until_its_end(
    since: str, until: str, expected: tuple[int, int]
) -> None:
    assert window(from_=since, until=until) == expected
    assert window(from_=since) == (expected[0], None)
    assert window(until=until) == (None, expected[1])


def test_a_request_remembers_whether_its_dates_were_days() -> None:
    assert ask(metadataPrefix="a", until="2024-01-01").is_by_day
    assert ask(metadataPrefix="a", from_="2024-01-01").is_by_day
    assert not ask(metadataPrefix="a", from_="2024-01-01T00:00:00Z").is_by_day
    assert not ask(metadataPrefix="a").is_by_day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "junk",
        "2024",
        "2024-01",
        "2024-1-1",
        "20240101",
        "2024-02-30",
        "2023-02-29",
        "2024-13-01",
        "2024-00-10",
        "2024-01-00",
        "0000-01-01",
        "12024-01-01",
        "-2024-01-01",
        "2024-01-01Z",
        "2024-01-01T00:00:00",
        "2024-01-01T00:00:00z",
        "2024-01-01t00:00:00Z",
        "2024-01-01 00:00:00Z",
        "2024-01-01T00:00Z",
        "2024-01-01T24:00:00Z",
        "2024-01-01T00:60:00Z",
        "2024-01-01T23:59:60Z",
        "2024-01-01T00:00:00.0Z",
        "2024-01-01T00:00:00+00:00",
        " 2024-01-01",
        "2024-01-01\n",
        "２０２４-01-01",  # digits, but not of ASCII
        "٢٠٢٤-٠١-٠١",
    ],
)
def test_a_date_of_any_other_spelling_or_no_calendar_is_refused(text: str) -> None:
    for name in ("from", "until"):
        (told,) = messages(metadataPrefix="oai_dc", **{name: text})
        assert f"is no date for {name}" in told


def test_dates_of_two_granularities_are_refused() -> None:
    (told,) = messages(metadataPrefix="a", from_="2024-01-01", until="2024-01-02T00:00:00Z")
    assert told.startswith("from and until differ in granularity")


def test_a_window_that_ends_before_it_starts_is_refused() -> None:
    assert messages(metadataPrefix="a", from_="2024-01-02", until="2024-01-01") == [
        "from is later than until"
    ]


@pytest.mark.parametrize(
    "identifier",
    [
        "oai:x:1",
        "https://x.example/a?b=c&d=e#f",
        "hdl:10024/1",
        "10.1000/182",
        "oai:x:a b",
        "oai:x:ä",
        "oai:x:<&>\"'",
        "x",
        "100%",
        "a" * MAX_CHARACTERS,
    ],
)
def test_an_identifier_is_taken_as_it_comes(identifier: str) -> None:
    assert ask("GetRecord", identifier=identifier, metadataPrefix="a").identifier == identifier


@pytest.mark.parametrize(
    "identifier",
    [
        "",
        " ",
        " x",
        "x ",
        "x\u00a0",
        "a\tb",
        "a\nb",
        "a\x7fb",
        "a\x85b",
        "a\0b",
        "\ud800",
        "a\ufffe",
        "a" * 4097,
    ],
)
def test_an_identifier_that_no_answer_could_repeat_is_refused(identifier: str) -> None:
    assert len(messages("GetRecord", identifier=identifier, metadataPrefix="a")) == 1


@pytest.mark.parametrize("prefix", ["", "a b", "a:b", "ä", "a\n", "a/b", "a" * 1025, "\udc80", "\0"])
def test_a_prefix_outside_of_the_pattern_is_refused(prefix: str) -> None:
    assert len(messages(metadataPrefix=prefix)) == 1


@pytest.mark.parametrize("spec", ["", ":", "a:", ":a", "a::b", "a b", "å", "a\n", "a" * 1025])
def test_a_set_outside_of_the_pattern_is_refused(spec: str) -> None:
    assert len(messages(metadataPrefix="a", set=spec)) == 1


@pytest.mark.parametrize("token", ["a\0", "\ud800", "\uffff", "\x1b[31m", "a" * 4097])
def test_a_token_that_no_answer_could_repeat_is_a_bad_argument(token: str) -> None:
    assert len(messages(resumptionToken=token)) == 1


_NAMES = ["verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"]
_VERBS = ["Identify", "ListMetadataFormats", "ListSets", "GetRecord", "ListIdentifiers", "ListRecords"]
_VALUES = [*_VERBS, "oai_dc", "2024-01-01", "2024-01-01T00:00:00Z", "2023-02-29", "a:b", "oai:x:1", ""]
_ANY = st.characters(codec=None)  # surrogates and all
_NAME = st.sampled_from(_NAMES) | st.text(_ANY, max_size=8)
_VALUE = st.sampled_from(_VALUES) | st.text(_ANY, max_size=12)
_LIKELY = st.dictionaries(st.sampled_from(_NAMES[1:]), _VALUE, max_size=4).map(
    lambda each: list(each.items())
)
_QUERIES = st.lists(st.tuples(_NAME, _VALUE), max_size=6) | st.builds(
    lambda verb, pairs: [("verb", verb), *pairs], st.sampled_from(_VERBS), _LIKELY
)


# An error that the protocol has for a verb.
_ERRORS = {
    "Identify": "badArgument",
    "ListMetadataFormats": "noMetadataFormats",
    "GetRecord": "idDoesNotExist",
}


def attempt(pairs: Pairs) -> ProviderRequest | RequestRefused:
    try:
        return parse_arguments(pairs)
    except RequestRefused as found:
        return found


@settings(deadline=None, max_examples=tries(300))
@given(_QUERIES)
def test_any_list_of_arguments_gives_a_request_or_a_valid_refusal(pairs: Pairs) -> None:
    result = attempt(pairs)
    if isinstance(result, RequestRefused):
        assert {error.code for error in result.errors} in ({"badVerb"}, {"badArgument"})
        assert result.echo == ()
        validate(refusal(result))
    else:
        code = _ERRORS.get(result.verb, "badResumptionToken")
        found = make_refusal(code, "Nothing", echo=result.pairs)
        assert found.echo == (() if code == "badArgument" else tuple(pairs))
        validate(refusal(found))


@settings(deadline=None)
@given(st.text(max_size=20))
def test_what_is_repeated_reads_as_it_was_sent(token: str) -> None:
    result = attempt([("verb", "ListSets"), ("resumptionToken", token)])
    if isinstance(result, ProviderRequest):
        rendered = refusal(make_refusal("badResumptionToken", token, echo=result.pairs))
        root = etree.fromstring(rendered)
        assert [each.items() for each in root.iter("{*}request")] == [list(result.pairs)]
        assert root.findtext("{*}error") == token
