"""Finding rules for a session on screen: those that good runs keep, or those of a policy, by the reader or a model."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.agents.models import parse_model
from planscope.debugger.offers import Offer
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.rules.names import tools_of
from planscope.rules.offers import Offered, mined, tried
from planscope.session.json_bytes import plain_text
from planscope.session.traces import trace_of
from planscope.tui.app_screen import Asker
from planscope.tui.dialogs.form import Answers, Field, FormDialog
from planscope.tui.dialogs.tick import TickDialog
from planscope.tui.screens.flows.waiting import Tell, waited
from planscope.tui.style.lines import shown
from planscope.wording.phrases import plural

if TYPE_CHECKING:
    from planscope.oracle.trace import Trace
    from planscope.rules.policy import Draft
    from planscope.session.model import Run
    from planscope.tui.controllers.jobs import Jobs

MOST_TRACES = 20_000
"""Traces that are read, of each side."""
MOST_FILES = 30
MOST_CALLS = 1_000
SYSTEM_PROMPT = "system prompt"
"""What stands for the prompt of the run in place of a file with the policy."""


@frozen
class Asked:
    """What a form asked for. ``sources``: good and bad runs, or a policy alone. ``within``: rules within so many calls,
    too; 0 for none. ``model`` and ``url`` are those that read the policy. ``pasted``: the policy itself, which needs no
    form."""

    sources: tuple[str, ...]
    within: int = 0
    model: str = ""
    url: str = ""
    pasted: str = ""


@frozen
class Place:
    """Where rules are looked for: the runs of the session, the displayed one, and the model to offer. ``wrong``: ids of
    runs that are known to have failed."""

    jobs: Jobs
    runs: Sequence[Run]
    run: Run | None = None
    wrong: frozenset[str] = frozenset()
    model: str = ""
    base_url: str = ""


async def _found(
    screen: Asker,
    place: Place,
    asked: Asked,
    form: Callable[[Asked, str], FormDialog[Asked]],
    look: Callable[[Asked, Tell], tuple[str, list[Offered], Draft | None]],
) -> tuple[Draft | None, tuple[Offered, ...]] | None:
    """Ask a form, look for rules, and ask which to take; after an error or a stop ask again. Return None for Esc."""
    before = ""
    while True:
        if not asked.pasted:
            answer = await screen.answer(form(asked, f"✗ {before}" if before else ""))
            if answer is None:
                return None
            asked = answer
        what = "the model reads the policy" if asked.model else "looking for rules"
        found = await waited(screen, place.jobs, "find rules", what, partial(look, asked))
        if isinstance(found, UserError):
            before = str(found)
        elif found is not None:
            title, offered, draft = found
            taken = await screen.answer(TickDialog(title, offered))
            if taken is not None:
                return draft, taken
        if asked.pasted:
            screen.tell(before)
            return None


async def mine_rules(screen: Asker, place: Place, known: str) -> str | None:
    """Ask for good and bad runs, and which of the rules to take that the good ones keep. For a flow.

    ``known``: the rules so far, which are not offered again. Returns the text of the rules, or None.
    """

    def look(asked: Asked, tell: Tell) -> tuple[str, list[Offered], None]:
        kept, broken = (_traces(text, place, tell) for text in asked.sources)
        if not any(trace.calls for trace in kept):
            raise UserError("the good runs have no calls; there is nothing to find")
        found = mined(kept, broken, tell, within=asked.within)
        if not found:
            few = f": {plural(len(kept), 'good run')} may be too few, since luck could explain it"
            more = few if len(kept) < 5 else ""
            raise UserError(f"no rule was found that the good runs keep and not just by luck{more}")
        first = ", first those that bad runs violate" if asked.sources[1].strip() else ""
        return f"Rules that the good runs keep{first}", tried(_new(found, known), _displayed(place)), None

    begin = Asked(_good_and_bad(place))
    found = await _found(screen, place, begin, partial(_runs_form, place), look)
    return None if found is None else "".join(f"{one.text}\n" for one in found[1])


async def draft_rules(screen: Asker, place: Place, known: str, pasted: str) -> str | None:
    """Ask for a policy and perhaps a model, and which of its rules to take. For a flow. Returns the rules, or None.

    ``pasted``: the text of the policy; then only the rules are asked about.
    """
    system = _system(place)

    def look(asked: Asked, tell: Tell) -> tuple[str, list[Offered], Draft]:
        from planscope.rules.policy import read_policy, try_on

        policy = asked.sources[0]
        text = pasted or (system if policy == SYSTEM_PROMPT else _policy_text(policy))
        traces = [trace_of(run) for run in place.runs]
        tools = tools_of(traces)
        if asked.model:
            from planscope.agents.options import RunOptions
            from planscope.agents.rule_writer import draft_rules

            options = RunOptions(model=asked.model, base_url=asked.url or None)
            draft, who = draft_rules(text, options, tools, on_progress=tell), "that the model proposes"
        else:
            draft, who = (
                read_policy(text, tools, traces, tell),
                "in the policy, each sentence read as it stands",
            )
        count = try_on(draft.proposals, traces) if traces else 0
        offered = tried(_new(drafted(draft, count), known), _displayed(place))
        return f"Rules {who}", offered, draft

    begin = Asked(
        (SYSTEM_PROMPT if system else "",),
        model="" if pasted else place.model,
        url=place.base_url,
        pasted=pasted,
    )
    found = await _found(screen, place, begin, partial(_policy_form, place), look)
    if found is None or found[0] is None:
        return None
    from planscope.rules.policy import rules_file

    draft, texts = found[0], {one.text for one in found[1]}
    return rules_file([one for one in draft.proposals if one.text in texts], draft.unsaid)


def drafted(draft: Draft, count: int) -> list[Offered]:
    """Return proposals as rules to choose, and last what is no rule. ``count``: the runs that were tried."""
    made = []
    for one in draft.proposals:
        about = [] if one.quoted else ["! this sentence is not in the policy in these words"]
        about += [f"it stands below “{one.below}”"] if one.below else []
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


def _runs_form(place: Place, asked: Asked, wrong: str) -> FormDialog[Asked]:
    offers = [
        Offer(run.id, f"a run of this session{', failed' if run.id in place.wrong else ''}")
        for run in place.runs
    ]
    hint = "runs, files, folders, globs"
    good, bad = asked.sources
    within = "rules within so many calls, too; may be empty"
    fields = (
        Field("good", "good runs", good, hint, offers),
        Field("bad", "bad runs", bad, f"{hint}; may be empty", offers),
        Field("within", "within", str(asked.within or ""), within),
    )

    def read(answers: Answers) -> Asked:
        good, bad = answers["good"], answers["bad"]
        if not good.strip():
            raise UserError("name good runs: runs of this session, or files, folders and globs of traces")
        for text in (good, bad):
            _words(text)
        number = answers["within"].strip() or "0"
        if not number.isdecimal() or int(number) > MOST_CALLS:
            raise UserError(f"within how many calls is a whole number up to {MOST_CALLS:,}, or empty")
        return Asked((good, bad), int(number))

    told = ["Rules that all good runs keep, and that would be violated if their calls were shuffled."]
    if place.runs and not _graded_right(place.runs):
        told.append("Nobody graded a run as right: name as good only those that you know to be.")
    return FormDialog("Find rules in examples", fields, read, before=[*told, *filter(None, [wrong])])


def _policy_form(place: Place, asked: Asked, wrong: str) -> FormDialog[Asked]:
    texts = [Offer(SYSTEM_PROMPT, "what the agent of this run was told")] if _system(place) else []
    texts += [Offer(str(path), "a file in this folder") for path in _text_files()]
    used = dict.fromkeys(run.model for run in reversed(place.runs) if _real(run.model))
    models = [Offer(name, "a model of this session") for name in used]
    fields = (
        Field("policy", "policy", asked.sources[0], "a text file", texts),
        Field(
            "model",
            "model",
            asked.model,
            "empty: no model; or provider:name, such as openai:gpt-4o-mini",
            models,
        ),
        Field("url", "base URL", asked.url, "of a local server; empty: the provider's"),
    )

    def read(answers: Answers) -> Asked:
        policy, model = answers["policy"].strip(), answers["model"].strip()
        if not policy:
            raise UserError("name a text file with the policy")
        if policy != SYSTEM_PROMPT and not Path(policy).expanduser().is_file():
            raise UserError(f"there is no file {shown(policy, 80)}")
        if model and parse_model(model).simulated:
            raise UserError(
                "name a real model, such as openai:gpt-4o-mini, or none; a simulated one cannot draft rules"
            )
        return Asked((policy,), model=model, url=answers["url"].strip())

    told = [
        "Each sentence is read as it stands, or by a model, which may cost money.",
        "No rule counts before you tick it.",
    ]
    return FormDialog("Draft rules from a policy", fields, read, before=[*told, *filter(None, [wrong])])


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

    try:
        return plain_text(Path(name).expanduser().read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise UserError(f"{shown(name, 80)} is not text in UTF-8") from None


def _system(place: Place) -> str:
    prompt = (
        next((event for event in place.run.events if event.type == "prompt"), None) if place.run else None
    )
    return (prompt.system or "") if prompt is not None else ""


def _good_and_bad(place: Place) -> tuple[str, str]:
    """Sort the runs by their verdicts and grades. Good are those that were graded right; only if none was, those of
    which nothing bad is known. The displayed one is bad, unless it was graded right."""
    mine = place.run.id if place.run is not None and (place.run.reward or 0) < 1 else ""
    bad = {
        r.id for r in place.runs if r.id in (mine, *place.wrong) or (r.reward is not None and r.reward <= 0)
    }
    rest = [run for run in place.runs if run.id not in bad]
    good = _graded_right(rest) or [run for run in rest if run.reward is None]
    wrong = sorted(bad, key=[mine, *(run.id for run in place.runs)].index)
    return shlex.join(run.id for run in good), shlex.join(wrong)


def _graded_right(runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if (run.reward or 0) >= 1]


def _displayed(place: Place) -> Trace | None:
    return trace_of(place.run) if place.run is not None else None


def _words(text: str) -> list[str]:
    """Return the names in a line; commas may stand between them. Raises UserError."""
    try:
        return shlex.split(text.replace(",", " "))
    except ValueError:
        raise UserError("a quote is open; close it") from None


def _traces(text: str, place: Place, tell: Tell) -> list[Trace]:
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
