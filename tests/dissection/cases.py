"""Sessions to dissect."""

from __future__ import annotations

from planscope.agents.options import RunOptions
from planscope.agents.simulated_runs import run_simulated
from planscope.language.tree_json import dump
from planscope.oracle.replay import replay
from planscope.session.model import Origin, Run, Session, Variant, make_variant
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request

PLANTED = {
    "Probability": "sim:flaky?p=0.5",
    "Terminal": "sim:word-blind?fires=0.9&noise=0.05",
    "Topic": "sim:topic-blind?fires=0.9&noise=0.05",
    "Structure": "sim:clause-blind?fires=0.9&noise=0.05",
    "Constraint": "sim:constraint-blind?fires=0.9&noise=0.05",
}


def query(seed: int, *, timed: bool = False, actions: int = 5) -> Variant:
    made = synthesize(Request(actions=actions, seed=seed, timed=timed, repeats=True))
    return make_variant(
        made.problem, Origin(kind="synthesized"), topic=made.topic, seed=seed, tree=dump(made.tree)
    )


def verdict(variant: Variant, run: Run) -> str:
    return replay(problem_of(variant), trace_of(run)).verdict().verdict


def failing(model: str, *, timed: bool = False, first: int = 0) -> Session:
    """A session with a request, and a run of it that the model's planted fault makes fail."""
    sure = model.partition("?")[0] if "flaky" not in model else "sim:flaky?p=0"
    for seed in range(first, first + 500):
        variant = query(seed, timed=timed)
        if verdict(variant, run_simulated(variant, RunOptions(model=sure))) != "wrong":
            continue
        for luck in range(50):
            run = run_simulated(variant, RunOptions(model=model, seed=luck), run_id="r1")
            if verdict(variant, run) == "wrong":
                return Session(id="case", title="A case", variants=[variant], runs=[run])
    raise AssertionError(f"{model} never fails")
