"""The golden cases: the paper's figures and the small ones that settle what the words mean."""

from __future__ import annotations

from planscope.oracle.replay import replay
from planscope.oracle.trace import ToolCall, Trace
from planscope.wording.explain import explain_verdict
from tests.oracle.build import problem, trace


def states(run):
    return [s.state for s in run.steps]


def types(verdict):
    return [(f.type, f.step, f.severity) for f in verdict.findings]


def test_figure_3_is_right():
    run = replay(problem("a1 a2 a3", "a1<a2", "a3<a2"), trace("a1 a3 a2"))
    verdict = run.verdict()
    assert verdict.verdict == "right" and verdict.error_type is None and verdict.first_violation is None
    assert run.certify() == "confirmed"


def test_b_before_a_breaks_at_b():
    run = replay(problem("A B", "A<B"), trace("B A"))
    assert states(run) == ["completable", "broken", "broken", "broken"]
    verdict = run.verdict()
    assert types(verdict) == [("order_error", 1, "error")]
    assert verdict.first_violation is not None
    assert verdict.first_violation.step == 1 and verdict.first_violation.constraint == "c1"
    assert verdict.first_violation.core.constraints == ("c1",)
    assert verdict.first_violation.core.steps == (1,)
    assert run.certify() == "confirmed"


def test_b_and_stop_is_lost_at_the_end_and_violated_at_1():
    verdict = replay(problem("A B", "A<B"), trace("B")).verdict()
    assert types(verdict) == [("action_lost", "end", "error"), ("order_error", 1, "error")]
    assert verdict.error_type == "action_lost"
    assert verdict.first_violation is not None and verdict.first_violation.step == 1


def test_repeat():
    run = replay(problem("A B", "A<B"), trace("A B A"))
    verdict = run.verdict()
    assert types(verdict) == [("action_repeated", 3, "error")]
    assert verdict.first_violation is not None
    assert verdict.first_violation.core.constraints == ("b1",)
    assert verdict.first_violation.core.steps == (1, 3)
    assert run.certify() == "confirmed"


def test_ghost_is_a_warning_once_everything_was_done():
    verdict = replay(problem("A B", "A<B"), trace("ghost B A")).verdict()
    assert types(verdict) == [("order_error", 2, "error"), ("act_error", 1, "warning")]
    right = replay(problem("A B", "A<B"), trace("ghost A B"))
    assert right.verdict().verdict == "right"
    assert right.verdict(strict=True).verdict == "wrong"
    assert right.verdict(strict=True).error_type == "act_error"
    lost = replay(problem("A B", "A<B"), trace("A ghost")).verdict()
    assert lost.error_type == "act_error"


def test_two_minimal_cores_the_first_counts():
    run = replay(problem("A B C", "A<C", "B<C"), trace("C"))
    core = run.steps[1].core
    assert core is not None and core.constraints == ("c1",) and core.steps == (1,)


def test_repair_ties_go_to_the_order_nearest_to_the_agents_own():
    fixed = replay(problem("A B C", "A<B"), trace("B C A")).repair()
    assert fixed.order == ("a3", "a1", "a2") and fixed.swaps == 2 and fixed.exact


def test_clock_runs_on_after_a_wrong_hour():
    run = replay(problem("X Y Z", timed=True, durations=[2, 2, 1]), trace("X@10 Y@8 Z@11"))
    assert types(run.verdict()) == [("parameter_error", 2, "error"), ("parameter_error", 3, "error")]
    assert run.certify() == "confirmed"


def test_one_valid_order():
    run = replay(problem("A B", "A<=12", "B>=14", timed=True), trace("", "running"))
    assert run.valid_completions(0) == 1


def figure_10():
    made = problem(
        "a1 a2 a3",
        "a3>=10",
        "a2<a1",
        "a2<a3",
        "a3<a1",
        "a1>=18",
        "a3<=12",
        timed=True,
        durations=[1, 2, 2],
    )
    return replay(made, trace("a3@10 a2@8 a1@18"))


def test_figure_10():
    run = figure_10()
    verdict = run.verdict()
    assert verdict.error_type == "parameter_error"
    assert types(verdict)[0] == ("parameter_error", 2, "error")
    assert states(run) == ["completable", "doomed", "broken", "broken", "broken"]
    violation = verdict.first_violation
    assert violation is not None and violation.step == 1 and violation.constraint == "c3"
    assert violation.core.constraints == ("c3", "b3") and violation.core.steps == (1,)
    assert violation.core.foreseeable
    fixed = run.repair()
    assert fixed.order == ("a2", "a3", "a1")
    assert fixed.starts == {"a2": 8, "a3": 10, "a1": 18}
    assert fixed.swaps == 1 and fixed.exact
    assert run.certify() == "confirmed"


def test_figure_7():
    made = problem("a1 a2", "a1<a2", "a2<=15", "a1>=10", timed=True, durations=[2, 1])
    run = replay(made, trace("a1@14", "running"))
    assert states(run) == ["completable", "doomed"]
    assert "broken" not in run.statuses(1).values()
    core = run.steps[1].core
    assert core is not None and core.constraints == ("c1", "c2") and core.steps == (1,)
    assert run.certify() == "confirmed"


def test_act_errors_of_timed_calls():
    made = problem("A", timed=True)
    for wrong in ({"start_time": "8"}, {"start_time": True}, {}, {"start_time": 8.5}, {"start_time": None}):
        run = replay(made, Trace((ToolCall("a", wrong),)))
        assert [f.type for f in run.verdict().findings] == ["act_error", "action_lost"]
        assert run.steps[1].action is None
    assert replay(made, Trace((ToolCall("a", {"start_time": 8.0}),))).verdict().verdict == "right"
    unread = replay(made, Trace((ToolCall("a", None, "not JSON"),)))
    assert unread.verdict().error_type == "act_error"


def test_extra_arguments_are_a_warning():
    run = replay(problem("A"), Trace((ToolCall("a", {"x": 1}),)))
    assert types(run.verdict()) == [("act_error", 1, "warning")]
    assert run.verdict().verdict == "right" and run.verdict(strict=True).verdict == "wrong"


def test_restart_starts_over():
    made = problem("A B", "A<B", timed=True, durations=[2, 1])
    run = replay(made, trace("B@3 restart A@0 B@2"))
    assert [s.attempt for s in run.steps] == [1, 1, 2, 2, 2, 2]
    assert states(run) == [
        "completable",
        "doomed",
        "completable",
        "completable",
        "completable",
        "completable",
    ]
    assert run.verdict().verdict == "right"
    assert run.certify() == "confirmed"


def test_contradiction_is_doomed_at_step_0():
    run = replay(problem("A B C", "A<B", "B<C", "C<A"), trace("A B C"))
    assert run.steps[0].state == "doomed"
    assert run.steps[0].core is not None and run.steps[0].core.constraints == ("c1", "c2", "c3")
    assert run.steps[0].core.steps == ()
    assert run.repair().order is None
    assert run.certify() == "confirmed"


def test_aborted_is_no_planning_error():
    verdict = replay(problem("A B"), trace("A", "aborted")).verdict()
    assert verdict.verdict == "aborted" and verdict.error_type is None and verdict.findings == ()


def test_timeout_comes_first():
    verdict = replay(problem("A B"), trace("ghost A A", "timeout")).verdict()
    assert verdict.findings[0].type == "timeout"
    assert verdict.error_type == "timeout"


def test_unforeseeable():
    made = problem("A B", "B<=5", "A<B", timed=True, durations=[1, 4])
    run = replay(made, trace("A@1 B@2"))
    assert run.steps[1].state == "doomed"
    core = run.steps[1].core
    assert core is not None and not core.foreseeable


def test_an_action_before_itself_is_wrong_when_it_is_called():
    run = replay(problem("A B", "A<A"), trace("B A"))
    assert states(run) == ["broken", "broken", "broken", "broken"]
    verdict = run.verdict()
    assert types(verdict) == [("order_error", 2, "error")]
    assert verdict.first_violation is not None and verdict.first_violation.step == 0
    said = explain_verdict(run, verdict)
    assert "comes before" in said or "itself" in said
    timed = replay(problem("A B", "A<A", timed=True), trace("B@30 A@31"))
    assert types(timed.verdict())[0] == ("parameter_error", 1, "error")
    assert ("order_error", 2, "error") in types(timed.verdict())


def test_a_start_of_any_size_is_a_parameter_error():
    for hour in (10**9, 10**20, 10**300, -(10**9), 999_999_990, 24):
        run = replay(problem("A B", timed=True), trace(f"A@{hour} B@3"))
        core = run.steps[1].core
        assert core is not None and core.constraints == ("b4",) and core.steps == (1,)
        assert run.certify() == "confirmed"
    huge = replay(problem("A", timed=True), Trace((ToolCall("a", {"start_time": 1e300}),)))
    assert huge.verdict().error_type == "parameter_error" and huge.certify() == "confirmed"


def test_the_end_of_a_run_that_broke_off_says_what_could_have_come():
    run = replay(problem("A B", "A<B"), trace("A", "aborted"))
    assert run.steps[-1].state == "completable"
    assert [m.action for m in run.safe_moves(2)] == ["a2"] and run.valid_completions(2) == 1


def headline(run):
    found = run.verdict().headline
    return None if found is None else (found.type, found.step)


def test_the_headline_names_the_finding_that_lost_the_plan():
    lost_early = replay(problem("A B C", "A<B"), trace("B A"))
    assert lost_early.verdict().error_type == "action_lost"
    assert headline(lost_early) == ("order_error", 1)
    assert headline(replay(problem("A B", "A<B"), trace("B A A"))) == ("order_error", 1)
    assert headline(replay(problem("A B", "A<B"), trace("B", "timeout"))) == ("order_error", 1)


def test_the_headline_is_the_primary_finding_where_the_step_that_lost_the_plan_did_nothing_wrong():
    assert figure_10().verdict().lost_by is None
    assert headline(figure_10()) == ("parameter_error", 2)
    contradictory = replay(problem("A B", "A<B", "B<A"), trace("A B"))
    assert contradictory.verdict().lost_by is None and headline(contradictory) == ("order_error", 1)


def test_of_two_findings_of_one_step_the_headline_names_the_one_in_the_core():
    made = problem("A B", "A<B", timed=True, durations=[2, 1])
    run = replay(made, trace("A@1 B@2"))
    assert types(run.verdict()) == [("parameter_error", 2, "error"), ("order_error", 2, "error")]
    first = run.verdict().first_violation
    assert first is not None and first.core.constraints == ("c1",)
    assert headline(run) == ("order_error", 2)


def test_a_warning_is_no_headline():
    extra = Trace((ToolCall("b", {"x": 1}), ToolCall("a", {})))
    assert headline(replay(problem("A B", "A<B"), extra)) == ("order_error", 1)
    assert headline(replay(problem("A"), Trace((ToolCall("a", {"x": 1}),)))) is None
    assert headline(replay(problem("A B"), trace("A", "aborted"))) is None


def test_durations_that_would_not_help_do_not_make_it_unforeseeable():
    """The core needs how long Y takes, the plan does not: calls come one by one, so Y starts at 6 or later."""
    run = replay(problem("X Y", "Y>=4", "Y<X", timed=True, durations=[1, 3]), trace("X@5"))
    first = run.verdict().first_violation
    assert first is not None and first.step == 1
    assert first.core.constraints == ("c1", "c2") and first.core.foreseeable
    assert "could not have known" not in explain_verdict(run, run.verdict())


def test_what_a_call_told_counts_from_then_on():
    made = problem("A B", "B<=5", "A<B", timed=True, durations=[1, 4])
    again = replay(made, trace("A@1 B@2 restart A@1"))
    cores = [view.core for view in again.steps if view.core is not None]
    assert [core.foreseeable for core in cores] == [False, False, True, True]
    assert not replay(made, trace("B A@1")).steps[2].core.foreseeable, "a refused call tells no duration"


def test_nothing_that_a_duration_decides_is_unforeseeable_where_the_rest_is_lost_anyway():
    """Two reasons at one step, one of which no duration would mend."""
    made = problem("A B C", "A<B", "B<=6", "C<=2", timed=True, durations=[1, 4, 1])
    run = replay(made, trace("A@2"))
    core = run.steps[1].core
    assert core is not None and core.constraints == ("c1", "c2") and core.foreseeable


def test_a_repeated_calls_hours_are_held_against_clock_times():
    run = replay(problem("X", "X<=12", timed=True), trace("X@8 X@20"))
    assert types(run.verdict()) == [("action_repeated", 2, "error"), ("parameter_error", 2, "error")]
    assert run.verdict().findings[1].constraints == ("c1",)
    assert run.steps[2].findings[1].type == "parameter_error"
    assert run.status("c1", 2) == "holds", "the first execution decides the constraint"
    early = replay(problem("X", "X>=9", timed=True), trace("X@9 X@8"))
    assert early.verdict().findings[1].constraints == ("c1", "b3")
    fine = replay(problem("X", "X<=12", timed=True), trace("X@8 X@10"))
    assert types(fine.verdict()) == [("action_repeated", 2, "error")]
    restarted = replay(problem("X", "X<=12", timed=True), trace("X@8 X@20 restart X@8"))
    assert restarted.verdict().verdict == "right"
    assert [f.type for f in restarted.steps[2].findings] == ["action_repeated", "parameter_error"]
