"""The forms: run a query, fork a run, dissect a query, make a new session."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
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
from planscope.language.topics import load_topics
from planscope.session.model import Method, Run, Variant
from planscope.session.record import RecordedCall
from planscope.synthesis.request import Request, check
from planscope.tui.controllers.dissecting import DissectChoice
from planscope.tui.controllers.live_run import OwnChoice, RunChoice
from planscope.tui.controllers.what_if import Play
from planscope.tui.dialogs.form import Answers, ChoiceField, Field, FormDialog, TextField
from planscope.tui.settings import FACTORY
from planscope.tui.style.lines import shown
from planscope.tui.style.painter import Painter
from planscope.tui.style.safe_text import visible
from planscope.wording.phrases import move_does
from planscope.wording.terms import METHODS, MUTATIONS, ORIGINS, STATE_GLYPHS

Chosen = TypeVar("Chosen", bound=RunOptions)

MOST_RUNS = 1000
MOST_MODELS = 8
"""A form offers at most this many models of the session."""

MOST_QUERIES = 6
"""A fork offers at most this many queries: the run's own and the newest."""


@dataclass(frozen=True, slots=True)
class Forked:
    """The answers of the fork form. ``answer`` None: the tool's answer stays as it was."""

    choice: RunChoice
    variant: str
    answer: str | None


def run_form(
    paint: Painter,
    breakpoints: Sequence[Breakpoint],
    choice: RunChoice,
    variant: Variant,
    used: Sequence[str] = (),
) -> FormDialog[RunChoice]:
    """Ask how to run a query. ``used``: models of the session, offered first."""
    before = [
        f"Runs the query {visible(variant.id, limit=20)} with mock tools, as a new run of this session."
    ]
    if breakpoints:
        before.append(f"It pauses at the breakpoints: {', '.join(map(str, breakpoints))[:200]}")

    def read(answers: Answers) -> RunChoice:
        return read_choice(answers, choice)

    return FormDialog(paint, "Run", _fields(choice, used), read, before=before, first="model")


def played_form(paint: Painter, play: Play, first: str) -> FormDialog[Way]:
    """Ask for the arguments and the answer of the chosen call of what-if play. ``first``: the row to begin with."""
    from planscope.debugger.paused_call import judge_way
    from planscope.debugger.played import option_with

    option, played = play.chosen, play.played
    assert option is not None and option.way is not None
    way, tool = option.way, played.problem.action_by_id[option.action].tool

    def offered(one: Way) -> Offer:
        then = option_with(played, option, one)
        does = move_does(played.problem, then.becomes)
        return Offer(json_of(one.arguments), f"{STATE_GLYPHS[then.becomes]} {_and(does, one.about)}")

    def read(answers: Answers) -> Way:
        try:
            given = arguments_of(answers["arguments"])
            answer = text_of(answers["answer"]) if answers["answer"] else None
        except DebuggerError as error:
            raise UserError(str(error)) from None
        known = next((one for one in option.ways if one.arguments == given), None)
        about = known.about if known is not None else ""
        return Way(given, answer, answers["outcome"] == "fails", answers.get("said", ""), about)

    def judge(answers: Answers) -> Sequence[tuple[str, str]]:
        try:
            made = read(answers)
        except UserError as error:
            return [(str(error), "dim")]
        return judge_way(played, option.action, made)

    gave = [Offer(line_of(text), about) for text, about in played.values.answers(tool)]
    fields: list[Field] = [
        TextField(
            "arguments", "arguments", json_of(way.arguments), offers=[offered(one) for one in option.ways]
        ),
        TextField("answer", "answer", line_of(way.answer or ""), "the tool does not answer", offers=gave),
        ChoiceField(
            "outcome",
            "the call",
            (("succeeds", "succeeds"), ("fails", "fails")),
            "fails" if way.failed else "succeeds",
        ),
    ]
    if played.values.hears_users:
        said = [Offer(text, "a rule looks at it") for text in played.values.sayings()]
        fields.insert(0, TextField("said", "the user says", way.said, "nothing before this call", said))
    title = f"Play {visible(tool, limit=60)}"
    return FormDialog(paint, title, fields, read, first=first, judge=judge)


def _and(words: str, more: str) -> str:
    return f"{words}, {more}" if more else words


def fork_form(
    paint: Painter,
    variants: Sequence[Variant],
    run: Run,
    step: int,
    told: RecordedCall | None,
    choice: RunChoice,
    used: Sequence[str] = (),
) -> FormDialog[Forked]:
    """Ask how to continue from a step of a run. ``told`` is the call of that step. Raises ``CannotFork``."""
    queries = ChoiceField("variant", "Query", _queries(variants, run.variant), run.variant)
    kept = ("Only the prompt is kept", "Step 1 is kept")[step] if step < 2 else f"Steps 1 to {step} are kept"
    before = (f"{kept} from run {visible(run.id, limit=20)}; the rest is run again. Both runs are kept.",)

    def read(answers: Answers) -> tuple[RunChoice, str]:
        return read_choice(answers, choice), answers["variant"]

    return _fork_form(paint, run, step, told, [queries, *_fields(choice, used)], before, read)


def own_form(paint: Painter, choice: RunChoice, own: OwnChoice) -> FormDialog[RunChoice]:
    """Ask what to say to the user's own agent, which runs with its own tools."""
    before = [
        f"Runs {visible(choice.agent, limit=60)} with its own tools, as a new run of this session."
        if not own.dry
        else f"Runs {visible(choice.agent, limit=60)}; no tool is called, and you give each answer."
    ]
    fields: list[Field] = [
        TextField("message", "Message", visible(own.message), "what the agent is asked"),
        ChoiceField("stepping", "Pause", _PAUSES, "calls" if choice.stepping else ""),
    ]

    def read(answers: Answers) -> RunChoice:
        if not answers["message"].strip():
            raise UserError("the message is empty")
        message = own.message if answers["message"] == visible(own.message) else answers["message"]
        return replace(choice, stepping=bool(answers["stepping"]), own=replace(own, message=message))

    return FormDialog(paint, "Run your agent", fields, read, before=before, first="message")


def own_fork_form(
    paint: Painter, run: Run, step: int, told: RecordedCall | None, choice: RunChoice
) -> FormDialog[Forked]:
    """Ask how the user's own agent goes on from a step. Raises ``CannotFork``."""
    fields = [ChoiceField("stepping", "Pause", _PAUSES, "calls" if choice.stepping else "")]
    before = (
        f"{visible(choice.agent, limit=60)} goes on from run {visible(run.id, limit=20)} with its own tools.",
        "No kept call is made again. Only the messages are kept: other state begins anew, files, clock and random "
        "numbers are those of now, and what tools did stays done.",
    )

    def read(answers: Answers) -> tuple[RunChoice, str]:
        return replace(choice, stepping=bool(answers["stepping"])), run.variant

    return _fork_form(paint, run, step, told, fields, before, read)


def _fork_form(
    paint: Painter,
    run: Run,
    step: int,
    told: RecordedCall | None,
    fields: Sequence[Field],
    before: Sequence[str],
    read: Callable[[Answers], tuple[RunChoice, str]],
) -> FormDialog[Forked]:
    """Ask for another answer to a step, and for ``fields``, of which ``read`` reads options and query."""
    from planscope.agents.forks import kept_events

    kept_events(run, step)  # raises CannotFork
    was = visible(told.answer) if told is not None and told.answer is not None else None
    answer = [] if was is None else [TextField("answer", "Answer", was)]

    def forked(answers: Answers) -> Forked:
        edited = answers.get("answer")
        return Forked(*read(answers), None if edited == was else edited)

    title = f"Fork after step {step}" if step else "Fork before the first call"
    return FormDialog(paint, title, [*answer, *fields], forked, before=before)


_PAUSES = (("calls", "before every call"), ("", "at breakpoints"))


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
    url = options.base_url or ""
    return [
        TextField("model", "Model", options.model, "sim:careful, … or provider:name", model_offers(used)),
        TextField(
            "agent", "Agent", options.agent, "tools, … or package.module:factory", agent_offers(options.agent)
        ),
        TextField("seed", "Seed", seed, "for a simulated model; empty: 0"),
        TextField("base_url", "Base URL", url, "of a local server; empty: the provider's"),
    ]


def _with_model(answers: Answers, before: Chosen) -> Chosen:
    """Read agent, model, seed and base URL; the others are copied from ``before``. Raises ``UserError``."""
    chosen = replace(
        before,
        agent=_agent_of(answers["agent"]),
        model=answers["model"],
        seed=_whole(answers["seed"], "the seed"),
        base_url=answers["base_url"].strip() or None,
    )
    spec = chosen.spec
    check_model(spec, chosen.base_url)
    return replace(chosen, model=spec.text)


def _fields(choice: RunChoice, used: Sequence[str] = ()) -> list[Field]:
    guard = (("off", "off"), ("on", "block calls that lose the plan"))
    pause = (("off", "at breakpoints"), ("on", "before every call"))
    return [
        *_model_fields(choice, used),
        ChoiceField("guard", "Guard", guard, "on" if choice.guard else "off"),
        ChoiceField("stepping", "Pause", pause, "on" if choice.stepping else "off"),
    ]


def read_choice(answers: Answers, before: RunChoice) -> RunChoice:
    """Read the settings of a run from a form; the others are copied from ``before``. Raises ``UserError``."""
    chosen = _with_model(answers, before)
    return replace(chosen, guard=answers["guard"] == "on", stepping=answers["stepping"] == "on")


def dissect_form(
    paint: Painter, wanted: DissectChoice, used: Sequence[str] = ()
) -> FormDialog[DissectChoice]:
    """Ask which agent, model and method to dissect with."""
    model, agent, *rest = _model_fields(wanted, used)
    fields: list[Field] = [
        model,
        agent,
        ChoiceField("method", "Method", tuple(METHODS.items()), wanted.method),
        TextField("budget", "Budget", str(wanted.budget), "at most this many runs"),
        *rest,
    ]

    def read(answers: Answers) -> DissectChoice:
        budget = _whole(answers["budget"], "the budget")
        if budget is None or not 1 <= budget <= MOST_RUNS:
            raise UserError(f"the budget is a number of runs from 1 to {MOST_RUNS:,}")
        chosen = _with_model(answers, wanted)
        same = (chosen.agent, chosen.model) == (wanted.agent, wanted.model)
        method: Method = "paper" if answers["method"] == "paper" else "rates"
        return replace(chosen, run=wanted.run if same else None, method=method, budget=budget)

    before = (
        f"Runs mutants of the query ({', '.join(list(MUTATIONS.values())[2:])}) until it is clear what makes the "
        "agent fail, or the budget is spent.",
    )
    return FormDialog(paint, "Dissect", fields, read, before=before, first="model")


MOST_ACTIONS = 1000
"""The limit for the number of actions in the form."""

_ORDERS = re.compile(r"([0-9]{1,15})(?:\s*\.\.\s*([0-9]{1,15}))?")


def new_form(paint: Painter) -> FormDialog[Request]:
    """Ask for the properties of a new query, as ``planscope new`` does."""
    fields: list[Field] = [
        TextField("actions", "Actions", "5", "how many"),
        ChoiceField("timed", "Timed", (("off", "order only"), ("on", "clock times and hours")), "off"),
        TextField("orders", "Orders", "", "number of valid orders, such as 1..4; empty: any"),
        TextField("topic", "Topic", "", "a job; empty: random", [Offer(topic) for topic in load_topics()]),
        TextField("seed", "Seed", "", "the same seed makes the same query; empty: random"),
    ]
    before = ("Makes a new session with a query in controlled English whose constraints are known.",)
    return FormDialog(paint, "New session", fields, read_request, before=before)


def read_request(answers: Answers) -> Request:
    """Read the form of a new query. Raises ``UserError``."""
    actions, seed = _whole(answers["actions"], "the number of actions"), _whole(answers["seed"], "the seed")
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


def _whole(text: str, what: str) -> int | None:
    """Read a whole number from 0, or None for an empty row. Raises ``UserError``."""
    number = text.strip()
    if number and not (number.isascii() and number.isdigit() and len(number) <= 9):
        raise UserError(f"{what} is a whole number from 0, not {shown(number, 40)}")
    return int(number) if number else None
