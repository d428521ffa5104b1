"""How to run: agent, model, seed, guard, where to pause; for a fork also the answer and the request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planscope.agents.models import check_model, parse_model
from planscope.agents.paradigms import AGENTS
from planscope.debugger.breakpoints import Breakpoint
from planscope.errors import UserError
from planscope.session.model import Run, Variant
from planscope.session.record import RecordedCall
from planscope.tui.controllers.dissecting import DissectChoice
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.dialogs.form import Answers, ChoiceField, Field, FormDialog, TextField
from planscope.tui.style.lines import shown
from planscope.tui.style.painter import Painter
from planscope.tui.style.safe_text import visible

MOST_RUNS = 1000
MOST_REQUESTS = 6
"""So many of the session's requests are offered to a fork: the run's own and the newest."""


@dataclass(frozen=True, slots=True)
class Forked:
    """What a fork was asked to be. ``answer`` None: as it was."""

    choice: RunChoice
    variant: str
    answer: str | None


def run_form(
    paint: Painter, breakpoints: Sequence[Breakpoint], choice: RunChoice, variant: Variant
) -> FormDialog[RunChoice]:
    """A dialog that asks how to run a request."""
    before = [
        f"Runs the request {visible(variant.id, limit=20)} on mock tools, as a new run of this session."
    ]
    if breakpoints:
        before.append(f"It pauses at the breakpoints: {', '.join(map(str, breakpoints))[:200]}")

    def read(answers: Answers) -> RunChoice:
        return read_choice(answers, choice)

    return FormDialog(paint, "Run", _fields(choice), read, before=before, first="model")


def fork_form(
    paint: Painter,
    variants: Sequence[Variant],
    run: Run,
    step: int,
    told: RecordedCall | None,
    choice: RunChoice,
) -> FormDialog[Forked]:
    """A dialog that asks how to go on from a step of a run. Raises ``CannotFork``.

    ``told``: what the record tells of that step.
    """
    from planscope.agents.forks import kept_events

    kept_events(run, step)  # raises
    was = visible(told.answer) if told is not None and told.answer is not None else None
    fields: list[Field] = []
    if was is not None:
        fields.append(TextField("answer", "Answer", was))
    fields.append(ChoiceField("variant", "Request", _requests(variants, run.variant), run.variant))
    fields += _fields(choice)
    kept = (
        "Only the prompt is kept"
        if not step
        else "Step 1 is kept"
        if step == 1
        else f"Steps 1 to {step} are kept"
    )
    before = (f"{kept} from run {visible(run.id, limit=20)}; everything behind is run anew. Both runs stay.",)

    def read(answers: Answers) -> Forked:
        edited = answers.get("answer")
        answer = None if edited is None or edited == was else edited
        return Forked(read_choice(answers, choice), answers["variant"], answer)

    title = f"Fork after step {step}" if step else "Fork before the first call"
    return FormDialog(paint, title, fields, read, before=before)


def _requests(variants: Sequence[Variant], own: str) -> tuple[tuple[str, str], ...]:
    others = [v for v in variants if v.id != own][::-1][: MOST_REQUESTS - 1]
    offered = [(own, f"{own}, as it was")] + [
        (v.id, f"{v.id} {v.origin.mutation or v.origin.kind}") for v in others
    ]
    return tuple((id, shown(label, 30)) for id, label in offered)


def _fields(choice: RunChoice) -> list[Field]:
    agents = tuple((agent, agent) for agent in AGENTS)
    if choice.agent not in AGENTS:
        agents += ((choice.agent, choice.agent),)
    return [
        TextField("model", "Model", choice.model, "sim:careful, sim:literal, … or provider:name"),
        ChoiceField("agent", "Agent", agents, choice.agent),
        TextField("seed", "Seed", "" if choice.seed is None else str(choice.seed), "of a simulated model: 0"),
        TextField(
            "base_url", "Base URL", choice.base_url or "", "of a local server; empty for the provider's"
        ),
        ChoiceField(
            "guard",
            "Guard",
            (("off", "off"), ("on", "refuses calls that lose the plan")),
            "on" if choice.guard else "off",
        ),
        ChoiceField(
            "stepping",
            "Pause",
            (("off", "at breakpoints"), ("on", "before every call")),
            "on" if choice.stepping else "off",
        ),
    ]


def read_choice(answers: Answers, before: RunChoice) -> RunChoice:
    """What a form's answers stand for; the rest is as ``before``. Raises ``UserError`` with what is wrong."""
    number = _whole(answers["seed"], "the seed")
    base_url = answers["base_url"].strip() or None
    spec = parse_model(answers["model"], seed=number)
    check_model(spec, base_url=base_url)
    return replace(
        before,
        agent=answers["agent"],
        model=spec.text,
        seed=number,
        base_url=base_url,
        guard=answers["guard"] == "on",
        stepping=answers["stepping"] == "on",
    )


def dissect_form(paint: Painter, wanted: DissectChoice) -> FormDialog[DissectChoice]:
    """A dialog that asks what to dissect with."""
    agents = tuple((agent, agent) for agent in (*AGENTS, *({wanted.agent} - set(AGENTS))))
    fields: list[Field] = [
        TextField("model", "Model", wanted.model, "sim:careful, sim:literal, … or provider:name"),
        ChoiceField("agent", "Agent", agents, wanted.agent),
        ChoiceField("method", "Method", (("rates", "rates"), ("paper", "as in the paper")), wanted.method),
        TextField("budget", "Budget", str(wanted.budget), "the most runs to spend"),
        TextField("seed", "Seed", "" if wanted.seed is None else str(wanted.seed), "of a simulated model: 0"),
        TextField(
            "base_url", "Base URL", wanted.base_url or "", "of a local server; empty for the provider's"
        ),
    ]

    def read(answers: Answers) -> DissectChoice:
        number = _whole(answers["seed"], "the seed")
        budget = answers["budget"].strip()
        if not (budget.isascii() and budget.isdigit() and len(budget) < 9 and 1 <= int(budget) <= MOST_RUNS):
            said = shown(budget, 40) or "nothing"
            raise UserError(f"the budget is a number of runs from 1 to {MOST_RUNS:,}, not {said}")
        base_url = answers["base_url"].strip() or None
        spec = parse_model(answers["model"], seed=number)
        check_model(spec, base_url=base_url)
        same = (answers["agent"], spec.text) == (wanted.agent, wanted.model)
        return DissectChoice(
            agent=answers["agent"],
            model=spec.text,
            run=wanted.run if same else None,
            method="paper" if answers["method"] == "paper" else "rates",
            budget=int(budget),
            seed=number,
            base_url=base_url,
        )

    before = (
        "Runs mutants of the request (other words, another topic, another tree that asks for the same, fresh "
        "requests) until it is clear what makes the agent fail, or the budget is spent.",
    )
    return FormDialog(paint, "Dissect", fields, read, before=before, first="model")


def _whole(text: str, what: str) -> int | None:
    """A whole number from 0 on, or none. Raises ``UserError``."""
    number = text.strip()
    if number and not (number.isascii() and number.isdigit() and len(number) <= 9):
        raise UserError(f"{what} is a whole number from 0 on, not {shown(number, 40)}")
    return int(number) if number else None
