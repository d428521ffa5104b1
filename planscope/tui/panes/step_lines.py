"""The lines of pane 5: one step of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planscope.debugger.search import Kind
from planscope.debugger.stops import in_words
from planscope.language.problem import Span
from planscope.oracle.verdict_types import Move, StepNo
from planscope.safe import cell_width, show, wrap
from planscope.session.model import MessageEvent
from planscope.session.oracle_input import has_own_tools
from planscope.session.record import RecordedCall, RunRecord, by_speaker
from planscope.session.seen import first_of_message, given_at_first
from planscope.tui.keys import key_for
from planscope.tui.panes.formatted import formatted
from planscope.tui.panes.hit_places import hit_of_step, place_in
from planscope.tui.panes.query import painted_runs
from planscope.tui.style.lines import BLANK, Line, Page, Run, cut, labelled, paragraph, ranges, width_of
from planscope.tui.style.roles import certificate
from planscope.tui.view import WHOLE, DebugView
from planscope.wording import phrases, terms

if TYPE_CHECKING:
    from planscope.agents.gate import Question
    from planscope.toolfuzz.keeping import Predicted

_MARGIN = 9
_MOVES, _FEW_MOVES = 8, 3
"""The number of moves listed in a high pane and in a low one."""
_WAY = 8
_PLAN = 24
_AROUND = 200
"""A long text is shown from this many code points before its search hit."""
_MOST, _MOST_WHOLE = 4_000, 200_000
"""The limit of one text in code points, and the limit where texts are shown whole."""
_DECISIONS = {
    "approve": ("next-call", "approve"),
    "edit": ("edit-arguments", "arguments"),
    "reject": ("refuse-call", "reject"),
    "respond": ("answer-call", "answer without calling"),
}
"""The keys for the decisions about a call that an interrupted agent asks the user to approve."""
_ROOMY = 12
"""From this height on, blank lines separate the parts."""


def step_title(step: StepNo) -> str:
    """Name a step as a title does."""
    return (phrases.step_name(step) if step else phrases.at_step(step)).capitalize()


def waiting(state: DebugView) -> str:
    """Say why there is no verdict yet."""
    if state.progress == "unreadable":
        return "the query cannot be read"
    if state.progress == "failed":
        return "the judge failed" if state.variant is not None else "no query"
    return "judging…"


def step_lines(state: DebugView, width: int, window: int) -> tuple[list[Line], int]:
    """Show thought, call, answer and watches, and what became of the plan: first of all if the step is wrong.

    Long texts are cut so far that all has room, and JSON is folded, unless the pane is zoomed or the step unfolded.
    Return also how many rows it wants: a long text wants half of those that there are.
    """
    lines, flexible = _StepPage(state, width, window, window).all_lines()
    over = len(lines) - window
    wants = len(lines) - sum(max(rows - max(window // 2, 4), 0) for rows in flexible)
    if over <= 0 or _whole(state):
        return lines, wants
    few = next((rows for rows in range(window, 1, -1) if sum(max(n - rows, 0) for n in flexible) >= over), 1)
    few = max(few, min(window // 6, 4))
    return _StepPage(state, width, window, few).all_lines()[0], wants


def _whole(state: DebugView) -> bool:
    return state.zoomed or WHOLE in state.folded_here


def predicted_words(one: Predicted) -> str:
    """Say that the fuzzer predicts this failure, with the smallest call that shows it."""
    from planscope.toolfuzz.formats import smallest_lines, title

    finding = one.finding
    how = ", even on these arguments" if one.exactly else f", for example on {smallest_lines(finding)[0]}"
    return f"this step failed as the fuzzer predicts: {title(finding)}{how}; {key_for('tools')} shows it"


def model_cost(state: DebugView) -> str:
    """Return tokens and time of the model call that asked for the step's call; empty if nothing was counted."""
    run, index = state.run, state.debug.index
    told = state.call_at(index)
    if run is None or told is None or state.play is not None:
        return ""
    first = first_of_message(run, index)
    if first is not None:
        return f"same message as step {first}"
    usage = [message.usage for message in told.messages if message.usage is not None]
    took = sum(message.took for message in told.messages)
    came, went = sum(u.input_tokens for u in usage), sum(u.output_tokens for u in usage)
    parts = [f"{came:,}→{went:,} tokens"] * bool(usage) + [phrases.measured(took)] * bool(took)
    return ", ".join(parts)


class _StepPage(Page):
    """The lines of one step. ``few``: how many lines a text has at most; ``flexible``: how many each has that may be
    cut."""

    def __init__(self, state: DebugView, width: int, window: int, few: int) -> None:
        super().__init__(width, _MARGIN)
        self.state, self.view = state, state.debug.view
        self.flexible: list[int] = []
        self.problem = state.debug.run.problem
        self.whole = _whole(state)
        self.roomy = self.whole or window >= _ROOMY
        self.few = 10_000 if self.whole else few

    def all_lines(self) -> tuple[list[Line], list[int]]:
        """Return the lines of all parts, and ``flexible``."""
        state, view = self.state, self.view
        parts: list[list[Line]] = []
        for part in (self.done, self.watches, self.became):
            self.lines = []
            part()
            parts.append(self.lines)
        done, watches, below = parts
        gap = [BLANK] * bool(done and below and self.roomy)
        here = any(one.severity == "error" for one in state.debug.run.findings[view.index])
        here = here or (view.lost and state.lost_at(view) == view.index) or state.cause_at == view.index
        first = here and state.progress == "judged" and view.call is not None and not state.at_pending
        above, after = (below, done) if first else (done, below)
        return [*above, *watches, *gap, *after], self.flexible

    def row(self, label: str, text: str, role: str = "", few: int = 0, kind: Kind | None = None) -> None:
        """Add a text beside its label, in at most ``few`` lines; ``kind``: search hits of this kind are marked."""
        margin = _MARGIN
        width, most = max(self.width - margin, 8), _MOST_WHOLE if self.whole else _MOST
        if len(label) >= margin:  # the first line has less room beside it
            text = show(text, limit=most, keep_newlines=True).text
            first = next((end for _, end in ranges(text, max(self.width - len(label) - 2, 8))), 0)
            self.add(Run(f"{label}  ", "label"), Run(text[:first], role))
            label, text = "", text[first:].strip()
            if not text:
                return
        hit = hit_of_step(self.state.hit, self.state.debug.index, kind)
        if hit is not None and (span := place_in(text, hit)) is not None:
            body, seen = _around(text, span, width, role)
            few, margin = max(few, seen) if few else 0, margin - 1
        elif kind in ("answer", "thought"):
            body = formatted(text, width, role, most, few)
        else:
            body = paragraph(text, width, role, most)
        if few:
            self.flexible.append(min(len(body), few))
        if few and len(body) > few:
            body = (*body[: few - 1], _going_on(body[few - 1], width - 1))
        self.lines += map(Line, labelled(label, body, indent=margin))

    # What was done

    def done(self) -> None:
        """Show thought, call, error and answer."""
        state, view = self.state, self.view
        self._awaited()
        if state.unfollowed and state.run is not None and view.index == state.debug.run.last:
            others = phrases.plural(
                state.unfollowed, "other run of this program goes", "other runs of this program go"
            )
            self.row(
                "others",
                f"{others} on, not followed; when this run ends, one that still runs is next",
                "caution",
            )
        if view.call is None:
            self._no_call()
            return
        told, run = state.call_at(view.index), state.run
        failed = phrases.failed(view)
        if told is not None:
            if failed:  # what went wrong comes first
                self._answer(told)
            if told.agent:
                self.row("agent", told.agent, "", 1)
            self._spoken(told.messages, told.thought)
        self._call()
        if told is not None and told.asked is not None:
            asked = phrases.call(view.call.tool, told.asked, named=True, limit=400)
            self.row("asked", f"{asked}, edited by hand", "dim", self.few)
        if state.at_pending:
            self._pending()
        if error := view.call.error or (told.error if told else ""):
            self.row("refused", error, "broken", self.few)
        if told is not None and not failed:
            self._answer(told)
        if run is not None and run.forked_from is not None and 0 < view.index <= run.kept:
            self.row("kept", f"from run {phrases.fork_point(run.forked_from)}, not run again", "dim")

    def watches(self) -> None:
        for watch in self.state.watch_lines:
            text = f"{watch.text} = {watch.value}{'  (new)' if watch.changed else ''}"
            self.row("watch", text, "caution" if watch.changed else "")

    def _awaited(self) -> None:
        """Say what a run in progress waits for: the user, or its agent, if this is its last step."""
        state, run = self.state, self.state.run
        if state.question is not None and state.at_question:
            self._asked(state.question)
        elif run is None or not run.under_way or run.pending or state.play is not None:
            return
        elif run.waits_for:
            self.row("now", f"the agent {run.waits_for}; its own program answers", "caution")
        elif self.view.index == state.debug.run.last:
            keys = f"{key_for('pause-run')} pauses before it, {key_for('stop-run')} stops"
            self.row("now", f"the agent is working on its next call; {state.only_watched or keys}", "caution")

    def _no_call(self) -> None:
        """Show the start of the run, or its end."""
        state, run = self.state, self.state.run
        if run is None:
            if state.only_recorded:
                self.row("", f"No run is shown; {key_for('choose-run')} lists the runs.", "dim")
            elif state.has_queries:
                self.row("", f"Not run yet; press {key_for('rerun')}.", "dim")
        elif self.view.step == 0:
            self.row("", "Nothing has been called yet.", "dim")
            if state.play is None:
                self._given(run)
        else:
            if run.last_words:
                self._spoken(run.last_messages, run.last_words, "said")
            self.row("", f"{phrases.ending(run).capitalize()}.", "dim")
            if run.cost.model_calls:
                self.row("cost", phrases.cost(run.cost, simulated=run.simulated), "dim")

    def _answer(self, told: RecordedCall) -> None:
        """Show what came of the call."""
        if told.raw and told.arguments is None:
            self.row("raw", told.raw, "dim", self.few)
        if told.answer is None:
            return
        if told.refused_by:
            by = "you" if told.refused_by == "user" else "the guard"
            self.row("refused", f"by {by}: the tool was not called", "caution")
        if phrases.failed(self.view):
            self.row("! failed", terms.ANSWERED_ERROR, "caution")
        few = max(self.few, 3) if told.failed else self.few
        self.row("answer", told.answer, "caution" if told.failed else "", few, "answer")
        if told.said is not None:
            self.row("said", f"{told.said} (edited by hand)", "dim", self.few)

    def _spoken(self, messages: tuple[MessageEvent, ...], words: str, label: str = "thought") -> None:
        """Show what was said before a call: turns of the user, then what the model said."""
        turns, words = by_speaker(messages, words)
        for speaker, text in turns:
            self.row(speaker, text, "" if speaker == "user" else "quote", self.few, "thought")
        if words:
            self.row(label, words, "quote", self.few, "thought")

    def _given(self, run: RunRecord) -> None:
        """Show what the model was given at first; in a low pane only how much it was."""
        parts = {part.name: part for part in given_at_first(run)}
        system, tools, messages = (parts[name] for name in ("system prompt", "tools", "messages"))
        if not self.roomy:
            offered = phrases.plural(len(tools.value), "tool") if tools.known else f"tools {tools.value}"
            asked = (
                phrases.plural(len(messages.value), "message") if messages.known else "no message recorded"
            )
            self.row("given", f"{asked}, {offered}; {key_for('look')} shows them", "dim", 1)
            return
        names = ", ".join(tool["name"] for tool in tools.value) if tools.known else tools.value
        texts = "\n".join(one["text"] for one in messages.value) if messages.known else messages.value
        self.row("system", system.value, "quote" if system.known else "dim", self.few)
        self.row("tools", names, "" if tools.known else "dim", self.few)
        self.row("prompt", texts, "quote" if messages.known else "dim", self.few)
        self.row("", f"{key_for('look')} shows it whole", "dim")

    def _asked(self, question: Question) -> None:
        """Show what the interrupted agent asks the user, and the keys to answer."""
        self.row("asks you", question.text, "caution", 0 if self.roomy else self.few)
        told = self.state.run.last_messages if self.state.run is not None else ()
        if said := "\n".join(message.text for message in told if message.by is None and message.text):
            self.row("it said", said, "quote", self.few)
        if question.wrong:
            self.row("", question.wrong, "broken", self.few)
        keys = {"answer-call": "answer, with a text or a JSON value"}
        if question.tool is not None:
            keys = dict(_DECISIONS[one] for one in question.allowed)
        self._keys(keys)

    def _pending(self) -> None:
        """Say why the run is paused before this call, and what the footer does not say."""
        if why := in_words(self.state.why_paused, self.problem):
            self.row("paused", why, "caution")
        if self.view.call is not None and self.view.call.error:
            self.row("", "no tool is called and the agent is told so", "dim")
        elif self.state.variant is not None and has_own_tools(self.state.variant):
            self._keys(dict([_DECISIONS["respond"]]))

    def _keys(self, keys: Mapping[str, str]) -> None:
        self.row("", ", ".join(f"{key_for(id)} {verb}" for id, verb in keys.items()), "dim")

    def _call(self) -> None:
        view = self.view
        assert view.call is not None
        text = phrases.call(view.call.tool, view.call.arguments, named=True, limit=400)
        if cell_width(text) > self.width - _MARGIN:
            text = phrases.call(view.call.tool, view.call.arguments, limit=400)
        self.row("call", text, "tool", kind="call")
        when, last = "" if self.state.at_pending else phrases.hours(view.start, view.end), self.lines[-1]
        if when and cell_width(last.text) + len(when) + 2 <= self.width:
            self.lines[-1] = Line((*last.runs, Run(f"  {when}", "dim")))

    # What became of the plan

    def became(self) -> None:
        """Show the state, right moves, findings, reason and remaining orders."""
        state, view, facts = self.state, self.view, self.state.facts
        if state.progress != "judged":
            self.row("", state.trouble or waiting(state), "caution" if state.trouble else "dim")
            return
        if state.certificate == "denied":
            self.row("verdict", *certificate("denied"))
        sealed = (
            [Run(*certificate(state.certificate))]
            if state.at_verdict and state.certificate in terms.SEALS
            else []
        )
        said = self._state()
        both = [*said, *[Run(" · ", "dim")] * bool(said and sealed), *sealed]
        fits = width_of(both) <= self.width
        if both:
            self.add(*(both if fits else said))
        self._of_run()
        rules = phrases.rules_alone(self.problem)
        if not rules:
            self._instead()
        if view.lost:
            self._plan()
        self._findings()
        if facts is None:
            self.row("", "…", "dim")
            return
        if facts.why and (not facts.findings or facts.why not in facts.findings[0]):
            self.row("why", facts.why)
        if rules:
            self._instead()
        if view.lost and self.problem.counted:
            self.row("left", phrases.orders(0), "dim")
        elif not view.lost and view.state == "completable" and view.step != "end":
            self._ways_on()
        if not fits:
            self.lines += map(Line, labelled("verdict", [tuple(sealed)], indent=_MARGIN))

    def _of_run(self) -> None:
        """Say what this step is to the run: why it is most likely to blame; at the end, notes on the verdict."""
        verdict, cause = self.state.verdict, self.state.cause
        if cause is not None and self.state.cause_at == self.view.index:
            from planscope.cause.told import chain, told

            way = f" {key_for('explain')} shows the way from here." if chain(cause) else ""
            self.row(terms.CAUSE, told(cause) + way, "caution")
        if verdict is None or self.view.step != "end":
            return
        if verdict.verdict == "unknown" and not self.problem.unjudged:
            from planscope.wording.explain import why_unknown

            self.row("why", why_unknown(self.state.debug.run.judged))
        for note in verdict.notes:
            self.row("note", note, "dim")
        for warning in verdict.warnings:
            self.row("warning", warning, "caution")

    def _findings(self) -> None:
        told = self.state.facts.findings if self.state.facts else ()
        would = "would be: " if self.state.at_pending else ""
        for i, found in enumerate(self.state.debug.run.findings[self.view.index]):
            sign, role = ("✗", "finding") if found.severity == "error" else ("!", "caution")
            self.add(Run(f"{sign} {would}{phrases.finding(found)}", role))
            self.row("", told[i] if i < len(told) else found.message)
        if (one := self.state.predicted_at(self.view.index)) is not None:
            self.row("fuzzer", predicted_words(one), "caution", self.few)

    def _state(self) -> list[Run]:
        """Say what the state means that the title names; of a paused call, also what it would be."""
        state, view = self.state, self.view
        lost, judged = state.lost_at(view), state.debug.run.replay
        here = lost == view.index
        if state.at_pending:
            what = phrases.what_is_lost(self.problem)
            becomes = f"{what} would be {terms.STATES[view.state]} after it"
            becomes = f"it would lose {what}" if here and view.lost else becomes
            word = Run(f"{terms.PAUSED_GLYPH} {terms.NOT_DONE}", "caution")
            says = (
                []
                if self.problem.unjudged
                else [Run(f"  {becomes}", "core" if here and view.lost else "dim")]
            )
            return [word, *says]
        if self.problem.unjudged:
            return []
        if here:
            note = "the query contradicts itself" if view.step == 0 else terms.NO_RETURN
            return [Run(terms.LOST_HERE, "core"), Run(f"  {note}", "dim")]
        if lost is not None and lost < view.index:
            return [Run(f"lost since {phrases.step_name(state.debug.run.steps[lost].step)}", "dim")]
        if view.state != "completable":
            return []
        return [Run(phrases.state_means(self.problem, view.state, phrases.step_ended(judged, view)), "dim")]

    def _moves(self, moves: Sequence[Move]) -> str:
        return phrases.moves(self.problem, moves, _MOVES if self.roomy else _FEW_MOVES)

    def _instead(self) -> None:
        facts = self.state.facts
        if facts is None or not facts.instead:
            return
        here = facts.instead_at is None or facts.instead_at == self.view.index - 1
        where = "" if here else f", as step {(facts.instead_at or 0) + 1}"
        if phrases.rules_alone(self.problem):
            self._safe(facts.instead, where)
        else:
            self.row("call instead", self._moves(facts.instead) + where, "safe")

    def _safe(self, moves: Sequence[Move], where: str = "") -> None:
        """Count the calls that break no rule at once; Enter lists them. Rules alone do not say which is wanted."""
        calls = phrases.plural(len(moves), "call")
        if self.whole:
            self.row("safe", phrases.moves(self.problem, moves, len(moves)) + where, "safe")
        else:
            self.row("safe", f"{calls}{where}; Enter lists {'it' if len(moves) == 1 else 'them'}", "dim")

    def _plan(self) -> None:
        """Show the correct plan nearest to this run."""
        repair = self.state.repair
        if repair is None or repair.order is None:
            return
        if repair.changes:
            self.row("to repair it", phrases.listed(repair.changes[:_MOVES]))
            return
        plan = phrases.plan(repair)[repair.kept :][:_PLAN]
        names = " → ".join(phrases.planned(self.problem, step) for step in plan)
        calls = "call" if repair.kept == 1 else f"{repair.kept} calls"
        kept = f"after the first {calls}: " if repair.kept else ""
        self.row("a correct plan", kept + names)

    def _ways_on(self) -> None:
        """Show the safe next moves, the number of remaining orders, and one such order."""
        facts = self.state.facts
        assert facts is not None
        if facts.safe and phrases.rules_alone(self.problem):
            self._safe(facts.safe)
            return
        moves = self._moves(facts.safe)
        self.row("next", moves or "nothing is left to do", "safe" if moves else "dim")
        if self.problem.counted:
            self.row("left", phrases.orders(facts.orders))
        if facts.one_way:
            way = [phrases.planned(self.problem, step) for step in facts.one_way[:_WAY]]
            more = " → …" if len(facts.one_way) > _WAY else ""
            self.row("for example", " → ".join(way) + more, "dim")


def _around(text: str, span: Span, width: int, role: str) -> tuple[Sequence[tuple[Run, ...]], int]:
    """Lay out a text from before a search hit on. ``span``: the hit's code points. Return also how many lines show
    it."""
    first = span[0] - _AROUND if span[1] > _AROUND * 4 else 0
    told = "…" * bool(first) + text[first : span[1] + _AROUND * 8]
    at = (span[0] - first + bool(first), span[1] - first + bool(first))
    whole = show(told, keep_newlines=True)
    parts = wrap(whole, width)
    seen = next((i for i, (_, end) in enumerate(parts, 1) if end >= at[1]), len(parts))
    body = []
    for a, b in parts:
        mark = Run(terms.HIT_GLYPH if a < at[1] and at[0] < b else " ", "hit-mark")
        body.append((mark, *painted_runs(whole, a, b, [(a, b, role), (*at, "hit")])))
    return body, seen


def _going_on(runs: tuple[Run, ...], width: int) -> tuple[Run, ...]:
    """Add an ellipsis to a line that was cut."""
    spare = width - width_of(runs)
    return (*runs, Run(" …" if spare > 1 else "…")) if spare > 0 else cut((*runs, Run("…")), width)
