"""Two versions of Windrow at one index: the one that was there first leaves it to the one that came later."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.unit.index.grain import Grain, titled, titles
from windrow.index.feeder import follow
from windrow.index.tantivy.live_index import LiveIndex


def as_another_version(grain: Grain, *, is_readable: bool = True) -> None:
    """Leave the current generation as another version would have made it."""
    found = grain.generations.current_state()
    assert found is not None
    name, state = found
    shape = state.shape if is_readable else "another"
    grain.generations.note(
        name, replace(state, mark="another", version="another", shape=shape, commits=state.commits + 1)
    )


def test_who_has_seen_the_index_as_its_own_does_not_build_it_anew(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    as_another_version(grain)
    grain.shelf.write(titled("b", "Straw"))
    for _ in range(2):
        done = follow(grain.store, grain.generations, was_ours=True)
        assert (done.is_overtaken, done.is_built, done.put) == (True, False, 0)
    assert grain.generations.names() == ["g-000001"]


def test_who_comes_new_to_it_builds_it_anew(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    as_another_version(grain)
    done = grain.follow()
    assert (done.is_overtaken, done.is_built) == (False, True)


def test_whoever_asks_for_it_gets_it_built_anew(grain: Grain) -> None:
    grain.follow()
    as_another_version(grain)
    done = follow(grain.store, grain.generations, was_ours=True, is_rebuilding=True)
    assert (done.is_overtaken, done.is_built) == (False, True)


def test_an_index_that_is_gone_is_made_whoever_had_it(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    assert follow(grain.store, grain.generations, was_ours=True).reason == "there was none"


def test_who_searches_notices_and_goes_on_with_what_it_has(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    index = LiveIndex(grain.folder)
    assert (index.was_ours, index.is_overtaken) == (True, False)
    as_another_version(grain, is_readable=False)
    index.look()
    assert (index.was_ours, index.is_overtaken, index.trouble) == (True, True, "")
    assert titles(index) == ["Hay"]
    later = LiveIndex(grain.folder)
    assert (later.was_ours, later.is_overtaken) == (False, False)


def test_it_is_over_when_the_index_is_as_this_version_makes_it(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    index = LiveIndex(grain.folder)
    assert index.was_ours
    as_another_version(grain)
    grain.follow()
    index.look()
    assert not index.is_overtaken


def test_a_note_of_a_newer_version_that_says_more_is_no_damage(grain: Grain) -> None:
    grain.follow()
    note = grain.generations.path("g-000001") / "state.json"
    note.write_text(json.dumps({**json.loads(note.read_text()), "colour": "yellow"}))
    assert grain.generations.damage("g-000001") == ""
    assert not grain.follow().is_built
