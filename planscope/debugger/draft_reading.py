"""Reads a draft: its errors, the places that name actions, its constraints compared with the parent's, satisfiability.

In two functions, since the second can take long: ``read_draft`` costs a millisecond for ten sentences, ``solve`` asks
the oracle. Both can be called from any thread. A draft keeps the ids of its parent's actions when they are renamed, so
constraints are compared by kind and actions; a constraint's own id depends on its place in the text. Any two queries
are compared by ``planscope.compare``.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from planscope.debugger.draft import Draft, DraftError, checked_name, tool_for, with_action
from planscope.debugger.errors import shown
from planscope.language.errors import ParseError, in_a_line
from planscope.language.problem import Action, Constraint, Problem, Span
from planscope.language.reading import ActionNameError, PartReading, Reading, read_partly
from planscope.language.scan import Names, Scanner, cut, phrase_key
from planscope.language.tree import ActionRef, walk
from planscope.oracle.trace import Trace
from planscope.wording.phrases import listed

QUICK_ACTIONS = 16
QUICK_CONSTRAINTS = 200
"""Up to these many actions and constraints, ``solve`` takes milliseconds."""


@dataclass(frozen=True, slots=True)
class Solved:
    """Whether all can be met. ``core``: the minimal set of constraints that contradict each other, by id.

    ``can_be_met``: None where the solver gave up, or where a part of the text is not known yet. ``orders``: in how
    many orders, None where they are too many to count.
    """

    can_be_met: bool | None
    core: tuple[str, ...] = ()
    orders: int | None = None


@dataclass(frozen=True, slots=True)
class DraftReading:
    """What was read of a draft. ``problem`` is what its readable sentences say (None: there is none).

    ``complaint``: why nothing can be read at all, such as two actions of one name. ``rows``: the constraints beside
    the parent's. ``sentences``: the ranges of all sentences, broken ones too.
    """

    draft: Draft
    problem: Problem | None = None
    before: Problem | None = None
    errors: tuple[ParseError, ...] = ()
    complaint: str = ""
    rows: tuple[Changed, ...] = ()
    sentences: tuple[Span, ...] = ()
    known: tuple[Known, ...] = ()
    reading: Reading | None = None
    """The reading of the whole text; None if some of it cannot be read."""

    @property
    def readable(self) -> bool:
        return self.reading is not None

    @property
    def why_not(self) -> str:
        """Why the draft cannot be run, in one line; empty if it can."""
        if self.complaint:
            return self.complaint
        return in_a_line(self.errors) if self.errors else ""

    @property
    def quick(self) -> bool:
        """Whether ``solve`` will answer at once."""
        problem = self.problem
        return problem is None or (
            len(problem.actions) <= QUICK_ACTIONS and len(problem.constraints) <= QUICK_CONSTRAINTS
        )

    def count(self, became: Became) -> int:
        """How many of the text's constraints were added, are gone, ..."""
        return sum(row.became == became for row in self.rows)

    def names_of(self, row: Changed) -> Problem:
        """The problem that a line's constraint belongs to."""
        problem = self.problem if row.became in ("added", "same") else self.before
        assert problem is not None
        return problem

    def words_of(self, c: Constraint) -> Span | None:
        """The range from the first to the last word that state a constraint of this draft."""
        spans = [span for span in c.spans if span[0] < span[1]]
        return (min(a for a, _ in spans), max(b for _, b in spans)) if spans else None


def read_draft(draft: Draft, before: Problem | None = None) -> DraftReading:
    """Read a draft. ``before``: what the parent says, None where it cannot be read."""
    try:
        found: PartReading = read_partly(draft.text, draft.actions, timed=draft.timed)
        known = words_known(draft, found)
    except ActionNameError as error:
        return DraftReading(draft, before=before, complaint=str(error))
    problem = found.reading.problem if found.reading is not None else None
    rows = diff_constraints(before, problem, broken=bool(found.errors))
    whole = found.reading if not found.errors else None
    return DraftReading(draft, problem, before, found.errors, "", rows, found.sentences, known, whole)


def problem_of_draft(draft: Draft) -> Problem | None:
    """The problem of a draft that can be read; its own drafts are compared with it."""
    try:
        found = read_partly(draft.text, draft.actions, timed=draft.timed)
    except ActionNameError:
        return None
    return found.reading.problem if found.reading is not None and not found.errors else None


def solve(seen: DraftReading) -> Solved:
    """Ask the oracle whether the draft can be met. A contradiction can be found in its readable part alone."""
    from planscope.oracle.replay import replay  # Z3 comes with it

    if seen.problem is None:
        return Solved(None)
    judged = replay(seen.problem, Trace((), "running"))
    view = judged.steps[0]
    if view.core is not None:
        return Solved(False, view.core.constraints)
    if view.state != "completable" or not seen.readable:
        return Solved(None)
    return Solved(True, (), judged.valid_completions(0))


Became = Literal["added", "gone", "same", "unread"]
"""``unread``: not found, but a sentence that cannot be read may state it."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One line of the diff: the constraint (of the parent where it is gone or unread), and what became of it."""

    constraint: Constraint
    became: Became


def diff_constraints(
    before: Problem | None, now: Problem | None, *, broken: bool = False
) -> tuple[Changed, ...]:
    """The draft's constraints in their order, each one that is gone behind what it stood behind; rules last.

    A constraint that is stated twice is matched twice. ``broken``: some sentence of ``now`` could not be read.
    """
    waiting: dict[tuple[object, ...], deque[int]] = defaultdict(deque)
    old = before.constraints if before is not None else ()
    for place, c in enumerate(old):
        waiting[c.meaning].append(place)
    matched: dict[str, int] = {}
    for c in now.constraints if now is not None else ():
        if places := waiting.get(c.meaning):
            matched[c.id] = places.popleft()
    left = set(range(len(old))) - set(matched.values())
    lost: Became = "unread" if broken else "gone"
    rows: list[Changed] = []

    def lose(place: int, rules: bool) -> None:
        """Name what is not there any more and stood from ``place`` on."""
        while place in left and old[place].is_rule == rules:
            left.discard(place)
            rows.append(Changed(old[place], "gone" if rules else lost))
            place += 1

    for rules in (False, True):
        first = next((place for place, c in enumerate(old) if c.is_rule == rules), None)
        if first is not None:
            lose(first, rules)
        for c in now.constraints if now is not None else ():
            if c.is_rule != rules:
                continue
            there = matched.get(c.id)
            rows.append(Changed(c, "added" if there is None else "same"))
            if there is not None:
                lose(there + 1, rules)
    return tuple(rows)


MOST_SCANNED = 50_000
"""Code points of unreadable sentences that are searched for known words."""


class Known(NamedTuple):
    """Words of a text that mean something. ``action``: the id of the action that they name, else "" (a relation)."""

    span: Span
    action: str


def words_known(draft: Draft, found: PartReading) -> tuple[Known, ...]:
    """Names and relations by their place: of a sentence that was read those meant, of a broken one all there are."""
    made: list[Known] = []
    if found.reading is not None:
        for _, node in walk(found.reading.tree):
            if isinstance(node, ActionRef):
                made.append(Known(node.span, node.action))
        made += [Known(c.spans[1], "") for c in found.reading.problem.said if len(c.spans) > 1]
    made += _scanned(draft, found)
    return tuple(sorted(set(made)))


def _scanned(draft: Draft, found: PartReading) -> Iterator[Known]:
    """Known words of unreadable sentences, up to a limit."""
    wrong = sorted(error.span[0] for error in found.errors)
    broken = [s for s in found.sentences if any(s[0] <= at <= s[1] for at in wrong)] if wrong else []
    scanner = Scanner(Names(draft.actions), draft.timed) if broken else None
    room = MOST_SCANNED
    for start, end in broken:
        room -= end - start
        if room < 0 or scanner is None:
            return
        sentence = draft.text[start:end]
        for token in scanner.stream(sentence, list(cut(sentence))):
            if token.type == "ACTION" or token.meaning.relation:
                yield Known((start + token.start, start + token.end), token.action)


def mentions(draft: Draft, id: str, found: PartReading | None = None) -> tuple[Span, ...]:
    """The ranges of the text that name an action. ``found``: the reading, if the draft was read already."""
    if found is None:
        found = read_partly(draft.text, draft.actions, timed=draft.timed)
    return tuple(known.span for known in words_known(draft, found) if known.action == id)


def where_named(spans: Sequence[Span], sentences: Sequence[Span], most: int = 4) -> str:
    """Places of a text in words: ``sentence 1 and sentence 3``."""
    numbers = sorted(
        {next((i for i, (a, b) in enumerate(sentences, 1) if a <= at[0] <= b), 0) for at in spans}
    )
    said = [f"sentence {number}" for number in numbers[:most]]
    if len(numbers) > most:
        said.append(f"{len(numbers) - most} more")
    return listed(said)


def rename_action(draft: Draft, id: str, name: str) -> Draft:
    """Rename an action, in the text too, and its tool.

    Where a plain name would make the text mean something else (because of a word of the language in it), it stands
    in backquotes there. Raises :class:`DraftError` for a name that cannot be had.
    """
    old = draft.action(id)
    name = checked_name(draft, name, besides=id)
    if name == old.name:
        return draft
    new = replace(old, name=name, tool=tool_for(draft, name, besides=id))
    try:
        before = read_partly(draft.text, draft.actions, timed=draft.timed)
    except ActionNameError:  # two names are equal: it is renamed to tell them apart
        return with_action(draft, id, name=new.name, tool=new.tool)
    spans = mentions(draft, id, before)
    for quote in ("", "`"):
        made = _renamed(draft, old, new, spans, quote)
        if _reads_alike(made, before):
            return made
    raise DraftError(f"the text would mean something else with {shown(name)} in it")


def _reads_alike(draft: Draft, before: PartReading) -> bool:
    """Whether a renamed draft still means the same, with errors in the same sentences."""
    try:
        now = read_partly(draft.text, draft.actions, timed=draft.timed)
    except ActionNameError:
        return False
    if len(now.errors) != len(before.errors) or len(now.sentences) != len(before.sentences):
        return False
    one, other = (part.reading.problem.constraints if part.reading else () for part in (before, now))
    return [(c.meaning, c.sentence) for c in one] == [(c.meaning, c.sentence) for c in other]


def _renamed(draft: Draft, old: Action, new: Action, spans: Sequence[Span], quote: str) -> Draft:
    text = draft.text
    tool = phrase_key(old.tool)
    parts: list[str] = []
    end = 0
    for a, b in spans:
        said = text[a:b]
        by_tool = phrase_key(said) == tool and phrase_key(old.name) != tool
        word = new.tool if by_tool else _cased(new.name, said, old.name)
        quoted = text[a - 1 : a] == "`" and text[b : b + 1] == "`"
        parts += [text[end:a], word if quoted or by_tool else f"{quote}{word}{quote}"]
        end = b
    renamed = with_action(draft, old.id, name=new.name, tool=new.tool)
    return replace(renamed, text="".join([*parts, text[end:]]))


def _cased(name: str, said: str, old: str) -> str:
    """The new name with a capital where the text gave the old one a capital that it has not by itself."""
    if said[:1].isupper() and not old[:1].isupper():
        return name[:1].upper() + name[1:]
    return name
