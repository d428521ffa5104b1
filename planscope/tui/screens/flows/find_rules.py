"""Finding rules for a session on screen: those that good runs keep, or those that a model drafts from a policy."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from planscope.agents.models import parse_model
from planscope.debugger.offers import Offer
from planscope.errors import UserError
from planscope.rules.offers import Offered, mined, tried
from planscope.session.traces import trace_of
from planscope.tui.app_screen import Asker
from planscope.tui.dialogs.ask import WaitDialog
from planscope.tui.dialogs.form import Answers, Field, FormDialog
from planscope.tui.dialogs.tick import TickDialog
from planscope.tui.style.lines import shown
from planscope.wording.phrases import plural

if TYPE_CHECKING:
    from planscope.agents.rule_writer import Draft
    from planscope.oracle.trace import Trace
    from planscope.session.model import Run
    from planscope.tui.controllers.jobs import CancelToken, Jobs

MOST_TRACES = 20_000
"""Traces that are read, of each side."""
MOST_FILES = 30
MOST_CALLS = 1_000
SYSTEM_PROMPT = "system prompt"
"""What stands for the prompt of the run in place of a file with the policy."""

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Place:
    """Where rules are looked for: the runs of the session, the displayed one, and the model to offer. ``wrong``: ids of
    runs that are known to have failed."""

    jobs: Jobs
    runs: Sequence[Run]
    run: Run | None = None
    wrong: frozenset[str] = frozenset()
    model: str = ""
    base_url: str = ""


class _Stopped(Exception):
    """The user stopped the search."""


async def mine_rules(screen: Asker, place: Place, known: str) -> str | None:
    """Ask for good and bad runs, and which of the rules to take that the good ones keep. For a flow.

    ``known``: the rules so far, which are not offered again. Returns the text of the rules, or None.
    """
    before, good, bad = "", _others(place), place.run.id if place.run is not None else ""
    within = 0
    while True:
        asked = await screen.answer(_runs_form(screen, place, good, bad, within, before))
        if asked is None:
            return None
        good, bad, within = asked

        def work(
            tell: Callable[[str], None], good: str = good, bad: str = bad, within: int = within
        ) -> list[Offered]:
            kept, broken = (_traces(text, place, tell) for text in (good, bad))
            if not any(trace.calls for trace in kept):
                raise UserError("the good runs have no calls; there is nothing to find")
            found = mined(kept, broken, tell, within=within)
            if not found:
                few = len(kept) < 5
                more = (
                    f": {plural(len(kept), 'good run')} may be too few, since luck could explain it"
                    if few
                    else ""
                )
                raise UserError(f"no rule was found that the good runs keep and not just by luck{more}")
            return tried(_new(found, known), _displayed(place))

        found = await _waited(screen, place.jobs, "looking for rules", work)
        if isinstance(found, str):
            before = found
            continue
        if found is None:
            continue
        title = "Rules that the good runs keep" + (
            ", first those that bad runs violate" if bad.strip() else ""
        )
        taken = await screen.answer(TickDialog(title, found))
        if taken is not None:
            return "".join(f"{one.text}\n" for one in taken)


async def draft_rules(screen: Asker, place: Place, known: str) -> str | None:
    """Ask for a policy and a model, and which of its rules to take. For a flow. Returns the rules, or None."""
    system = _system(place)
    before, policy, model, url = "", SYSTEM_PROMPT if system else "", place.model, place.base_url
    while True:
        asked = await screen.answer(_policy_form(screen, place, policy, model, url, before))
        if asked is None:
            return None
        policy, model, url = asked

        def work(
            tell: Callable[[str], None], policy: str = policy, model: str = model, url: str = url
        ) -> tuple[Draft, list[Offered]]:
            from planscope.agents.options import RunOptions
            from planscope.agents.rule_writer import draft_rules, try_on

            text = system if policy == SYSTEM_PROMPT else _policy_text(policy)
            traces = [trace_of(run) for run in place.runs]
            tools = {
                name for trace in traces for name in (*trace.tools, *(call.tool for call in trace.calls))
            }
            draft = draft_rules(text, RunOptions(model=model, base_url=url or None), tools, on_progress=tell)
            count = try_on(draft.proposals, traces) if traces else 0
            return draft, tried(_new(drafted(draft, count), known), _displayed(place))

        found = await _waited(screen, place.jobs, "the model reads the policy", work)
        if isinstance(found, str):
            before = found
            continue
        if found is None:
            continue
        draft, offered = found
        taken = await screen.answer(TickDialog("Rules that the model proposes", offered))
        if taken is not None:
            from planscope.agents.rule_writer import rules_file

            texts = {one.text for one in taken}
            return rules_file([one for one in draft.proposals if one.text in texts], draft.unsaid)


def drafted(draft: Draft, count: int) -> list[Offered]:
    """Return a model's proposals as rules to choose, and last what is no rule. ``count``: the runs that were tried."""
    made = []
    for one in draft.proposals:
        about = [] if one.quoted else ["! this sentence is not in the policy in these words"]
        if count:
            broken = f"; violated by {', '.join(one.broken)}" if one.broken else ""
            about.append(
                f"{plural(count, 'run')}: {one.tested} put it to the test, {one.kept} keep it{broken}"
            )
        made.append(Offered(one.text, one.rules, tuple(about), one.policy))
    for one in (*draft.unread, *draft.unsaid):
        why = (one.why,) if one.why else ()
        made.append(Offered(one.text, (), why, one.policy))
    return made


def _new(offered: Sequence[Offered], known: str) -> list[Offered]:
    """Return the rules that are not in the text ``known``. Raises UserError if there are none."""
    lines = {" ".join(line.split()) for line in known.splitlines()}
    found = [one for one in offered if one.text not in lines]
    if not any(one.rules for one in found) and (known.strip() or not found):
        raise UserError("nothing was found that is not a rule of this session already")
    return found


async def _waited(
    screen: Asker, jobs: Jobs, what: str, work: Callable[[Callable[[str], None]], Found]
) -> Found | str | None:
    """Run work in a thread, with a dialog that says how far it is. Return its result, or an error in one line, or None
    if the user stopped it."""
    wait = WaitDialog(what)
    outcome: list[Found | str] = []

    def run(token: CancelToken) -> Found:
        def tell(text: str) -> None:
            if token.cancelled:
                raise _Stopped
            jobs.tell(lambda: wait.say(text))

        return work(tell)

    def done(found: Found | str) -> None:
        outcome.append(found)
        wait.dismiss(None)

    def failed(error: Exception) -> None:
        text = str(error) if isinstance(error, UserError | OSError) else f"{type(error).__name__}: {error}"
        done(shown(text.splitlines()[0] if text else "unknown error", 300))

    jobs.start("find rules", run, done, failed)
    await screen.answer(wait)
    if not outcome:
        jobs.cancel("find rules")
        return None
    return outcome[0]


def _runs_form(
    screen: Asker, place: Place, good: str, bad: str, within: int, before: str
) -> FormDialog[tuple[str, str, int]]:
    offers = [
        Offer(run.id, f"a run of this session{', failed' if run.id in place.wrong else ''}")
        for run in place.runs
    ]
    hint = "runs, files, folders, globs"
    fields = (
        Field("good", "good runs", good, hint, offers),
        Field("bad", "bad runs", bad, f"{hint}; may be empty", offers),
        Field("within", "within", str(within or ""), "rules within so many calls, too; may be empty"),
    )

    def read(answers: Answers) -> tuple[str, str, int]:
        good, bad = answers["good"], answers["bad"]
        if not good.strip():
            raise UserError("name good runs: runs of this session, or files, folders and globs of traces")
        for text in (good, bad):
            _words(text)
        number = answers["within"].strip() or "0"
        if not number.isdecimal() or int(number) > MOST_CALLS:
            raise UserError(f"within how many calls is a whole number up to {MOST_CALLS:,}, or empty")
        return good, bad, int(number)

    told = ["Rules that all good runs keep, and that would be violated if their calls were shuffled."]
    return FormDialog(
        "Find rules in examples",
        fields,
        read,
        before=[*told, *([f"✗ {before}"] if before else [])],
    )


def _policy_form(
    screen: Asker, place: Place, policy: str, model: str, url: str, before: str
) -> FormDialog[tuple[str, str, str]]:
    texts = [Offer(SYSTEM_PROMPT, "what the agent of this run was told")] if _system(place) else []
    texts += [Offer(str(path), "a file in this folder") for path in _text_files()]
    used = dict.fromkeys(run.model for run in reversed(place.runs) if _real(run.model))
    models = [Offer(name, "a model of this session") for name in used]
    fields = (
        Field("policy", "policy", policy, "a text file", texts),
        Field("model", "model", model, "provider:name, such as openai:gpt-4o-mini", models),
        Field("url", "base URL", url, "of a local server; empty: the provider's"),
    )

    def read(answers: Answers) -> tuple[str, str, str]:
        policy, model = answers["policy"].strip(), answers["model"].strip()
        if not policy:
            raise UserError("name a text file with the policy")
        if policy != SYSTEM_PROMPT and not Path(policy).expanduser().is_file():
            raise UserError(f"there is no file {shown(policy, 80)}")
        if not model or parse_model(model).simulated:
            raise UserError(
                "name a real model, such as openai:gpt-4o-mini; a simulated one cannot draft rules"
            )
        return policy, model, answers["url"].strip()

    told = ["A model proposes rules from a policy. None counts before you tick it."]
    return FormDialog(
        "Draft rules from a policy",
        fields,
        read,
        before=[*told, *([f"✗ {before}"] if before else [])],
    )


def _real(model: str) -> bool:
    try:
        return ":" in model and not parse_model(model).simulated
    except UserError:
        return False


def _text_files() -> list[Path]:
    try:
        return sorted(p for p in Path().iterdir() if p.suffix in (".txt", ".md") and p.is_file())[:MOST_FILES]
    except OSError:
        return []


def _policy_text(name: str) -> str:
    from planscope.session.json_bytes import plain_text

    try:
        return plain_text(Path(name).expanduser().read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise UserError(f"{shown(name, 80)} is not text in UTF-8") from None


def _system(place: Place) -> str:
    prompt = (
        next((event for event in place.run.events if event.type == "prompt"), None) if place.run else None
    )
    return (prompt.system or "") if prompt is not None else ""


def _others(place: Place) -> str:
    mine = place.run.id if place.run is not None else ""
    return " ".join(shlex.quote(r.id) for r in place.runs if r.id != mine and r.id not in place.wrong)


def _displayed(place: Place) -> Trace | None:
    return trace_of(place.run) if place.run is not None else None


def _words(text: str) -> list[str]:
    """Return the names in a line; commas may stand between them. Raises UserError."""
    try:
        return shlex.split(text.replace(",", " "))
    except ValueError:
        raise UserError("a quote is open; close it") from None


def _traces(text: str, place: Place, tell: Callable[[str], None]) -> list[Trace]:
    """Read the runs and files that a line names. Raises UserError."""
    from planscope.traces import open_traces

    runs = {run.id: run for run in place.runs}
    names = _words(text)
    found = [replace(trace_of(runs[name]), id=name) for name in names if name in runs]
    problems: list[str] = []
    files = [str(Path(name).expanduser()) for name in names if name not in runs]
    for trace in open_traces(files, on_problem=problems.append) if files else ():
        found.append(trace)
        if len(found) % 50 == 0:
            tell(f"{len(found):,} traces read")
        if len(found) >= MOST_TRACES:
            break
    if problems and not found:
        raise UserError(problems[0])
    return found
