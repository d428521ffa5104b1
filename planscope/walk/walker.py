"""The walker carries out one typed line at a time in a run of a session, and returns the lines to say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches

from planscope.cause.told import cause_of, chain, led_to, told
from planscope.debugger import cursor
from planscope.debugger.breakpoints import Breakpoint, StepBreak, load_breakpoints, parse_breakpoint, toggle
from planscope.debugger.cursor import DebugState, open_run
from planscope.debugger.errors import DebuggerError
from planscope.debugger.search import Haystack, Search, documents, next_hit, previous_hit, show_hit
from planscope.debugger.stops import continue_back, continue_forward, in_words, reasons
from planscope.debugger.watches import Watch, load_watches, look, parse_watch
from planscope.dissection.told import found_in
from planscope.errors import UserError
from planscope.language.reading import Reading
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import Trace
from planscope.rules.in_session import reading_in
from planscope.safe import visible
from planscope.session.model import Run, Session, own_runs, own_variants, variant_of
from planscope.session.record import RunRecord, record_of
from planscope.session.run_names import run_named
from planscope.session.traces import trace_of
from planscope.walk import sentences
from planscope.walk.commands import COMMANDS, ELSEWHERE
from planscope.wording import phrases, terms
from planscope.wording.constraints import plain
from planscope.wording.explain import UNFORESEEABLE, asides, explain_core, explain_correction, explain_verdict
from planscope.wording.phrases import plural

Lines = Iterable[str]


class Walker:
    """A walk through one run of a session, begun with the session's breakpoints and watches. Nothing is saved.

    ``ended``: the user has left.
    """

    def __init__(self, session: Session, run_id: str | None = None) -> None:
        self.session = session
        self.ended = False
        self.breakpoints: tuple[Breakpoint, ...] = ()
        self.watches: tuple[Watch, ...] = ()
        self.found: Search | None = None
        self.notices: list[str] = []
        self.open(run_id)

    def open(self, run_id: str | None) -> None:
        """Open a run, by default the last one that no dissection made, or a query alone. Raises ``ParseFailure``."""
        runs = {run.id: run for run in self.session.runs}
        named = None if run_id is None else run_named(runs, run_id)
        if run_id is not None and named is None:
            known = ", ".join(visible(one, limit=40) for one in list(runs)[:10]) or "none"
            raise UserError(f"no run {visible(run_id, limit=40)} in this session; its runs: {known}")
        own = own_runs(self.session)
        self.run: Run | None = runs[named] if named is not None else own[-1] if own else None
        variant = variant_of(self.session, self.run) if self.run else own_variants(self.session)[-1]
        self.variant = variant.id
        self.reading: Reading = reading_in(self.session, variant)
        trace = trace_of(self.run) if self.run is not None else Trace(ending="running")
        self.replay: Replay = replay(self.reading.problem, trace)
        self.record: RunRecord | None = record_of(self.run) if self.run is not None else None
        state = open_run(self.replay)
        self.breakpoints, wrong = load_breakpoints(self.session.breakpoints[:200], state.run)
        self.watches, more = load_watches(self.session.watches[:200], self.replay.problem)
        self.notices = [*wrong, *more]
        self.found = None
        verdict = self.replay.verdict()
        self.cause = cause_of(self.replay, verdict)
        led = led_to(self.cause, state.run.index_of)
        self.state = cursor.first_violation(state) if led is None else cursor.go_to(state, led)

    def greeting(self) -> Iterator[str]:
        """Return the lines that introduce the session, the run, its verdict, and the current step."""
        title = visible(self.session.title or "session", limit=200)
        yield title if title.endswith((".", "!", "?")) else f"{title}."
        if self.run is not None and self.record is not None:
            number = self.session.runs.index(self.run) + 1
            simulated = ", simulated" if self.record.simulated else ""
            agent = visible(self.record.helped_agent, limit=60)
            by = f"agent {agent}, model {visible(self.run.model, limit=60)}{simulated}"
            yield f"Run {number} of {len(self.session.runs)}: {by}."
        else:
            yield "Not run yet: the query alone."
        yield from self.verdict()
        yield from self.notices
        yield from self.place()
        yield "Say ? for the commands."

    def do(self, line: str) -> Lines:
        """Do what a typed line says, and return the lines to say."""
        text = line.strip()
        if not text:
            return self.place()
        head, _, rest = text.partition(" ")
        if text[0] == "/" and head != "/":
            head, rest = "/", text[1:]
        command = next((c for c in COMMANDS if head in (c.key, c.name)), None)
        if command is None:
            return [self._unknown(head)]
        if rest and not command.takes:
            return [f"{command.name} takes no argument."]
        try:
            method: Callable[..., Lines] = getattr(self, f"_{command.name.replace('-', '_')}")
            return list(method(rest.strip()) if command.takes else method())
        except DebuggerError as error:
            return [terms.sentence(str(error))]

    def _unknown(self, head: str) -> str:
        if head in ELSEWHERE:
            return f"{head} is a key of the screen: {ELSEWHERE[head]}."
        near = get_close_matches(head[:30], [c.name for c in COMMANDS], 1)
        hint = f"did you mean {near[0]}" if near else "say ? for the commands"
        return f"There is no command {visible(head, limit=40)}: {hint}."

    def place(self) -> Iterator[str]:
        """Return the lines about the current step and the watches."""
        yield from sentences.place_lines(self.state, self.record)
        for watch in self.watches:
            seen = look(watch, self.state.run, self.state.index)
            yield f"Watch {seen.text} is {seen.value}{', new' if seen.changed else ''}."

    def verdict(self) -> Iterator[str]:
        if self.record is None:
            return
        judged = self.replay.verdict()
        kind = f", {named}" if (named := phrases.headline(judged)) else ""
        yield f"Verdict: {terms.VERDICTS[judged.told]}{kind}{self.record.help.note}."
        yield explain_verdict(self.replay, judged)
        yield from map(visible, asides(judged))
        if self.cause is not None:
            yield visible(told(self.cause))

    def _dissection(self) -> Iterator[str]:
        """Return what the last dissection of this query found, and the query that the agent gets right."""
        found = found_in(self.session, self.variant)
        if found is None:
            yield "This query was not dissected; planscope dissect SESSION finds what makes the agent fail."
            return
        yield from map(visible, found.sentences)
        if found.cured:
            yield f"The cured query: {visible(found.cured)}"

    # Moving

    def _go(self, state: DebugState, stuck: str) -> Lines:
        if state.index == self.state.index and state.check == self.state.check:
            return [stuck]
        self.state = state
        return self.place()

    def _next(self) -> Lines:
        return self._go(cursor.next_call(self.state), "This is the end.")

    def _back(self) -> Lines:
        return self._go(cursor.previous_call(self.state), "This is the start.")

    def _check(self) -> Lines:
        return self._checked(cursor.next_check(self.state), "This is the end.")

    def _check_back(self) -> Lines:
        return self._checked(cursor.previous_check(self.state), "This is the start.")

    def _checked(self, state: DebugState, stuck: str) -> Lines:
        moved = state.index != self.state.index
        if not moved and state.check == self.state.check:
            return [stuck]
        self.state = state
        if state.checked is not None and not moved:
            return [sentences.constraint_line(state, state.checked)]
        return self.place()

    def _continue(self) -> Lines:
        return self._stopped(continue_forward(self.state, self.breakpoints), "No stop after this step.")

    def _continue_back(self) -> Lines:
        return self._stopped(continue_back(self.state, self.breakpoints), "No stop before this step.")

    def _stopped(self, state: DebugState, stuck: str) -> Lines:
        if state.index == self.state.index:
            return [stuck]
        self.state = state
        why = in_words(reasons(state.run, state.index, self.breakpoints), state.run.problem)
        return [*([f"Stopped: {why}."] if why else []), *self.place()]

    def _first(self) -> Lines:
        if self.state.run.first_violation is None:
            return ["There is no violation in this run."]
        self.state = cursor.first_violation(self.state)
        return self.place()

    def _start(self) -> Lines:
        return self._go(cursor.go_start(self.state), "This is the start.")

    def _end(self) -> Lines:
        return self._go(cursor.go_end(self.state), "This is the end.")

    def _goto(self, text: str) -> Lines:
        if not text:
            return ["Which step? goto 3, goto start or goto end."]
        self.state = cursor.go_to(self.state, cursor.parse_step(self.state.run, text))
        return self.place()

    # Breakpoints, watches, search

    def _break(self, text: str) -> Lines:
        made = parse_breakpoint(text, self.state.run) if text else StepBreak(self.state.step)
        self.breakpoints = toggle(self.breakpoints, made)
        return [f"Breakpoint {'set' if made in self.breakpoints else 'cleared'}: {made}."]

    def _breakpoints(self) -> Lines:
        return [f"Breakpoint: {b}." for b in self.breakpoints] or ["No breakpoint is set."]

    def _watch(self, text: str) -> Lines:
        if not text:
            return [f"Watch {watch}." for watch in self.watches] or ["No watch is set."]
        made = parse_watch(text, self.replay.problem)
        if made in self.watches:
            self.watches = tuple(w for w in self.watches if w != made)
            return [f"Watch removed: {made}."]
        self.watches = (*self.watches, made)
        seen = look(made, self.state.run, self.state.index)
        return [f"Watch {seen.text} is {seen.value}."]

    def _search(self, text: str) -> Lines:
        if not text:
            return ["Search for what? Type / and the words."]
        problem, record = self.replay.problem, self.record
        calls = record.calls if record is not None else ()
        last_words = (
            {self.state.run.last: record.last_words} if record is not None and record.last_words else {}
        )
        haystack = Haystack(
            documents(
                self.reading.text,
                self.state.run,
                plain={c.id: plain(c, problem) for c in problem.constraints},
                answers={i: c.answer for i, c in enumerate(calls, 1) if c.answer is not None},
                thoughts={i: c.thought for i, c in enumerate(calls, 1) if c.thought} | last_words,
            )
        )
        self.found = haystack.find(text)
        if self.found.at is None:
            return [f"{visible(text, limit=60)} does not occur in query, constraints, calls or answers."]
        return self._hit(self.found)

    def _next_hit(self) -> Lines:
        return self._hit(next_hit(self.found)) if self.found else ["Search first: / and the words."]

    def _previous_hit(self) -> Lines:
        return self._hit(previous_hit(self.found)) if self.found else ["Search first: / and the words."]

    def _hit(self, found: Search) -> Lines:
        self.found = found
        if found.hit is None or found.at is None:
            return ["Nothing was found."]
        self.state = show_hit(self.state, found)
        hit = found.hit
        first = max(hit.span[0] - 40, 0)
        around = visible(hit.document.text[first : hit.span[1] + 40])
        where = {"query": "the query", "constraint": f"constraint {hit.document.constraint}"}.get(
            hit.document.kind, f"the {hit.document.kind} of {sentences.step_name(self.state.step)}"
        )
        return [f"{found.at + 1} of {len(found.hits)}, in {where}: {around}"]

    # Looking

    def _explain(self) -> Lines:
        yield from self.verdict()
        if self.cause is not None:
            yield from (terms.sentence(visible(line)) for line in chain(self.cause))
        view = self.state.view
        core = view.core or next((v.core for v in self.replay.steps if v.core is not None), None)
        if core is None:
            if self.run is None:
                yield "The query can be met."
            return
        yield f"{terms.CONFLICT}: {terms.CONFLICT_MEANS}."
        for name in core.constraints:
            yield sentences.constraint_line(self.state, name)
        for step in core.steps:
            yield sentences.core_step_line(self.state, step)
        if not core.foreseeable:
            yield UNFORESEEABLE

    def _reasons(self) -> Lines:
        found = self.replay.reasons()
        if not found.cores:
            yield "Nothing is lost here."
            return
        yield f"{plural(len(found.cores), 'minimal core')}; {terms.SEARCH_ENDS[found.ended]}."
        for number, core in enumerate(found.cores, 1):
            yield f"{number}: {explain_core(self.replay, core)}"
        yield f"Ways to save {phrases.what_is_lost(self.replay.problem)}:"
        for number, correction in enumerate(found.corrections, 1):
            yield f"{number}: {explain_correction(self.replay, found.index, correction)}"

    def _instead(self) -> Lines:
        if self.run is None:
            return ["There is no run to correct."]
        return sentences.repair_lines(self.replay, self.replay.way_back())

    def _query(self) -> Lines:
        return sentences.query_lines(self.reading.text, self.state)

    def _tree(self) -> Lines:
        return sentences.tree_lines(self.reading.outline)

    def _constraints(self) -> Lines:
        return sentences.constraint_lines(self.state)

    def _timeline(self) -> Lines:
        return sentences.timeline_lines(self.state, self.record, led_to(self.cause, self.state.run.index_of))

    def _step(self) -> Lines:
        return self.place()

    def _saw(self) -> Lines:
        if self.record is None:
            return ["Not run yet, so no model saw anything."]
        return sentences.seen_lines(self.record, self.state.view, self.replay.trace)

    def _verdict(self) -> Lines:
        return self.verdict() if self.run is not None else ["There is no run to judge."]

    def _runs(self, wanted: str) -> Lines:
        runs = self.session.runs
        if not wanted:
            here = self.run
            return [
                f"{number}, run {visible(run.id, limit=40)}: {visible(run.agent, limit=40)}, "
                f"{visible(run.model, limit=60)}{', this one' if run is here else ''}."
                for number, run in enumerate(runs, 1)
            ] or ["This session has no run."]
        chosen = next((run for run in runs if run.id == wanted), None)
        if chosen is None and wanted.isascii() and wanted.isdigit() and 1 <= int(wanted[:9]) <= len(runs):
            chosen = runs[int(wanted) - 1]
        if chosen is None:
            return [f"There is no run {visible(wanted, limit=40)}: o lists them."]
        try:
            self.open(chosen.id)
        except UserError as error:
            return [str(error)]
        return self.greeting()

    def _help(self) -> Lines:
        for one in COMMANDS:
            takes = f" {one.takes}" if one.takes else ""
            yield f"{one.key} or {one.name}{takes}: {one.help}."
        yield "An empty line says the step again. Capital letters go backwards."

    def _quit(self) -> Lines:
        self.ended = True
        return ()
