"""Finds the causes of a campaign's errors: a sample of them is dissected, and each result is kept at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from planscope.campaign.cases import Arm, Knobs, case_id, make_case, run_seed
from planscope.campaign.report import is_below, limits_by_arm
from planscope.campaign.store import CampaignError, Store
from planscope.campaign.worker import run_of
from planscope.dissection.engine import Dissector
from planscope.dissection.options import DissectOptions
from planscope.dissection.summary import summary
from planscope.session.model import Method, Session
from planscope.session.store import loads


class Error(NamedTuple):
    """A wrong run: the key of its arm, and its case."""

    arm: int
    n: int
    number: int


def errors_of(store: Store, arm: int | None = None) -> list[Error]:
    """Return the wrong runs, of all arms or of one, with n below their arm's limit, which nobody helped."""
    limits = limits_by_arm(store)
    return [
        Error(row["arm"], row["n"], row["idx"])
        for row in store.listed(arm, verdict="wrong")
        if not row["helped"] and is_below(row["n"], limits[row["arm"]])
    ]


def sample(errors: list[Error], size: int, seed: int) -> list[Error]:
    """Return ``size`` errors drawn with the seed. A larger sample holds the smaller ones."""
    order = sorted(
        errors, key=lambda one: hashlib.sha256(repr((seed, "sample", tuple(one))).encode()).digest()
    )
    return sorted(order[:size])


def dissect(
    store: Store,
    *,
    size: int,
    method: Method,
    budget: int,
    arm: int | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Dissect the errors of the sample that were not dissected by this method yet. Return how many the sample has.

    ``arm``: draw the sample from the errors of this arm alone. An interrupt keeps what is finished.
    """
    knobs = store.knobs
    arms = {record.place: record.arm for record in store.arms()}
    wanted = sample(errors_of(store, arm), size, knobs.seed)
    done = {(place, n, index) for place, n, index, by, *_ in store.dissections() if by == method}
    left = [error for error in wanted if tuple(error) not in done]
    for number, error in enumerate(left):
        on_progress(len(wanted) - len(left) + number, len(wanted))
        _dissect(store, knobs, arms[error.arm], error, method, budget)
    on_progress(len(wanted), len(wanted))
    return len(wanted)


def _dissect(store: Store, knobs: Knobs, arm: Arm, error: Error, method: Method, budget: int) -> None:
    session = session_of(store, error)
    dissector = Dissector(
        session,
        session.variants[0],
        DissectOptions.of(
            arm.options(store.limits, run_seed(knobs, arm, error.n, error.number) + 1),
            method=method,
            budget=budget,
        ),
        run=session.runs[0],
    )
    dissector.go()
    record = dissector.add_to(session)
    decision = summary(session, record).decision
    store.keep_dissection(
        error,
        method,
        decision.cause,
        decision.confidence,
        decision.blameless,
        session.model_dump_json(exclude_none=True),
    )


def session_of(store: Store, error: Error) -> Session:
    """Return a new session with a case and the run of one arm on it. Raises CampaignError if there is no such run."""
    data = store.events(*error)
    name = case_id(error.n, error.number)
    if data is None:
        raise CampaignError(f"there is no run of case {name} by that arm; see: planscope campaign show NAME")
    case = make_case(store.knobs, error.n, error.number)
    if store.printed(error.n, error.number) != case.printed:
        raise CampaignError(
            f"this planscope makes another case {name} than the one that was run; use the version that "
            f"began the campaign"
        )
    run = run_of(data, case.variant, f"{store.path}: the run of case {name}")
    return Session(
        id=f"campaign-{name}", title=f"{case.topic}: case {name}", variants=[case.variant], runs=[run]
    )


def kept_dissection(store: Store, error: Error) -> Session | None:
    """Return the session with a dissection of a run that was kept, or None."""
    found = store.dissected(*error)
    where = f"{store.path}: the dissection of case {case_id(error.n, error.number)}"
    return None if found is None else loads(found.encode(), where)
