"""Reads a draft: its errors, the places that name actions, its constraints beside the parent's, satisfiability.

There are two functions, since the second can take long: ``read_draft`` costs a millisecond for ten sentences, ``solve``
asks the oracle. Both can be called from any thread. A draft keeps the ids of its parent's actions when they are
renamed, so constraints are compared by kind and actions; a constraint's own id depends on its place in the text.
:mod:`planscope.compare` compares any two queries.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from planscope.debugger.draft import Draft, DraftError, add_action, checked_name, tool_for, with_action
from planscope.debugger.errors import shown
from planscope.frozen import frozen
from planscope.language.cuts import Scanner
from planscope.language.errors import ParseError, in_a_line
from planscope.language.find_actions import new_names
from planscope.language.problem import Action, Constraint, Problem, Span
from planscope.language.reading import ActionNameError, PartReading, Reading, read_partly
from planscope.language.scan import Names, cut, phrase_key
from planscope.language.tree import ActionRef, walk
from planscope.oracle.trace import Trace
from planscope.wording.phrases import listed

LONGEST_OFFERED = 1_000
"""In a longer sentence (code points), no new action is looked for."""

QUICK_ACTIONS = 16
QUICK_CONSTRAINTS = 200
"""Up to this number of actions and constraints, ``solve`` takes milliseconds."""


@frozen
class Solved:
    """Whether all constraints can be met. ``core``: the minimal set of constraints that contradict each other, by
    id.

    ``can_be_met`` is None if the solver gave up, or if a part of the text cannot be read yet. ``orders``: the number of
    valid orders, or None if they are too many to count.
    """

    can_be_met: bool | None
    core: tuple[str, ...] = ()
    orders: int | None = None


@frozen
class DraftReading:
    """What was read of a draft. ``problem`` is what its readable sentences say (None if there are none).

    ``complaint``: why nothing can be read at all, such as two actions with one name. ``rows``: the constraints beside
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
    """The reading of the whole text, or None if some of it cannot be read."""
    new_action: str = ""
    """A name that the text uses and no action has, with which an unreadable sentence can be read; or empty."""

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
        """Return how many constraints have become ``became``: added, gone, ..."""
        return sum(row.became == became for row in self.rows)

    def names_of(self, row: Changed) -> Problem:
        """Return the problem that a line's constraint belongs to."""
        problem = self.problem if row.became in ("added", "same") else self.before
        assert problem is not None
        return problem

    def words_of(self, c: Constraint) -> Span | None:
        """Return the range from the first to the last word that state a constraint of this draft."""
        spans = [span for span in c.spans if span[0] < span[1]]
        return (min(a for a, _ in spans), max(b for _, b in spans)) if spans else None


def read_draft(draft: Draft, before: Problem | None = None) -> DraftReading:
    """Read a draft. ``before``: what the parent says, or None if it cannot be read."""
    try:
        found: PartReading = read_partly(draft.text, draft.actions, timed=draft.timed)
        known = words_known(draft, found)
    except ActionNameError as error:
        return DraftReading(draft, before=before, complaint=str(error))
    problem = found.reading.problem if found.reading is not None else None
    rows = diff_constraints(before, problem, broken=bool(found.errors))
    whole = found.reading if not found.errors else None
    new = new_action_of(draft, found)
    return DraftReading(draft, problem, before, found.errors, "", rows, found.sentences, known, whole, new)


def new_action_of(draft: Draft, found: PartReading) -> str:
    """Return a name with which the first unreadable sentence could be read if it were an action, or an empty text."""
    if not found.errors:
        return ""
    at = found.errors[0].span[0]
    start, end = next(((a, b) for a, b in found.sentences if a <= at <= b), (0, 0))
    sentence = draft.text[start:end]
    if len(sentence) > LONGEST_OFFERED:
        return ""
    for name in new_names(sentence, draft.actions)[:2]:
        try:
            more = add_action(draft, name)
            if not read_partly(sentence, more.actions, timed=draft.timed).errors:
                return name
        except (DraftError, ActionNameError):
            continue
    return ""


def problem_of_draft(draft: Draft) -> Problem | None:
    """Return the problem of a draft that can be read. Drafts that begin from it are compared with it."""
    try:
        found = read_partly(draft.text, draft.actions, timed=draft.timed)
    except ActionNameError:
        return None
    return found.reading.problem if found.reading is not None and not found.errors else None


def solve(seen: DraftReading) -> Solved:
    """Ask the oracle whether the draft can be met. A contradiction may be found in its readable part alone."""
    from planscope.oracle.replay import replay  # imported late because it imports Z3

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
"""What became of a parent's constraint. ``unread``: it was not found, but a sentence that cannot be read may state
it."""


@frozen
class Changed:
    """One line of the diff: a constraint (the parent's if it is gone or unread), and what became of it."""

    constraint: Constraint
    became: Became


def diff_constraints(
    before: Problem | None, now: Problem | None, *, broken: bool = False
) -> tuple[Changed, ...]:
    """List the draft's constraints in order; one that is gone follows its former predecessor, and rules come last.

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
        """Add the constraints that were stated from ``place`` on and are gone."""
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
"""Limit of code points of unreadable sentences that are searched for known words."""


class Known(NamedTuple):
    """Words of a text that mean something. ``action``: the id of the action that they name, or "" for a relation."""

    span: Span
    action: str


def words_known(draft: Draft, found: PartReading) -> tuple[Known, ...]:
    """Return names and relations by their place: in a sentence that was read as it was read, in a broken one all
    known words."""
    made: list[Known] = []
    if found.reading is not None:
        for _, node in walk(found.reading.tree):
            if isinstance(node, ActionRef):
                made.append(Known(node.span, node.action))
        made += [Known(c.spans[1], "") for c in found.reading.problem.said if len(c.spans) > 1]
    made += _scanned(draft, found)
    return tuple(sorted(set(made)))


def _scanned(draft: Draft, found: PartReading) -> Iterator[Known]:
    """Return the known words of unreadable sentences, up to a limit."""
    wrong = sorted(error.span[0] for error in found.errors)
    broken = [s for s in found.sentences if any(s[0] <= at <= s[1] for at in wrong)] if wrong else []
    scanner = Scanner(names=Names(draft.actions)) if broken else None
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
    """Return the ranges of the text that name an action. ``found``: the reading, if the draft was read already."""
    if found is None:
        found = read_partly(draft.text, draft.actions, timed=draft.timed)
    return tuple(known.span for known in words_known(draft, found) if known.action == id)


def where_named(spans: Sequence[Span], sentences: Sequence[Span], most: int = 4) -> str:
    """Return places of a text in words: ``sentence 1 and sentence 3``."""
    numbers = sorted(
        {next((i for i, (a, b) in enumerate(sentences, 1) if a <= at[0] <= b), 0) for at in spans}
    )
    said = [f"sentence {number}" for number in numbers[:most]]
    if len(numbers) > most:
        said.append(f"{len(numbers) - most} more")
    return listed(said)


def rename_action(draft: Draft, id: str, name: str) -> Draft:
    """Rename an action, also in the text, and its tool.

    If the plain name would change what the text means (because of a word of the language in it), it is written in
    backquotes there. Raises :class:`DraftError` for a name that is not allowed.
    """
    old = draft.action(id)
    name = checked_name(draft, name, besides=id)
    if name == old.name:
        return draft
    new = replace(old, name=name, tool=tool_for(draft, name, besides=id))
    try:
        before = read_partly(draft.text, draft.actions, timed=draft.timed)
    except ActionNameError:  # two actions had equal names, and this renaming tells them apart
        return with_action(draft, id, name=new.name, tool=new.tool)
    spans = mentions(draft, id, before)
    for quote in ("", "`"):
        made = _renamed(draft, old, new, spans, quote)
        if _reads_alike(made, before):
            return made
    raise DraftError(f"the text would mean something else with {shown(name)} in it")


def _reads_alike(draft: Draft, before: PartReading) -> bool:
    """Return whether a renamed draft still means the same, with errors in the same sentences."""
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
    """Return the new name with a capital if the text had capitalised the old one."""
    if said[:1].isupper() and not old[:1].isupper():
        return name[:1].upper() + name[1:]
    return name
