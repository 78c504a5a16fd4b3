"""RPN as a Query and back: what attributes mean, and which diagnostic the others get."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.contracts.index.chance import documents, libraries, queries
from windrow.errors import NotExpressible, RpnError
from windrow.model.document import Document
from windrow.model.document_view import DocumentView
from windrow.model.matching import compile_query, matches
from windrow.model.query import Query
from windrow.protocols.z3950.pqf import parse_pqf, render_pqf
from windrow.protocols.z3950.rpn import Boolean, Combination, Structure, Term
from windrow.protocols.z3950.rpn_conversion import query_of, rpn_of
from windrow.protocols.z3950.z3950_registry import Profile


def _query(pqf: str, profile: Profile = Profile.GILS) -> str:
    return str(query_of(parse_pqf(pqf), profile))


@pytest.mark.parametrize(
    ("pqf", "query"),
    [
        ("hay", '"hay"'),
        ("@attr 1=1016 hay", '"hay"'),
        ('@attr 1=4 "Hay meadow"', 'title:"Hay meadow"'),
        ("@attr 1=4 @attr 2=101 meadows", "title:meadows"),
        ("@attr 1=4 @attr 5=1 mead", "title:mead*"),
        ("@attr 1=4 @attr 5=2 ow", "title:*ow"),
        ("@attr 1=4 @attr 5=3 ado", "title:*ado*"),
        ("@attr 1=4 @attr 5=101 m#w", "title:m*w"),
        ("@attr 1=4 @attr 5=104 m#ado?", "title:m?ado*"),
        ("@attr 1=4 @attr 5=102 m(e|i)ad.*", "title:mead* OR title:miad*"),
        ("@attr 1=4 @attr 5=103 meado", "title:meado~1"),
        ('@attr 1=4 @attr 4=6 "hay meadow"', 'title:"hay" title:"meadow"'),
        ('@attr 1=4 @attr 4=105 "hay meadow"', 'title:"hay" OR title:"meadow"'),
        ('@attr 1=4 @attr 6=3 "Hay meadow"', 'title:["Hay meadow".."Hay meadow"]'),
        ("@attr 1=31 1999", "year:1999"),
        ("@attr 1=31 1999-05", "date:1999-05"),
        ("@attr 1=31 @attr 2=1 1999", "year:[..“1999”}".replace("“", '"').replace("”", '"')),
        ("@attr 1=31 @attr 2=2 1999", "year:..1999"),
        ("@attr 1=31 @attr 2=4 1999", "year:1999.."),
        ("@attr 1=31 @attr 2=5 1999", 'year:{"1999"..]'),
        ("@attr 1=4 @attr 2=6 hay", '-title:"hay"'),
        ("@attr 1=4 @attr 2=103 x", "title:*"),
        ("@attr 2=103 x", "*"),
        ("@attr 1=1 mower", 'creator:"mower" OR contributor:"mower"'),
        ("@attr 1=7 951-1234-56", "identifier:951-1234-56"),
        ("@attr 1=54 sv", "language:sv"),
        ("@attr 1=department botany", 'department:"botany"'),
        ("@attr 1=au mower", 'creator:"mower"'),
        ("@attr 1=4 ---", "-*"),
        ("@and a @or b c", '"a" ("b" OR "c")'),
        ("@not a b", '"a" -"b"'),
        ("@prox 0 1 1 2 k 2 a b", '"a b"'),
        ("@prox 0 1 0 2 k 2 a b", '"a b" OR "b a"'),
        ("@prox 0 3 0 2 k 2 a b", '"a b"~2'),
        ("@prox 0 4 0 1 k 2 a b", '"a b"~2'),
        (
            "@prox 0 0 0 2 k 8 @attr 1=period 2002p1 @prox 0 0 0 2 k 8 @attr 1=place 2280 @attr 1=54 sv",
            'event:(period:"2002p1" place:"2280" language:sv)',
        ),
        ("@attrset gils @attr 1=2074 hay", 'subject:"hay"'),
        ("@attrset zthes @attr 1=1002 hay", 'title:"hay"'),
        ("@attrset xd-1 @attr 1=2 hay", 'subject:"hay"'),
        ("@attr gils 1=2074 @attr 4=2 hay", 'subject:"hay"'),
    ],
)
def test_what_attributes_mean(pqf: str, query: str) -> None:
    assert _query(pqf) == query


@pytest.mark.parametrize(
    ("pqf", "condition", "about"),
    [
        ("@attr 9=1 hay", 113, "9"),
        ("@attr 1=9999 hay", 114, "9999"),
        ("@attr 1=nosuch hay", 114, "nosuch"),
        ("@attr 2=100 hay", 117, "100"),
        ("@attr 4=107 hay", 118, "107"),
        ("@attr 4=word hay", 118, "word"),
        ("@attr 3=1 @attr 1=4 hay", 119, "1"),
        ("@attr 5=99 hay", 120, "99"),
        ("@attr 5=102 (a+)+b", 120, "102: only . can be repeated"),
        ("@attr 5=102 [a-z][a-z][a-z]", 120, "102: this stands for more than"),
        ("@attr 1.2.3.4 1=4 hay", 121, "1.2.3.4"),
        ("@attr 6=9 hay", 122, "9"),
        ("@attr 6=3 hay", 123, "6=3 1=1016"),
        ("@attr 2=1 hay", 123, "2=1 1=1016"),
        ("@attr 1=4 @attr 4=109 5", 123, "4=109 1=4"),
        ("@attr 1=31 @attr 2=4 soon", 126, "soon"),
        ("@attr 1=year @attr 2=4 soon", 126, "soon"),
        ("@set nosuch", 30, "nosuch"),
        ("@prox 0 1 0 5 k 2 a b", 131, "5"),
        ("@prox 1 1 0 2 k 2 a b", 131, "exclusion"),
        ("@prox 0 1 0 2 k 3 a b", 132, "3"),
        ("@prox 0 1 0 2 p 2 a b", 132, "2"),
        ("@prox 0 0 0 2 k 2 a b", 202, "0"),
        ("@prox 0 200 0 2 k 2 a b", 202, "200"),
        ("@prox 0 3 1 2 k 2 a b", 203, "only for words side by side"),
        ("@prox 0 1 0 2 k 2 @attr 1=4 a b", 201, ""),
        ("@prox 0 1 0 2 k 2 @and a b c", 201, ""),
        ("@prox 0 0 0 2 k 8 @attr 1=4 a @attr 1=place b", 201, "title is not of an event"),
        ("@attrset gils @attr 1=2017 x", 114, "2017"),  # only under the profile of Studera.NU
    ],
)
def test_what_cannot_be_done_gets_its_own_diagnostic(pqf: str, condition: int, about: str) -> None:
    with pytest.raises(RpnError) as caught:
        query_of(parse_pqf(pqf))
    assert caught.value.condition == condition
    assert about in caught.value.about


_EVENT = "@attrset gils @attr 1=2017 @attr 5=102 "


@pytest.mark.parametrize(
    ("expression", "query"),
    [
        (
            "2002p1;(sommar|bunden|flexibel);full;2280;sv",
            'event:(period:"2002p1" (kind:"sommar" OR kind:"bunden" OR kind:"flexibel")'
            ' intensity:"full" place:"2280" language:sv)',
        ),
        (".*;2002p1;.*", 'event:(period:"2002p1")'),
        (".*;2002p[12];.*", 'event:(period:"2002p1" OR period:"2002p2")'),
        (".*;200[12]p.;.*", "event:(period:2001p? OR period:2002p?)"),
        ("[^;]*;2002p1;[^;]*;[^;]*;2280;[^;]*;[^;]*", 'event:(period:"2002p1" place:"2280")'),
        (".*;2002p1;.*;2280;sv;dag", 'event:(period:"2002p1" place:"2280" language:sv time:"dag")'),
        # As the service's description prints it: neither Zebra nor a plain expression found anything so.
        (
            ".*;full;[0-9][0-9][0-9][0-9]|flexibel;.*",
            'event:(intensity:"full" (place:"flexibel" OR (place:* -place:"flexibel")))',
        ),
        ("^.*;2280;sv;.*$", 'event:(place:"2280" language:sv)'),
    ],
)
def test_a_regular_expression_over_an_event_becomes_conditions_on_one(expression: str, query: str) -> None:
    assert _query(f'{_EVENT}"{expression}"', Profile.STUDERA) == query


@pytest.mark.parametrize(
    "expression",
    ["mh-70204;.*", ".*", "a;b;c;d;e;f;g;h", ".*;(2002p1;bunden|2001p4;flexibel);.*", "(a+)+;.*"],
)
def test_an_expression_that_does_not_follow_the_slots_is_refused(expression: str) -> None:
    with pytest.raises(RpnError) as caught:
        _query(f'{_EVENT}"{expression}"', Profile.STUDERA)
    assert caught.value.condition == 126


@pytest.mark.parametrize(
    ("use", "field"), [(2003, "exam"), (2074, "profession"), (2066, "prerequisites"), (2002, "subject")]
)
def test_the_profile_of_studera_has_its_own_access_points(use: int, field: str) -> None:
    assert _query(f"@attrset gils @attr 1={use} hay", Profile.STUDERA) == f'{field}:"hay"'


@given(st.data())
def test_a_query_that_rpn_can_express_comes_back(data: st.DataObject) -> None:
    """Compared by what it finds: `@and a a` is `a`."""
    entries = data.draw(libraries(most=4))
    query = data.draw(queries(entries))
    try:
        rpn = parse_pqf(render_pqf(rpn_of(query)))
    except NotExpressible:
        assume(False)
    again = query_of(rpn)
    for entry in entries:
        view = DocumentView(entry.document, source=entry.source, sets=entry.sets, identifier=entry.identifier)
        assert compile_query(again)(view) == compile_query(query)(view), (str(query), str(again))


_LEAVES = st.sampled_from(
    [
        "@attr 1=4 hay",
        "@attr 1=4 @attr 5=1 me",
        '@attr 1=1 "mower ann"',
        "@attr 1=31 @attr 2=4 2014",
        "@attr 2=103 @attr 1=4 x",
        "@prox 0 2 0 2 k 2 hay meadow",
        "@prox 0 0 0 2 k 8 @attr 1=period autumn @attr 1=place oslo",
    ]
).map(lambda pqf: parse_pqf(pqf).root)


@given(
    st.recursive(
        _LEAVES,
        lambda inner: st.builds(Combination, st.sampled_from(list(Boolean)), inner, inner),
        max_leaves=8,
    ),
    documents(),
)
def test_operators_mean_what_they_mean_in_logic(root: Structure, document: Document) -> None:
    def holds(part: Structure) -> bool:
        if isinstance(part, Combination) and isinstance(part.operator, Boolean):
            left, right = holds(part.left), holds(part.right)
            return {"and": left and right, "or": left or right, "and-not": left and not right}[
                part.operator.value
            ]
        return matches(_of(part), document)

    assert matches(_of(root), document) == holds(root)


def _of(root: Structure) -> Query:
    from windrow.protocols.z3950 import z3950_registry
    from windrow.protocols.z3950.rpn import Rpn

    return query_of(Rpn(z3950_registry.BIB_1, root))


def test_a_result_set_stands_for_its_query() -> None:
    earlier = query_of(parse_pqf("@attr 1=4 hay"))
    found = query_of(parse_pqf("@and @set 1 @attr 1=1003 mower"), result_set=lambda _name: earlier)
    assert str(found) == 'title:"hay" creator:"mower"'
    assert isinstance(parse_pqf("hay").root, Term)
