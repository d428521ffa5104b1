"""The lines of pane 5: one step of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planscope.debugger.search import Kind
from planscope.debugger.stops import in_words
from planscope.language.problem import Span
from planscope.oracle.verdict_types import Move, StepNo, StepView
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
from planscope.tui.view import SAFE_CALLS, DebugView
from planscope.wording import phrases, terms

if TYPE_CHECKING:
    from planscope.agents.gate import Question
    from planscope.toolfuzz.keeping import Predicted
    from planscope.tui.controllers.judge import Facts

_MARGIN = 9
_MOVES, _FEW_MOVES = 8, 3
"""The number of moves listed in a high pane and in a low one."""
_WAY = 8
_PLAN = 24
_AROUND = 200
"""A long text is shown from this many code points before its search hit."""
_MOST, _MOST_ZOOMED = 4_000, 200_000
"""The limit of one text in code points, and the limit in a zoomed pane."""
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
    return "the judge failed" if state.progress == "failed" else "judging…"


def step_lines(state: DebugView, width: int, window: int) -> tuple[list[Line], int]:
    """Show thought, call, answer and watches, and what became of the plan: first of all if the step is wrong.

    Long texts are cut so far that all has room, and JSON is folded; a zoomed pane shows more of them. Return also how
    many rows it would fill.
    """
    lines, flexible = _step_lines(state, width, window, window)
    over = len(lines) - window
    if over <= 0 or state.zoomed:
        return lines, len(lines)
    few = next((rows for rows in range(window, 1, -1) if sum(max(n - rows, 0) for n in flexible) >= over), 1)
    return _step_lines(state, width, window, max(few, min(window // 6, 4)))[0], len(lines)


def _step_lines(state: DebugView, width: int, window: int, few: int) -> tuple[list[Line], list[int]]:
    """Return the lines, and how many each text has that may be cut. ``few``: how many a text has at most."""
    view = state.debug.view
    page, below, watches = (_StepPage(state, width, window, few) for _ in range(3))
    page.done(view)
    for watch in state.watch_lines:
        text = f"{watch.text} = {watch.value}{'  (new)' if watch.changed else ''}"
        watches.row("watch", text, "caution" if watch.changed else "")
    if state.progress == "judged":
        below.became(view)
    else:
        below.row("", state.trouble or waiting(state), "caution" if state.trouble else "dim")
    gap = [BLANK] if page.lines and below.lines and window >= _ROOMY else []
    here = any(one.severity == "error" for one in state.debug.run.findings[view.index])
    here = here or (view.lost and state.lost_at(view) == view.index) or state.cause_at == view.index
    first = here and state.progress == "judged" and view.call is not None and not state.at_pending
    above = [*below.lines, *watches.lines, *gap, *page.lines]
    return above if first else [
        *page.lines,
        *watches.lines,
        *gap,
        *below.lines,
    ], page.flexible + below.flexible


def _going_on(runs: tuple[Run, ...], width: int) -> tuple[Run, ...]:
    """Add an ellipsis to a line that was cut."""
    spare = width - width_of(runs)
    return (*runs, Run(" …" if spare > 1 else "…")) if spare > 0 else cut((*runs, Run("…")), width)


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
    """The lines of one step."""

    def __init__(self, state: DebugView, width: int, window: int, few: int) -> None:
        super().__init__(width, _MARGIN)
        self.state = state
        self.flexible: list[int] = []
        self.problem = state.debug.run.problem
        self.body = max(width - _MARGIN, 8)
        self.roomy = state.zoomed or window >= _ROOMY
        self.few = 10_000 if state.zoomed else few

    def row(self, label: str, text: str, role: str = "", few: int = 0, kind: Kind | None = None) -> None:
        """Add a text beside its label, in at most ``few`` lines; ``kind``: search hits of this kind are marked."""
        hit = hit_of_step(self.state.hit, self.state.debug.index, kind)
        if hit is not None and (span := place_in(text, hit)) is not None:
            self._found(label, text, role, few, span)
        elif len(label) >= _MARGIN:
            self._beside(label, text, role)
        else:
            most = _MOST_ZOOMED if self.state.zoomed else _MOST
            laid = kind in ("answer", "thought")
            body = (
                formatted(text, self.body, role, most, few)
                if laid
                else paragraph(text, self.body, role, most)
            )
            if few:
                self.flexible.append(min(len(body), few))
            if few and len(body) > few:
                body = (*body[: few - 1], _going_on(body[few - 1], self.body - 1))
            self.lines += map(Line, labelled(label, body, indent=_MARGIN))

    def _beside(self, label: str, text: str, role: str) -> None:
        """Add safe text with a label that is wider than the margin."""
        first = ranges(text, max(self.body + _MARGIN - len(label) - 2, 8))[0][1]
        self.lines.append(Line((Run(f"{label}  ", "label"), Run(text[:first], role))))
        self.text(text[first:].strip(), role, _MARGIN)

    def _found(self, label: str, text: str, role: str, few: int, span: Span) -> None:
        """Add a row with a search hit, shown at least up to it. ``span``: the hit's code points in the text."""
        first = span[0] - _AROUND if span[1] > _AROUND * 4 else 0
        told = "…" * bool(first) + text[first : span[1] + _AROUND * 8]
        at = (span[0] - first + bool(first), span[1] - first + bool(first))
        whole = show(told, keep_newlines=True)
        parts = wrap(whole, self.body)
        seen = next((i for i, (_, end) in enumerate(parts, 1) if end >= at[1]), len(parts))
        for i, (a, b) in enumerate(parts[: max(few, seen) if few else None]):
            mark = terms.HIT_GLYPH if a < at[1] and at[0] < b else " "
            head = (label if i == 0 else "").ljust(_MARGIN - 1)
            runs = painted_runs(whole, a, b, [(a, b, role), (*at, "hit")])
            self.lines.append(Line((Run(head, "label"), Run(mark, "hit-mark"), *runs)))

    # What was done

    def done(self, view: StepView) -> None:
        """Show thought, call, error and answer."""
        state = self.state
        self._awaited(view)
        if state.unfollowed and state.run is not None and view.index == state.debug.run.last:
            said = f"{phrases.plural(state.unfollowed, 'other run')} of this program goes on, not followed"
            said = said.replace("goes", "go") if state.unfollowed > 1 else said
            self.row("others", f"{said}; when this run ends, one that still runs is next", "caution")
        if view.call is None:
            self._no_call(view)
            return
        told, run = state.call_at(view.index), state.run
        failed = phrases.failed(view)
        if told is not None:
            if failed:  # what went wrong comes first
                self._answer(view, told)
            self._asked_for(view, told)
        else:
            self._call(view)
        if state.at_pending:
            self._pending(view)
        if error := view.call.error or (told.error if told else ""):
            self.row("refused", error, "broken", self.few)
        if told is not None and not failed:
            self._answer(view, told)
        if run is not None and run.forked_from is not None and 0 < view.index <= run.kept:
            self.row("kept", f"from run {phrases.fork_point(run.forked_from)}, not run again", "dim")

    def _awaited(self, view: StepView) -> None:
        """Say what a run in progress waits for: the user, or its agent, if this is its last step."""
        state, run = self.state, self.state.run
        if state.question is not None and state.at_question:
            self._asked(state.question)
            return
        if run is None or not run.under_way or run.pending or state.play is not None:
            return
        if view.index == state.debug.run.last:
            keys = f"{key_for('pause-run')} pauses before it, {key_for('stop-run')} stops"
            now = f"the agent is working on its next call; {state.only_watched or keys}"
            if run.waits_for:
                now = f"the agent {run.waits_for}; its own program answers"
            self.row("now", now, "caution")

    def _no_call(self, view: StepView) -> None:
        """Show the start of the run, or its end."""
        state, run = self.state, self.state.run
        if run is None:
            if state.has_queries:
                self.row("", f"Not run yet; press {key_for('rerun')}.", "dim")
        elif view.step == 0:
            self.row("", "Nothing has been called yet.", "dim")
            if state.play is None:
                self._given(run)
        else:
            if run.last_words:
                self._spoken(run.last_messages, run.last_words, "said")
            self.row("", f"{phrases.ending(run).capitalize()}.", "dim")
            if run.cost.model_calls:
                self.row("cost", phrases.cost(run.cost, simulated=run.simulated), "dim")

    def _asked_for(self, view: StepView, told: RecordedCall) -> None:
        """Show who made the call, what was said before it, and the call, also as it was before it was edited."""
        if told.agent:
            self.row("agent", told.agent, "", 1)
        self._spoken(told.messages, told.thought)
        self._call(view)
        if told.asked is not None and view.call is not None:
            asked = phrases.call(view.call.tool, told.asked, named=True, limit=400)
            self.row("asked", f"{asked}, edited by hand", "dim", self.few)

    def _answer(self, view: StepView, told: RecordedCall) -> None:
        """Show what came of the call."""
        if told.raw and told.arguments is None:
            self.row("raw", told.raw, "dim", self.few)
        if told.answer is None:
            return
        if told.refused_by:
            by = "you" if told.refused_by == "user" else "the guard"
            self.row("refused", f"by {by}: the tool was not called", "caution")
        if phrases.failed(view):
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
            self.row(label, words, "quote", self.few, "thought" if label == "thought" else None)

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
        self.row("", f"{key_for('look')} shows it whole, with schemas", "dim")

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
        self._keys(keys | {"stop-run": "stop"})

    def _pending(self, view: StepView) -> None:
        """Say why the run is paused before this call, and name the keys to decide."""
        why = in_words(self.state.why_paused, self.problem)
        self.row("paused", f"before this call{': ' * bool(why)}{why}", "caution")
        if view.call is not None and view.call.error:
            keys = {"next-call": "continue", "continue": "to the next breakpoint", "stop-run": "stop"}
            self._keys(keys, "no tool is called and the agent is told so; ")
            return
        keys = {"next-call": "run call", "continue": "continue", "edit-arguments": "arguments"}
        keys |= {"edit-answer": "answer"}
        if self.state.variant is not None and has_own_tools(self.state.variant):
            keys |= {"answer-call": "answer without calling"}
        self._keys(keys | {"refuse-call": "refuse", "stop-run": "stop"})

    def _keys(self, keys: Mapping[str, str], before: str = "") -> None:
        self.row("", before + ", ".join(f"{key_for(id)} {verb}" for id, verb in keys.items()), "dim")

    def _call(self, view: StepView) -> None:
        assert view.call is not None
        text = phrases.call(view.call.tool, view.call.arguments, named=True, limit=400)
        if cell_width(text) > self.body:
            text = phrases.call(view.call.tool, view.call.arguments, limit=400)
        self.row("call", text, "tool", kind="call")
        when, last = "" if self.state.at_pending else phrases.hours(view.start, view.end), self.lines[-1]
        if when and cell_width(last.text) + len(when) + 2 <= self.body + _MARGIN:
            self.lines[-1] = Line((*last.runs, Run(f"  {when}", "dim")))

    # What became of the plan

    def became(self, view: StepView) -> None:
        """Show the state, right moves, findings, reason and remaining orders."""
        state, facts = self.state, self.state.facts
        if state.certificate == "denied":
            self.row("verdict", *certificate("denied"))
        state_line, sealed = self.state_line(view), self.certificate()
        beside = Line((*state_line.runs, Run(" · ", "dim"), *sealed)) if sealed else state_line
        fits = cell_width(beside.text) <= self.body + _MARGIN
        if not self.problem.unjudged or self.state.at_pending:
            self.lines.append(beside if fits else state_line)
        self._of_run(view)
        rules = phrases.rules_alone(self.problem)
        if not rules:
            self._instead(view)
        if view.lost:
            self._plan()
        self._findings(view)
        if facts is None:
            self.row("", "…", "dim")
            return
        if facts.why and (not facts.findings or facts.why not in facts.findings[0]):
            self.row("why", facts.why)
        if rules:
            self._instead(view)
        if view.lost and self.problem.counted:
            self.row("left", phrases.orders(0), "dim")
        elif not view.lost and view.state == "completable" and view.step != "end":
            self._ways_on(facts)
        if not fits:
            self.lines += map(Line, labelled("verdict", [sealed], indent=_MARGIN))

    def _of_run(self, view: StepView) -> None:
        """Say what this step is to the run: why it is most likely to blame; at the end, notes on the verdict."""
        verdict, cause = self.state.verdict, self.state.cause
        if cause is not None and self.state.cause_at == view.index:
            from planscope.cause.told import chain, told

            way = f" {key_for('explain')} shows the way from here." if chain(cause) else ""
            self.row(terms.CAUSE, told(cause) + way, "caution")
        if verdict is None or view.step != "end":
            return
        if verdict.verdict == "unknown" and not self.problem.unjudged:
            from planscope.wording.explain import why_unknown

            self.row("why", why_unknown(self.state.debug.run.judged))
        for note in verdict.notes:
            self.row("note", note, "dim")
        for warning in verdict.warnings:
            self.row("warning", warning, "caution")

    def _findings(self, view: StepView) -> None:
        told = self.state.facts.findings if self.state.facts else ()
        would = "would be: " if self.state.at_pending else ""
        for i, found in enumerate(self.state.debug.run.findings[view.index]):
            sign, role = ("✗", "finding") if found.severity == "error" else ("!", "caution")
            self.lines.append(Line((Run(f"{sign} {would}{phrases.finding(found)}", role),)))
            self.row("", told[i] if i < len(told) else found.message)
        if (one := self.state.predicted_at(view.index)) is not None:
            self.row("fuzzer", predicted_words(one), "caution", self.few)

    def state_line(self, view: StepView) -> Line:
        lost = self.state.lost_at(view)
        if self.state.at_pending:
            here = lost == view.index and view.lost
            runs = [Run(f"{terms.PAUSED_GLYPH} {terms.NOT_DONE}", "caution")]
            if self.problem.unjudged:
                return Line(tuple(runs))
            what = phrases.what_is_lost(self.problem)
            becomes = (
                f"it would lose {what}" if here else f"{what} would be {terms.STATES[view.state]} after it"
            )
            return Line((*runs, Run(f"  {becomes}", "core" if here else "dim")))
        judged = self.state.debug.run.replay
        word = phrases.step_word(judged, view)
        runs = [Run(f"{terms.STATE_GLYPHS[view.state]} {word}", view.state)]
        note = ""
        if lost == view.index:
            runs.append(Run(f"  {terms.LOST_HERE}", "core"))
            note = "the query contradicts itself" if view.step == 0 else terms.NO_RETURN
        elif lost is not None and lost < view.index:
            note = f"lost since {phrases.step_name(self.state.debug.run.steps[lost].step)}"
        elif view.state == "completable":
            note = phrases.state_means(self.problem, view.state, phrases.step_ended(judged, view))
        return Line((*runs, Run(f"  {note}", "dim")) if note else tuple(runs))

    def certificate(self) -> tuple[Run, ...]:
        """What Z3 says about the verdict, at the step that decides it."""
        said = self.state.certificate
        known = self.state.at_verdict and said in ("confirmed", "gave_up")
        return (Run(*certificate(said)),) if known else ()

    def _moves(self, moves: Sequence[Move]) -> str:
        return phrases.moves(self.problem, moves, _MOVES if self.roomy else _FEW_MOVES)

    def _instead(self, view: StepView) -> None:
        facts = self.state.facts
        if facts is not None and facts.instead:
            here = facts.instead_at is None or facts.instead_at == view.index - 1
            where = "" if here else f", as step {(facts.instead_at or 0) + 1}"
            if phrases.rules_alone(self.problem):
                self._safe(facts.instead, where)
            else:
                self.row("call instead", self._moves(facts.instead) + where, "safe")

    def _safe(self, moves: Sequence[Move], where: str = "") -> None:
        """Count the calls that break no rule at once; Enter lists them. Rules alone do not say which is wanted."""
        calls = phrases.plural(len(moves), "call")
        if SAFE_CALLS in self.state.folded_here:
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

    def _ways_on(self, facts: Facts) -> None:
        """Show the safe next moves, the number of remaining orders, and one such order."""
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
