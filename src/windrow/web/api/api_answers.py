"""The answer functions of the API: validated parameters in, plain values and the next address out.

Each function in `endpoints.ENDPOINTS` is one of these. They cover search, records, browse lists, collections,
sources, statistics, jobs and visits; the vocabulary answers are in `concept_answers`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from windrow.config.schema import SourceSettings
from windrow.errors import NotFound
from windrow.model.run import Run
from windrow.search import value_lists
from windrow.search.citations import cite_all
from windrow.search.facets import count_facets
from windrow.search.record_view import DeletedRecord, find_record
from windrow.search.results import add_missing_words, add_passages, find_plain_words, search_after, show_hit
from windrow.search.spelling import suggest
from windrow.search.widening import addition_as_dict
from windrow.store import visit_counts
from windrow.store.overview import SourceOverview, list_overviews
from windrow.web.api import answer_types, api_context
from windrow.web.api.api_context import ApiContext
from windrow.web.http.http_request import HttpRefusal
from windrow.web.http.parameters import CheckedParameters
from windrow.web.job_status import JobStatus, job_statuses


def source_values(desk: ApiContext) -> list[answer_types.Source]:
    """Return every source that is configured or has records, by name."""
    configured = desk.config.sources
    return [
        _source_value(known, configured.get(known.name)) for known in list_overviews(desk.store, configured)
    ]


def _source_value(known: SourceOverview, settings: SourceSettings | None) -> answer_types.Source:
    return {
        "name": known.name,
        "url": settings.url if settings else known.url,
        "configured": settings is not None,
        "records": known.records,
        "deleted": known.tombstones,
        "quarantined": known.quarantined,
        "last_run": _run_value(known.last, known.outcome) if known.last else None,
        "last_good": api_context.format_timestamp(known.last_good),
    }


def _run_value(run: Run, outcome: str) -> answer_types.Run:
    return {
        "kind": run.kind,
        "started": api_context.format_timestamp(run.started),
        "ended": api_context.format_timestamp(run.ended),
        "outcome": outcome,
    }


_MAX_SIMILAR_RECORDS = 5
# parameters that are not part of the search request
_API_ONLY_PARAMETERS = ("cursor", "facet", "field", "limit")

_LETTER_PARAMETERS = ("letter", "cursor", "per_page")


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """Values for JSON; `next` is the address of the next page, if any."""

    value: Mapping[str, object]
    next: str | None = None


AnswerFunction = Callable[[ApiContext, CheckedParameters], ApiAnswer]


def answer_search(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    question = desk.question(asked.without(*_API_ONLY_PARAMETERS), explains=True)
    cursor = asked.text("cursor") or None
    question, widened, found = search_after(desk.index, question, cursor)
    meant = None if widened else suggest(desk.index, question, found.total)
    plain = find_plain_words(desk.index, question, widened, found.total)
    shown = add_missing_words(desk.index, widened, [show_hit(hit, question) for hit in found.hits])
    hits = add_passages(shown, question.marked, desk.store)
    fields = asked.all("facet")
    following = _next_page_address(desk, "/search", asked, found.next)
    return ApiAnswer(
        {
            "query": str(question.stated),
            **api_context.match_value(widened, shown),
            "total": found.total,
            "items": [api_context.hit_value(hit, desk) for hit in hits],
            "facets": [api_context.facet_value(each) for each in count_facets(desk.index, question, fields)],
            "mistakes": [str(mistake) for mistake in question.mistakes],
            "additions": [addition_as_dict(each) for each in question.additions],
            "did_you_mean": meant.text if meant else None,
            "as_words": {"q": plain.text, "total": plain.total} if plain else None,
            "next": following,
        },
        following,
    )


def answer_facets(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    question = desk.question(asked.without(*_API_ONLY_PARAMETERS))
    found = count_facets(desk.index, question, asked.all("field"), limit=asked.number("limit"))
    total = desk.index.count(question.query)
    return ApiAnswer({"total": total, "facets": [api_context.facet_value(each) for each in found]})


def answer_record(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    source, identifier = asked.text("source"), asked.text("identifier")
    found = find_record(desk.store, source, identifier)
    if found is None:
        raise NotFound(f"there is no record {identifier} of {source}")
    if isinstance(found, DeletedRecord):
        since = api_context.format_timestamp(found.since)
        raise HttpRefusal(410, f"{found.source} withdrew {found.identifier}; it is gone since {since}.")
    value = api_context.record_value(found, desk)
    wanted = asked.all("include")
    if "history" in wanted:
        value["history"] = api_context.history_values(found.history)
    if "citations" in wanted:
        value["citations"] = {each.style: each.text for each in cite_all(found.document)}
    if "raw" in wanted:
        value["raw"] = {each.prefix: each.data.decode("utf-8", "replace") for each in found.raws}
    if "similar" in wanted:
        hits = desk.index.similar(found.number, limit=_MAX_SIMILAR_RECORDS)
        value["similar"] = [api_context.hit_summary_value(hit.card, desk) for hit in hits]
    return ApiAnswer(value)


def answer_suggestions(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    inside = desk.question(asked.without("q", "limit"))
    found = desk.index.complete(asked.text("q"), limit=asked.number("limit"), query=inside.query)
    return ApiAnswer({"items": [each._asdict() for each in found]})


def answer_newest(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    question = desk.question(asked.without("per_page"))
    hits = value_lists.list_newest(desk.index, question, limit=asked.number("per_page"))
    return ApiAnswer({"items": [api_context.hit_summary_value(hit.card, desk) for hit in hits]})


def answer_institutions(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    return _listed_values(value_lists.list_institutions(desk.index, desk.question(asked.pairs)))


def make_listed_answer(field: str) -> AnswerFunction:
    """Return an answer function that lists all values of a field that has few of them."""
    return lambda desk, asked: _listed_values(
        value_lists.list_values(desk.index, field, desk.question(asked.pairs))
    )


def make_lettered_answer(field: str, path: str) -> AnswerFunction:
    """Return an answer function that lists the values of a field that has many, by first letter."""

    def answer(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
        letter, after, limit = asked.text("letter"), asked.text("cursor"), asked.number("per_page")
        question = desk.question(asked.without(*_LETTER_PARAMETERS))
        found = value_lists.list_under_letter(
            desk.index, field, question, letter=letter, after=after, limit=limit
        )
        following = _next_page_address(desk, path, asked, found.next)
        value = {
            "letters": api_context.facet_values(found.initials),
            "letter": found.letter or None,
            "items": api_context.facet_values(found.values),
            "next": following,
        }
        return ApiAnswer(value, following)

    return answer


def answer_collections(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:  # noqa: ARG001
    (facet,) = count_facets(desk.index, desk.question(()), ["collection"])
    counts = {each.value: each.count for each in facet.values}
    items = [
        {
            "name": name,
            "title": found.title,
            "sources": list(found.sources),
            "records": counts.get(name, 0),
            "search": desk.link("/search", [("collection", name)]),
        }
        for name, found in desk.config.collections.items()
    ]
    return ApiAnswer({"items": items})


def answer_sources(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:  # noqa: ARG001
    return ApiAnswer({"items": source_values(desk)})


def answer_source(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    name = asked.text("source")
    found = next((each for each in source_values(desk) if each["name"] == name), None)
    if found is None:
        raise NotFound(f"there is no source {name}")
    return ApiAnswer(found)


def answer_statistics(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:  # noqa: ARG001
    items = [{"name": name, "table": desk.link(f"/statistics/{name}")} for name in desk.statistics]
    return ApiAnswer({"items": items})


def answer_statistic(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    name = asked.text("name")
    make = desk.statistics.get(name)
    if make is None:
        raise NotFound(
            f"there is no table {name}", hint=f"There are: {', '.join(desk.statistics) or 'none'}."
        )
    return ApiAnswer({"name": name, "table": make(desk.question(asked.pairs))})


def _listed_values(shelf: value_lists.ValueList) -> ApiAnswer:
    counted = {"items": api_context.facet_values(shelf.values), "others": shelf.others}
    return ApiAnswer(counted | ({"without": shelf.without} if shelf.field == "institution" else {}))


def _next_page_address(
    desk: ApiContext, path: str, asked: CheckedParameters, cursor: str | None
) -> str | None:
    """Return the address of the next page: the same parameters with the index's own cursor."""
    if cursor is None:
        return None
    return desk.link(path, [*asked.without("cursor"), ("cursor", cursor)])


def answer_jobs(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:  # noqa: ARG001
    return ApiAnswer({"items": [_job_value(each) for each in job_statuses(desk.store, desk.config)]})


def _job_value(job: JobStatus) -> answer_types.Job:
    return {
        "name": job.name,
        "does": job.what,
        "sources": sorted(job.sources),
        "outcome": job.outcome,
        "ended": api_context.format_timestamp(job.ended),
        "last_good": api_context.format_timestamp(job.last_good),
        "failing_since": api_context.format_timestamp(job.failing_since),
        "failures": job.failures,
        "running_since": api_context.format_timestamp(job.running_since),
        "progress": _job_progress(job),
        "next": api_context.format_timestamp(job.next),
        "paused": job.is_paused,
        "overdue": job.is_overdue,
    }


def _job_progress(job: JobStatus) -> answer_types.JobProgress | None:
    """Return the progress of a job; several harvests are summed, and have a total only if all of them do."""
    if job.reached is not None:
        return {"done": job.reached[0], "total": job.reached[1]}
    if not job.progress:
        return None
    totals = [run.claimed for run in job.progress]
    known = [total for total in totals if total is not None]
    done = sum(run.counters.seen for run in job.progress)
    return {"done": done, "total": sum(known) if len(known) == len(totals) else None}


def answer_visits(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    """Return the visits of each day: crawlers by family, people by the search engine that referred them."""
    today = datetime.fromtimestamp(desk.store.clock(), UTC).date()
    first = (today - timedelta(days=asked.number("days") - 1)).isoformat()
    with desk.store.reading() as connection:
        counted = visit_counts.since(connection, first)
    return ApiAnswer({"since": first, "items": [asdict(each) for each in counted]})
