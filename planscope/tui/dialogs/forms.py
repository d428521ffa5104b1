"""The forms: run a query, fork a run, dissect a query, make a new session."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from planscope.agents.models import PROVIDERS, check_model
from planscope.agents.options import RunOptions
from planscope.agents.paradigms import AGENTS
from planscope.agents.simulated.profiles import PROFILES
from planscope.debugger.breakpoints import Breakpoint
from planscope.debugger.errors import DebuggerError
from planscope.debugger.offers import Offer
from planscope.debugger.play_values import Way
from planscope.debugger.typed_call import arguments_of, json_of, line_of, text_of
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.topics import load_topics
from planscope.safe import visible
from planscope.session.model import Method, Run, Variant
from planscope.session.record import RecordedCall
from planscope.synthesis.request import Request, check
from planscope.tui.controllers.dissecting import DissectChoice
from planscope.tui.controllers.live_run import OwnChoice, RunChoice
from planscope.tui.controllers.what_if import Play
from planscope.tui.dialogs.base import Said
from planscope.tui.dialogs.form import Answers, Field, FormDialog
from planscope.tui.settings import FACTORY
from planscope.tui.style.lines import shown
from planscope.wording.phrases import move_does
from planscope.wording.terms import METHODS, MUTATIONS, ORIGINS, STATE_GLYPHS

Chosen = TypeVar("Chosen", bound=RunOptions)

MOST_RUNS = 1000
MOST_MODELS = 8
"""A form offers at most this many models of the session."""

MOST_QUERIES = 6
"""A fork offers at most this many queries: the run's own and the newest."""


@frozen
class Forked:
    """The answers of the fork form. ``answer`` None: the tool's answer stays as it was."""

    choice: RunChoice
    variant: str
    answer: str | None


def run_form(
    breakpoints: Sequence[Breakpoint], choice: RunChoice, variant: Variant, used: Sequence[str] = ()
) -> FormDialog[RunChoice]:
    """Ask how to run a query. ``used``: models of the session, offered first."""
    before = [
        f"Runs the query {visible(variant.id, limit=20)} with mock tools, as a new run of this session."
    ]
    if breakpoints:
        before.append(f"It pauses at the breakpoints: {', '.join(map(str, breakpoints))[:200]}")
    fields = _fields(choice, used)
    return FormDialog("Run", fields, lambda found: read_choice(found, choice), before=before, first="model")


def played_form(play: Play, first: str) -> FormDialog[Way]:
    """Ask for the arguments and the answer of the chosen call of what-if play. ``first``: the row to begin with."""
    from planscope.debugger.paused_call import judge_way
    from planscope.debugger.played import option_with

    option, played = play.chosen, play.played
    assert option is not None and option.way is not None
    way, tool = option.way, played.problem.action_by_id[option.action].tool

    def offered(one: Way) -> Offer:
        then = option_with(played, option, one)
        does = move_does(played.problem, then.becomes)
        about = ", ".join(part for part in (does, one.about) if part)
        return Offer(json_of(one.arguments), f"{STATE_GLYPHS[then.becomes]} {about}")

    def read(answers: Answers) -> Way:
        try:
            given = arguments_of(answers["arguments"])
            answer = text_of(answers["answer"]) if answers["answer"] else None
        except DebuggerError as error:
            raise UserError(str(error)) from None
        about = next((one.about for one in option.ways if one.arguments == given), "")
        return Way(given, answer, answers["outcome"] == "fails", answers.get("said", ""), about)

    def judge(answers: Answers) -> Sequence[Said]:
        try:
            return judge_way(played, option.action, read(answers))
        except UserError as error:
            return [(str(error), "dim")]

    gave = [Offer(line_of(text), about) for text, about in played.values.answers(tool)]
    outcomes = (("succeeds", "succeeds"), ("fails", "fails"))
    fields = [
        Field("arguments", "arguments", json_of(way.arguments), offers=[*map(offered, option.ways)]),
        Field("answer", "answer", line_of(way.answer or ""), "the tool does not answer", gave),
        Field("outcome", "the call", "fails" if way.failed else "succeeds", options=outcomes),
    ]
    if played.values.hears_users:
        said = [Offer(text, "a rule looks at it") for text in played.values.sayings()]
        fields.insert(0, Field("said", "the user says", way.said, "nothing before this call", said))
    return FormDialog(f"Play {visible(tool, limit=60)}", fields, read, first=first, judge=judge)


def fork_form(
    run: Run,
    step: int,
    told: RecordedCall | None,
    choice: RunChoice,
    variants: Sequence[Variant],
    used: Sequence[str] = (),
) -> FormDialog[Forked]:
    """Ask how to continue from a step of a run; ``told`` is its call. Raises ``CannotFork``."""
    from planscope.agents.forks import kept_events

    kept_events(run, step)
    was = visible(told.answer) if told is not None and told.answer is not None else None
    fields = [] if was is None else [Field("answer", "Answer", was)]
    of = visible(run.id, limit=20)
    before: tuple[str, ...]
    if choice.own is not None:
        before = (
            f"{visible(choice.agent, limit=60)} goes on from run {of} with its own tools.",
            "No kept call is made again. Only the messages are kept: other state begins anew, files, clock and "
            "random numbers are those of now, and what tools did stays done.",
        )
        fields.append(_pause(choice))
    else:
        kept = ("Only the prompt is kept", "Step 1 is kept", f"Steps 1 to {step} are kept")[min(step, 2)]
        before = (f"{kept} from run {of}; the rest is run again. Both runs are kept.",)
        queries = Field("variant", "Query", run.variant, options=_queries(variants, run.variant))
        fields += [queries, *_fields(choice, used)]

    def read(answers: Answers) -> Forked:
        edited = answers.get("answer")
        chosen = _stepping(answers, choice) if choice.own is not None else read_choice(answers, choice)
        return Forked(chosen, answers.get("variant", run.variant), None if edited == was else edited)

    title = f"Fork after step {step}" if step else "Fork before the first call"
    return FormDialog(title, fields, read, before=before)


def own_form(choice: RunChoice, own: OwnChoice) -> FormDialog[RunChoice]:
    """Ask what to say to the user's own agent, which runs with its own tools."""
    name, asked = visible(choice.agent, limit=60), visible(own.message)
    before = (
        f"Runs {name}; no tool is called, and you give each answer."
        if own.dry
        else f"Runs {name} with its own tools, as a new run of this session.",
    )
    fields = [Field("message", "Message", asked, "what the agent is asked"), _pause(choice)]

    def read(answers: Answers) -> RunChoice:
        if not answers["message"].strip():
            raise UserError("the message is empty")
        message = own.message if answers["message"] == asked else answers["message"]
        return replace(_stepping(answers, choice), own=replace(own, message=message))

    return FormDialog("Run your agent", fields, read, before=before, first="message")


def _queries(variants: Sequence[Variant], own: str) -> tuple[tuple[str, str], ...]:
    others = [v for v in variants if v.id != own][::-1][: MOST_QUERIES - 1]
    origins = [v.origin.mutation or v.origin.kind for v in others]
    offered = [(own, f"{own} (the run's own)")] + [
        (v.id, f"{v.id} {ORIGINS.get(origin, origin)}") for v, origin in zip(others, origins, strict=True)
    ]
    return tuple((id, shown(label, 30)) for id, label in offered)


def model_offers(used: Iterable[str] = ()) -> list[Offer]:
    """Return the models to choose from: those of the session, the simulated ones, and providers whose key is set."""
    found = {model: "used in this session" for model in used if model}
    for profile in PROFILES.values():
        found.setdefault(f"sim:{profile.name}", profile.about)
    for provider in PROVIDERS.values():
        if provider.keys and any(os.environ.get(key) for key in provider.keys):
            found.setdefault(f"{provider.name}:", "its key is set; type the model's name after it")
    return [Offer(text, about) for text, about in found.items()]


def agent_offers(own: str = "") -> list[Offer]:
    """Return the agents to choose from: the built-in ones, and ``own``, the user's own if one was named before."""
    found = {
        "tools": "function calling",
        "react": "text: thought, action, observation",
        "responses": "OpenAI Responses",
    }
    offers = [Offer(name, found.get(name, "")) for name in AGENTS]
    return offers if own in AGENTS or not own else [*offers, Offer(own, "your own, imported when it runs")]


def _agent_of(text: str) -> str:
    """Read the name of an agent, and import nothing. Raises ``UserError``."""
    name = text.strip()
    if name in AGENTS or FACTORY.fullmatch(name):
        return name
    raise UserError(
        f"no agent {shown(name, 40)}; there are {', '.join(AGENTS)}, or package.module:factory of your own"
    )


def models_of(runs: Sequence[Run]) -> list[str]:
    """Return the models of a session's runs, the last first."""
    return list(dict.fromkeys(run.model for run in reversed(runs)))[:MOST_MODELS]


def _model_fields(options: RunOptions, used: Sequence[str] = ()) -> list[Field]:
    seed = "" if options.seed is None else str(options.seed)
    agents = agent_offers(options.agent)
    return [
        Field("model", "Model", options.model, "sim:careful, … or provider:name", model_offers(used)),
        Field("agent", "Agent", options.agent, "tools, … or package.module:factory", agents),
        Field("seed", "Seed", seed, "for a simulated model; empty: 0"),
        Field("base_url", "Base URL", options.base_url or "", "of a local server; empty: the provider's"),
    ]


def _with_model(answers: Answers, before: Chosen) -> Chosen:
    """Read agent, model, seed and base URL; the others are copied from ``before``. Raises ``UserError``."""
    chosen = replace(
        before,
        agent=_agent_of(answers["agent"]),
        model=answers["model"],
        seed=whole(answers["seed"], "the seed"),
        base_url=answers["base_url"].strip() or None,
    )
    spec = chosen.spec
    check_model(spec, chosen.base_url)
    return replace(chosen, model=spec.text)


def _pause(choice: RunChoice) -> Field:
    options = (("off", "at breakpoints"), ("on", "before every call"))
    return Field("stepping", "Pause", "on" if choice.stepping else "off", options=options)


def _fields(choice: RunChoice, used: Sequence[str] = ()) -> list[Field]:
    guard = (("off", "off"), ("on", "block calls that lose the plan"))
    guarded = Field("guard", "Guard", "on" if choice.guard else "off", options=guard)
    return [*_model_fields(choice, used), guarded, _pause(choice)]


def _stepping(answers: Answers, before: RunChoice) -> RunChoice:
    return replace(before, stepping=answers["stepping"] == "on")


def read_choice(answers: Answers, before: RunChoice) -> RunChoice:
    """Read the settings of a run from a form; the others are copied from ``before``. Raises ``UserError``."""
    return replace(_with_model(answers, _stepping(answers, before)), guard=answers["guard"] == "on")


def dissect_form(
    wanted: DissectChoice, used: Sequence[str] = (), unable: str = ""
) -> FormDialog[DissectChoice]:
    """Ask which agent, model and method to dissect with. ``unable``: why the run's own model cannot be used."""
    model, agent, *rest = _model_fields(wanted, used)
    method = Field("method", "Method", wanted.method, options=tuple(METHODS.items()))
    budget = Field("budget", "Budget", str(wanted.budget), "at most this many runs")

    def read(answers: Answers) -> DissectChoice:
        budget = whole(answers["budget"], "the budget")
        if budget is None or not 1 <= budget <= MOST_RUNS:
            raise UserError(f"the budget is a number of runs from 1 to {MOST_RUNS:,}")
        chosen = _with_model(answers, wanted)
        same = (chosen.agent, chosen.model) == (wanted.agent, wanted.model)
        method: Method = "paper" if answers["method"] == "paper" else "rates"
        return replace(chosen, run=wanted.run if same else None, method=method, budget=budget)

    before = (
        f"Runs mutants of the query ({', '.join(list(MUTATIONS.values())[2:])}) until it is clear what makes the "
        "agent fail, or the budget is spent.",
        *((f"{unable}: choose one that can.",) if unable else ()),
    )
    return FormDialog("Dissect", [model, agent, method, budget, *rest], read, before=before, first="model")


MOST_ACTIONS = 1000
"""The limit for the number of actions in the form."""

_ORDERS = re.compile(r"([0-9]{1,15})(?:\s*\.\.\s*([0-9]{1,15}))?")


def new_form() -> FormDialog[Request]:
    """Ask for the properties of a new query, as ``planscope new`` does."""
    timed = (("off", "order only"), ("on", "clock times and hours"))
    topics = [Offer(topic) for topic in load_topics()]
    fields = [
        Field("actions", "Actions", "5", "how many"),
        Field("timed", "Timed", "off", options=timed),
        Field("orders", "Orders", "", "number of valid orders, such as 1..4; empty: any"),
        Field("topic", "Topic", "", "a job; empty: random", topics),
        Field("seed", "Seed", "", "the same seed makes the same query; empty: random"),
    ]
    before = ("Makes a new session with a query in controlled English whose constraints are known.",)
    return FormDialog("New session", fields, read_request, before=before)


def read_request(answers: Answers) -> Request:
    """Read the form of a new query. Raises ``UserError``."""
    actions, seed = whole(answers["actions"], "the number of actions"), whole(answers["seed"], "the seed")
    if actions is None or not 2 <= actions <= MOST_ACTIONS:
        raise UserError(f"the number of actions is 2 to {MOST_ACTIONS}")
    made = Request(
        actions=actions,
        seed=secrets.randbelow(1_000_000) if seed is None else seed,
        timed=answers["timed"] == "on",
        topic=_topic(answers["topic"].strip()),
        valid_orders=_orders(answers["orders"].strip()),
    )
    check(made)
    return made


def _topic(wanted: str) -> str | None:
    if not wanted:
        return None
    topics = list(load_topics(None))
    found = [t for t in topics if t.casefold() == wanted.casefold()]
    found = found or [t for t in topics if wanted.casefold() in t.casefold()]
    if len(found) == 1:
        return found[0]
    near = ", ".join(found[:6]) if found else ", ".join(topics[:6]) + ", …"
    raise UserError(
        f"{'several topics match:' if found else f'no topic {shown(wanted, 40)}; there are'} {near}"
    )


def _orders(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    found = _ORDERS.fullmatch(text)
    if found is None:
        raise UserError(f"valid orders: a number or a range such as 1..4, not {shown(text, 40)}")
    return int(found[1]), int(found[2] or found[1])


def whole(text: str, what: str) -> int | None:
    """Read a whole number from 0, or None for an empty row. Raises ``UserError``."""
    number = text.strip()
    if number and not (number.isascii() and number.isdigit() and len(number) <= 9):
        raise UserError(f"{what} is a whole number from 0, not {shown(number, 40)}")
    return int(number) if number else None
