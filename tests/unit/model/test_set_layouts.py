"""Layouts of sets: what each set lies in, and what it usually is, by specs, names and records."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from windrow.model.set_assignment import NO_RULES, RoleRules, SetRoles
from windrow.model.set_layouts import KnownSet, Layout, Role, SetTree, containment, decode_eprints


def roles(sets: dict[str, str], *records: tuple[str, ...], rules: RoleRules = NO_RULES) -> SetRoles:
    return SetRoles(SetTree([KnownSet(*item) for item in sets.items()], records), rules)


def test_the_community_that_contains_a_collection_is_found_in_any_order() -> None:
    for order in permutations(("com_1_1", "com_1_2", "col_1_5")):
        tree = SetTree([], [order, ("com_1_1", "col_1_6")])
        assert tree.nodes["col_1_5"].parents == ("com_1_2",)
        assert tree.nodes["com_1_2"].parents == ("com_1_1",)
        assert tree.nodes["col_1_6"].parents == ("com_1_1",)


def test_of_communities_with_the_same_records_the_older_one_is_outside() -> None:
    tree = SetTree([], [("com_1_90", "com_1_7", "col_1_91")])
    assert tree.nodes["com_1_90"].parents == ("com_1_7",)
    assert [tree.nodes[spec].level for spec in ("com_1_7", "com_1_90", "col_1_91")] == [1, 2, 3]


def test_a_community_whose_records_are_all_in_another_as_well_is_not_inside_it() -> None:
    tree = SetTree([], [("com_1_2", "col_1_20", "com_1_1", "col_1_10"), ("com_1_1", "col_1_10")])
    assert tree.nodes["com_1_2"].parents == ()
    assert tree.nodes["col_1_20"].parents == ("com_1_2",)


def test_a_community_inside_another_stays_so_when_some_of_its_records_are_cross_listed() -> None:
    records = [
        ("com_1_980", "com_1_981", "col_1_983"),
        ("com_1_980", "com_1_1000", "col_1_1004"),
        ("com_1_980", "com_1_981", "col_1_985", "com_1_1000", "col_1_1004"),
        ("com_1_980", "com_1_981", "col_1_984", "com_1_1000", "col_1_1009"),
    ]
    tree = SetTree([], records)
    assert tree.nodes["com_1_981"].parents == tree.nodes["com_1_1000"].parents == ("com_1_980",)
    assert tree.nodes["col_1_985"].parents == ("com_1_981",)
    assert {unit.institution for each in records for unit in SetRoles(tree).assign(each).units} == {
        "com_1_980"
    }


def test_communities_whose_records_are_always_in_both_are_two_institutions() -> None:
    tree = SetTree([], [("com_1_1", "col_1_5", "com_1_2", "col_1_6")])
    assert tree.nodes["com_1_1"].parents == tree.nodes["com_1_2"].parents == ()


def test_a_community_and_its_only_collection_of_the_same_name_are_two() -> None:
    sets = [KnownSet("com_1_1", "Nursing"), KnownSet("col_1_2", "Nursing", "com_1_1")]
    found = SetRoles(SetTree(sets, [("com_1_1", "col_1_2")]))
    assert found.assign(["col_1_2", "com_1_1"]).units == (("Nursing", "Nursing"),)


def test_a_handle_is_the_set_it_names() -> None:
    found = roles({"hdl_1_1": "Uni", "com_1_1": "Uni", "col_1_2": ""}, ("hdl_1_1", "com_1_1", "col_1_2"))
    assert "hdl_1_1" not in found.tree.nodes
    assert found.assign(["hdl_1_1", "col_1_2"]).units == (("Uni", "col_1_2"),)


def test_hexadecimal_specs_are_read_only_where_eprints_wrote_them() -> None:
    assert decode_eprints("7374617475733D707562") == ("status=pub",)
    assert decode_eprints("7375626A656374733D41:415F3133") == ("subjects=A", "A_13")
    assert decode_eprints("deadbeef") == ()
    assert decode_eprints("1234") == ()
    assert decode_eprints("cafe:12") == ()


def test_the_word_before_a_colon_says_what_a_hierarchy_is_of() -> None:
    sets = {
        "ddc:340": "Law",
        "doc-type:article": "Article",
        "institute:3": "Institute of Hay",
        "bibliography:true": "x",
    }
    found = roles(sets)
    assert found.roles["ddc:340"] is found.roles["bibliography:true"] is Role.NONE
    assert found.roles["doc-type:article"] is Role.TYPE
    assert found.assign(["institute:3"]).units == (("Institute of Hay", None),)


def test_departments_beside_institutions_are_departments() -> None:
    found = roles({"institution:a": "A", "department:b": "B"}, ("institution:a", "department:b"))
    assert found.assign(["department:b", "institution:a"]).units == (("A", "B"),)


def test_subjects_of_arxiv_are_no_institutions() -> None:
    found = roles(
        {"physics": "Physics", "physics:hep-th": "High Energy", "math": "Mathematics", "math:AG": "x"}
    )
    assert set(found.roles.values()) == {Role.NONE}


def test_a_prefix_that_nobody_named_is_left_to_rules() -> None:
    found = roles({"wayne:ramsey": "Ramsey Collection", "other": "Other"})
    assert found.roles["wayne:ramsey"] is Role.NONE
    ruled = roles({"wayne:ramsey": "Ramsey Collection"}, rules=RoleRules(institution=("wayne:*",)))
    assert ruled.assign(["wayne:ramsey"]).units == (("Ramsey Collection", None),)


def test_sections_in_capitals_are_those_of_journals() -> None:
    for section in ("ART", "%C3%84MN", "B.R."):
        tree = SetTree([KnownSet("hay", "Hay"), KnownSet(f"hay:{section}", "Articles")])
        assert tree.layouts == {Layout.OJS: 2}
    assert SetTree([KnownSet("hay", "Hay"), KnownSet("hay:art", "Art")]).layouts == {Layout.COLON: 2}


def test_a_spec_of_many_colons_costs_nothing() -> None:
    tree = SetTree([KnownSet("a:" * 5000 + "a", "deep")])
    assert len(tree.nodes) == 1


SPECS = st.sampled_from(
    [f"com_1_{number}" for number in range(4)] + [f"col_1_{number}" for number in range(9)]
)


@given(st.lists(st.frozensets(SPECS, max_size=5), max_size=8))
def test_no_set_is_inside_itself_and_what_is_outside_is_so_at_all_levels(
    records: list[frozenset[str]],
) -> None:
    tree = SetTree([], [tuple(each) for each in records])
    for node in tree.nodes.values():
        assert node.spec not in node.ancestors
        for parent in node.ancestors:
            assert tree.nodes[parent].ancestors <= node.ancestors
            assert tree.nodes[parent].level < node.level


@given(st.lists(st.frozensets(SPECS, min_size=1, max_size=5), min_size=1, max_size=8))
def test_what_contains_a_set_holds_all_its_records(records: list[frozenset[str]]) -> None:
    specs = {spec for each in records for spec in each}
    outer = {spec for spec in specs if spec.startswith("com_")}
    for spec, around in containment(records, outer, specs - outer).items():
        assert all(around <= each for each in records if spec in each)


def test_institutions_are_found_inside_what_lies_around_them_all_by_their_names() -> None:
    names = {
        "com_1_1": "Everything",
        "com_1_2": "University of Hay",
        "com_1_3": "Niityn ammattikorkeakoulu",
        "com_1_4": "Arcadia",
        "com_1_5": "School of Straw",
        "col_1_6": "Nursing",
        "col_1_7": "Theses",
        "col_1_8": "Art",
    }
    records = [
        ("com_1_1", "com_1_2", "col_1_6"),
        ("com_1_1", "com_1_3", "com_1_5", "col_1_7"),
        ("com_1_1", "com_1_3", "col_1_9"),
        ("com_1_1", "com_1_4", "col_1_8"),
        ("com_1_1", "com_1_2", "col_1_10"),
    ]
    found = roles(names, *records)
    assert found.roles["com_1_1"] is Role.NONE
    assert found.assign(records[0]).units == (("University of Hay", "Nursing"),)
    assert found.assign(records[1]).units == (("Niityn ammattikorkeakoulu", "School of Straw"),)
    assert found.assign(records[3]).units == (("Arcadia", "Art"),)


def test_institutions_are_found_at_any_level_of_a_hierarchy_by_their_names() -> None:
    sets = {
        "theses": "Theses",
        "theses:fi": "Finland",
        "theses:fi:hay": "University of Hay",
        "theses:fi:hay:cs": "Computing",
        "theses:fi:hay:cs:ai": "Robots",
        "theses:se:lu": "Ängens universitet",
        "articles": "Articles",
        "articles:no:bog": "Bog School",
    }
    found = roles(sets)
    assert found.assign(["theses:fi:hay:cs:ai"]).units == (("University of Hay", "Computing"),)
    assert found.assign(["theses:fi:hay:cs:ai"]).collections == ("Robots",)
    assert found.assign(["theses:se:lu"]).units == (("Ängens universitet", None),)
    assert found.assign(["articles:no:bog"]).units == (("Bog School", None),)
    assert found.assign(["theses:fi"]).units == ()


def test_parts_of_one_university_do_not_show_a_level() -> None:
    sets = {"com_1_1": "Faculty of Law", "com_1_2": "University Press", "com_1_3": "University Library"}
    found = roles(sets, ("com_1_1", "com_1_3", "col_1_5"), ("com_1_1", "col_1_6"), ("com_1_2", "col_1_7"))
    assert found.roles["com_1_1"] is Role.INSTITUTION
    assert found.roles["com_1_3"] is Role.DEPARTMENT


def test_a_set_without_a_name_is_called_by_its_spec_also_where_others_have_names() -> None:
    found = roles({"hay": "Hay", "hay:cs": "Computing", "bog": "", "bog:law": "Law"})
    assert found.assign(["bog:law"]).units == (("bog", "Law"),)
    found = roles({"hay": "Hay", "bog:law": "Law"}, ("bog", "bog:law"))
    assert found.assign(["bog:law"]).units == (("bog", "Law"),)


def test_outermost_sets_that_are_named_after_publications_are_types() -> None:
    communities = {
        "com_1_1": "Theses",
        "com_1_2": "Faculty of Law",
        "col_1_11": "Doctoral theses",
        "col_1_12": "Physics",
        "col_1_21": "Articles",
    }
    found = roles(communities, ("com_1_1", "col_1_11"), ("com_1_1", "col_1_12"), ("com_1_2", "col_1_21"))
    assert found.assign(["com_1_1", "col_1_11"]).units == ()
    assert found.assign(["com_1_1", "col_1_11"]).types == ("Doctoral theses", "Theses")
    assert found.assign(["com_1_1", "col_1_12"]).units == ((None, "Physics"),)
    assert found.assign(["com_1_2", "col_1_21"]).units == (("Faculty of Law", "Articles"),)
    colons = roles({"thesis": "Theses", "thesis:master": "Master's theses", "art": "Art", "art:oil": "Oil"})
    assert colons.roles["thesis"] is colons.roles["thesis:master"] is Role.TYPE
    assert colons.roles["art"] is Role.INSTITUTION


def test_names_that_are_whole_paths_lose_what_is_around_them() -> None:
    sets = {
        "lu": "Lund University",
        "lu:law": "Lund University: Faculty of Law",
        "lu:law:tax": "Lund University: Faculty of Law: Tax",
        "lu:arts": "Lund University Arts",
        "ki": "KI",
        "ki:med": "KI / Medicine",
    }
    found = roles(sets)
    assert found.assign(["lu:law:tax"]).units == (("Lund University", "Faculty of Law"),)
    assert found.assign(["lu:law:tax"]).collections == ("Tax",)
    assert found.assign(["lu:arts"]).units == (("Lund University", "Lund University Arts"),)
    assert found.assign(["ki:med"]).units == (("KI", "Medicine"),)
