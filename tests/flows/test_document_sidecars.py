"""Files that describe the files beside them, in harvests of a folder of documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.flows.folders import OLD
from tests.flows.papers import Papers, make_papers
from windrow.extract.pool import Pool
from windrow.model.document import Agent
from windrow.model.run import Outcome


@pytest.fixture
def papers(tmp_path: Path, pool: Pool) -> Papers:
    made = make_papers(tmp_path, pool)
    made.write("page.html", "<title>Its own title</title><meta name=author content=Own><p>Words")
    return made


def test_what_a_table_says_replaces_what_the_document_says_name_by_name(papers: Papers) -> None:
    papers.write("metadata.csv", "filename,dc.Title,Photographer\npage.html,Given title,Somebody\n")
    papers.harvest()
    document = papers.document("page.html")
    assert document.title == "Given title"
    assert document.creators == (Agent("Own"),)
    assert document.extra["doc:photographer"] == ("Somebody",)
    assert papers.live() == {"page.html"}


def test_a_changed_sidecar_describes_its_files_again_without_reading_them(papers: Papers) -> None:
    papers.write("metadata.csv", "file,title\npage.html,First\n")
    papers.harvest()
    papers.write("metadata.csv", "file,title\npage.html,Second\n", at=OLD + 1)
    run = papers.refresh("metadata.csv")
    assert run is not None
    assert (papers.reads, run.counters.changed) == (1, 1)
    assert papers.document("page.html").title == "Second"
    file = papers.document("page.html").file
    assert file is not None
    assert "Words" in file.text[0]


def test_without_its_sidecar_a_document_speaks_for_itself(papers: Papers) -> None:
    papers.write("page.json", json.dumps({"title": "Given"}))
    papers.harvest()
    papers.remove("page.json")
    papers.harvest()
    assert papers.document("page.html").title == "Its own title"


def test_a_broken_sidecar_is_told_and_stops_nothing(papers: Papers) -> None:
    papers.write("page.html.json", "{")
    run = papers.harvest()
    assert (run.outcome, run.counters.added) == (Outcome.PARTIAL, 1)
    assert "page.html.json describes nothing" in run.problems[0].message
    assert papers.harvest().outcome is Outcome.OK


def test_a_file_that_arrives_after_its_sidecar_is_described_by_it(papers: Papers) -> None:
    papers.write("late.json", json.dumps({"title": "Came first"}))
    papers.harvest()
    assert papers.live() == {"page.html", "late.json"}
    papers.write("late.txt", "words")
    papers.harvest()
    assert papers.live() == {"page.html", "late.txt"}
    assert papers.document("late.txt").title == "Came first"


def test_sidecars_are_documents_where_the_source_says_so(papers: Papers) -> None:
    papers.set(sidecars=False)
    papers.write("page.json", json.dumps({"title": "Given"}))
    papers.harvest()
    assert papers.live() == {"page.html", "page.json"}
