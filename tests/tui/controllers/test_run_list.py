"""The list of runs: what is listed, judged, found, deleted and taken back."""

from __future__ import annotations

from planscope.session.locations import bundled
from planscope.session.model import ForkPoint, Session
from planscope.session.run_list import MINE, Facet, losses_of, tally
from planscope.session.store import load
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.run_list import JOB, Place, RunList, judge_runs, outcomes_of, tree_of
from planscope.tui.messages import DocumentChanged, StateChanged
from planscope.tui.screens.compare.comparable import Chosen, nearest
from tests.tui import sessions
from tests.tui.controllers.at_once import JobsAtOnce, Posted


def listed(session: Session, *held: str, begin: Place | None = None) -> tuple[RunList, JobsAtOnce, Posted]:
    document, jobs, posted = Document(None), JobsAtOnce(*held), Posted()
    document.open(session)
    runs = RunList(document, jobs, posted, begin)
    runs.read()
    return runs, jobs, posted


def many(count: int = 6) -> Session:
    made = load(bundled()["first-look"])  # r1 is right, r2 is wrong
    made.runs[:] = [made.runs[i % 2].model_copy(update={"id": f"r{i + 1}"}) for i in range(count)]
    return made


def test_runs_are_judged_and_counted_and_the_one_displayed_is_chosen() -> None:
    runs, jobs, posted = listed(many(), begin=Place("v1", "r4"))
    assert runs.state.chosen is not None and runs.state.chosen.place == ("v1", "r4")
    assert (tally(runs.state.runs).share, losses_of(runs.state.runs).lost) == ("3/6", 3) and posted.of(
        StateChanged
    )
    runs.read()
    assert jobs.started == [JOB], "what was judged once is known"


def test_words_and_filters_keep_the_query_above_its_runs() -> None:
    runs, _, _ = listed(many())
    runs.search("wrong")
    assert [row.place.run for row in runs.state.listed] == ["", "r2", "r4", "r6"]
    assert runs.state.chosen is not None and runs.state.chosen.place.run == "r2"
    runs.toggle(Facet("verdict", "right"))
    assert not runs.state.listed
    runs.search("")
    assert [row.place.run for row in runs.state.listed] == ["", "r1", "r3", "r5"]
    runs.toggle(Facet("verdict", "right"))
    assert not runs.state.filtered and len(runs.state.listed) == 7
    runs.search("v1")
    assert len(runs.state.runs) == 6
    runs.clear()
    assert (Facet("verdict", "wrong"), 3) in runs.state.counts()


def test_the_next_failure_goes_round_and_says_so() -> None:
    runs, _, _ = listed(many(), begin=Place("v1", "r3"))
    said = []
    for _ in range(4):
        said.append((runs.next_failure(), runs.state.chosen.place.run if runs.state.chosen else ""))
    assert said == [("", "r4"), ("", "r6"), ("the first wrong run again", "r2"), ("", "r4")]
    runs.toggle(Facet("verdict", "right"))
    assert runs.next_failure() == "no run here is wrong"


def test_without_a_listed_run_nothing_is_deleted() -> None:
    runs, _, _ = listed(many())
    for run in tuple(runs.document.runs):
        runs.document.remove(runs=[run.id])
    runs.read()
    before = runs.document.session.removed
    assert runs.delete(set(), listed=True) == "not done: there is nothing to delete"
    assert runs.document.session.removed == before  # u brings a run back, not nothing


def test_a_run_is_deleted_and_taken_back_where_it_was() -> None:
    runs, _, _ = listed(many(), begin=Place("v1", "r3"))
    assert runs.delete(set()) == "deleted: run r3; u takes it back"
    runs.heard(DocumentChanged("removed"))
    assert [one.run.id for one in runs.state.runs] == [
        "r1",
        "r2",
        "r4",
        "r5",
        "r6",
    ] and runs.state.removed == 1
    assert runs.take_back() == "restored: run r3"
    runs.heard(DocumentChanged("removed"))
    assert [one.run.id for one in runs.state.runs] == [
        f"r{i}" for i in range(1, 7)
    ] and not runs.state.removed
    assert runs.take_back().startswith("not done: nothing was deleted")


def test_all_listed_runs_are_deleted_at_once_and_come_back_at_once() -> None:
    runs, _, _ = listed(many())
    runs.toggle(Facet("verdict", "wrong"))
    assert runs.delete(set(), listed=True) == "deleted: 3 runs; u takes it back"
    assert [run.id for run in runs.document.runs] == ["r1", "r3", "r5"] and runs.document.unsaved == 1
    assert runs.take_back() == "restored: 3 runs"
    assert [run.id for run in runs.document.runs] == [f"r{i}" for i in range(1, 7)]


def test_what_is_busy_or_played_or_the_last_query_is_not_deleted() -> None:
    runs, _, _ = listed(many(), begin=Place("v1"))
    assert "keeps at least one query" in runs.delete(set())
    going = runs.document.runs[0]
    runs.document.put_run(going.model_copy(update={"id": "r9"}), under_way=True, passing=True)
    runs.read()
    runs.choose(999)
    assert runs.state.chosen is not None and runs.state.chosen.place.run == "r9"
    assert "in progress" in runs.delete(set())


def test_runs_of_dissections_can_be_told_apart() -> None:
    runs, _, _ = listed(load(bundled()["cause-terminal"]))
    runs.toggle(Facet("made", MINE))
    assert [one.run.id for one in runs.state.runs] == ["r1"]


def test_an_unreadable_query_has_runs_that_are_not_decided() -> None:
    runs, _, _ = listed(sessions.unreadable())
    assert {one.outcome.verdict for one in runs.state.runs if one.outcome} == {"unknown"}


def test_verdicts_show_in_batches_and_a_closed_list_judges_no_more() -> None:
    runs, jobs, posted = listed(many(60), JOB)
    posted.clear()
    jobs.go(JOB)
    assert len(posted) < 5 and all(one.outcome for one in runs.state.runs) and runs.at_rest
    runs.document.outcomes.clear()
    runs.read()
    runs.close()
    assert not jobs.running(JOB)


def test_forks_are_below_the_run_that_they_were_forked_from() -> None:
    session = many(4)
    first, second, third, fourth = session.runs
    second.forked_from = ForkPoint(run="r1", step=1)
    third.forked_from = ForkPoint(run="r3", step=1)  # a file may say that a run is its own fork
    fourth.forked_from = ForkPoint(run="gone", step=1)
    other = session.variants[0].model_copy(update={"id": "v9", "parent": session.variants[0].id})
    moved = first.model_copy(update={"id": "r5", "variant": "v9", "forked_from": ForkPoint(run="r1", step=1)})
    runs = [*session.runs, moved]
    made = tree_of([*session.variants[:1], other], runs)
    assert [(one.depth, one.variant.id if one.number is None else runs[one.number].id) for one in made] == [
        (0, session.variants[0].id),
        (1, "r1"),
        (2, "r2"),
        (1, "r3"),
        (1, "r4"),
        (1, "v9"),
        (2, "r5"),
    ]


def batch(count: int = 12) -> Session:
    """Traces of a shop judged by rules: each third is right, the others go wrong in two ways."""
    made = load(bundled()["returns-desk"])
    right, *wrong = sorted(made.runs, key=lambda run: run.id != right_run(made))
    made.runs[:] = [
        (right if k % 3 == 0 else wrong[k % len(wrong)]).model_copy(update={"id": f"r{k + 1}"})
        for k in range(count)
    ]
    return made


def right_run(session: Session) -> str:
    (found,) = [key[1] for key, outcome in judge_runs(session, session.runs) if outcome.verdict == "right"]
    return found


def test_runs_that_only_rules_judge_are_grouped_by_their_cause() -> None:
    runs, _, _ = listed(batch())
    causes = runs.state.causes
    assert causes and sum(n for _, n in causes) == sum(run.failed for run in runs.state.all_runs) == 8
    (label, count), *_ = causes
    assert (Facet("cause", label), count) in runs.state.counts()
    runs.toggle(Facet("cause", label))
    assert len(runs.state.runs) == count and {
        run.outcome.cause for run in runs.state.runs if run.outcome
    } == {label}
    assert nearest_is_right(runs)


def nearest_is_right(runs: RunList) -> bool:
    """Whether the first listed run is compared with a right one."""
    session, run = runs.document.open_session, runs.state.runs[0].run
    found = nearest(session, Chosen(session.runs[0].variant, run.id), outcomes_of(runs.document))
    return found is not None and outcomes_of(runs.document)[found.run or ""].verdict == "right"


def test_a_query_has_no_causes_but_steps_that_lost_it() -> None:
    runs, _, _ = listed(many())
    assert runs.state.causes == [] and losses_of(runs.state.runs).rows
