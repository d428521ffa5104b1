"""The options of a query to synthesize, and their checks."""

from __future__ import annotations

from collections.abc import Mapping

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.problem import DAY
from planscope.language.tree import FORMS, Form
from planscope.oracle.plan import COUNTED


class SynthesisError(UserError):
    """No such query exists, or none was found. One line says why and what to ask for."""


@frozen
class Request:
    """What a query to synthesize must be like. ``actions``: their number (names are then drawn from topics) or their
    names.

    ``sentences``: None draws from 1 to the number of actions. ``topic``: a job, None for a drawn one. ``topics``:
    activities by job instead of the bundled ones. ``valid_orders``: least and most.

    The options for difficulty are shares from 0 to 1: ``relatives`` of the noun phrases that could have a relative
    clause; ``lists`` of the noun phrases of actions that name several, up to ``list_length``; ``redundant`` of the
    constraints that the others imply (None: any share; else the nearest share that is found); ``second_clauses`` of
    the sentences; ``clock_times`` of the objects that may be one (timed). If the actions would not all be mentioned
    otherwise, sentences get more clauses, lists and relative clauses than these shares say. ``forms``: weights of
    the clause forms, 0 for one that is not given; None for equal weights. ``repeats``: a constraint may be stated
    twice, as in the paper; otherwise only if a given number of ``sentences`` leaves nothing else to state.
    ``modals``: share of the verbs with "should", "must" and the like.
    """

    actions: int | tuple[str, ...] = 5
    seed: int = 0
    sentences: int | None = None
    timed: bool = False
    topic: str | None = None
    topics: Mapping[str, tuple[str, ...]] | None = None
    valid_orders: tuple[int, int] | None = None
    redundant: float | None = None
    repeats: bool = False
    relatives: float = 0.3
    lists: float = 0.2
    list_length: int = 3
    second_clauses: float = 0.4
    clock_times: float = 0.3
    modals: float = 0.15
    forms: Mapping[Form, float] | None = None

    @property
    def count(self) -> int:
        """The number of actions."""
        return self.actions if isinstance(self.actions, int) else len(self.actions)

    def weights(self) -> tuple[float, ...]:
        """The weights of the clause forms, in the order of ``FORMS``."""
        return tuple(1.0 if self.forms is None else float(self.forms.get(form, 0.0)) for form in FORMS)


def check(request: Request) -> None:
    """Raise SynthesisError for options that no query can meet."""
    n = request.count
    if n < 2:
        raise SynthesisError(f"a query needs at least two actions, not {n}")
    if request.timed and n > DAY:
        raise SynthesisError(
            f"{n} timed actions do not fit a day, as each takes an hour or more; ask for {DAY} at most"
        )
    if request.seed < 0:
        raise SynthesisError(f"the seed must be 0 or more, not {request.seed}")
    if request.sentences is not None and request.sentences < 1:
        raise SynthesisError(f"a query needs at least one sentence, not {request.sentences}")
    _check_knobs(request)
    _check_forms(request)
    _check_orders(request)


def _check_knobs(request: Request) -> None:
    for knob in ("redundant", "relatives", "lists", "second_clauses", "clock_times", "modals"):
        share = getattr(request, knob)
        if share is not None and not 0 <= share <= 1:
            raise SynthesisError(f"{knob} is a share from 0 to 1, not {share}")
    if request.list_length < 1:
        raise SynthesisError(
            f"a list has at least one action, so list_length cannot be {request.list_length}"
        )


def _check_forms(request: Request) -> None:
    for form, weight in (request.forms or {}).items():
        if form not in FORMS:
            raise SynthesisError(f"there is no clause form {form!r}; the forms are {', '.join(FORMS)}")
        if not 0 <= weight < float("inf"):
            raise SynthesisError(f"the weight of {form} must be a number from 0 on, not {weight}")
    if not any(request.weights()):
        raise SynthesisError("every clause form has the weight 0; give at least one more")


def _check_orders(request: Request) -> None:
    if request.valid_orders is None:
        return
    low, high = request.valid_orders
    if not 1 <= low <= high:
        raise SynthesisError(f"valid orders are given as A..B with 1 <= A <= B, not {low}..{high}")
    if request.count > COUNTED:
        raise SynthesisError(
            f"valid orders are counted for up to {COUNTED} actions; ask for fewer than {request.count}, or no range"
        )
