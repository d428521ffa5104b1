"""The small changes of a query that may cure it, for each cause, and queries with some of them.

Terminal: another phrase in one place. Topic: another name for one action. Structure: a relative clause, a second clause
or an item of a list becomes a sentence of its own, a clause takes another form, or a sentence moves. These keep the
meaning, which Z3 proves. Constraint: one constraint is left out, and nothing else changes in meaning.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from planscope.dissection.evidence import Cause, CulpritKind
from planscope.frozen import frozen
from planscope.language.problem import Constraint, NodePath, Span
from planscope.language.reading import ActionNameError, ParseFailure, Reading, read_query
from planscope.language.render import render
from planscope.language.topics import load_topics
from planscope.language.tree import (
    FORMS,
    NP,
    RELATIVE_FORMS,
    ActionRef,
    Clause,
    Form,
    Query,
    Relation,
    Sentence,
    Time,
    Word,
    is_natural,
    walk,
)
from planscope.oracle.equivalence import equivalent
from planscope.oracle.replay import replay
from planscope.oracle.trace import Trace
from planscope.synthesis.generate import apart
from planscope.synthesis.sentences import CLOCK_FORMS, Wording
from planscope.synthesis.substitution import Draft, Place, places, renamed, substitute


@frozen
class Change:
    """One small change. ``places``: the words of the query that it is about, each with its sentence.

    ``constraints``: ids of those that the words say. ``like``: equal for changes that may be needed together.
    ``includes``: changes that are made with it.
    """

    kind: CulpritKind
    places: tuple[tuple[int, Span], ...]
    constraints: tuple[str, ...]
    like: str
    includes: frozenset[int] = frozenset()


Make = Callable[[Collection[int], int], Reading | None]
"""Makes the query with the changes of these numbers, in the words or the order of a turn; None if it cannot be made."""


class Changes:
    """All small changes for a cause. ``bad``: how suspect each word is; ``names``: names of actions in right runs."""

    def __init__(
        self,
        reading: Reading,
        cause: Cause,
        bad: Mapping[str, float] | None = None,
        names: Sequence[Sequence[str]] = (),
        features: Callable[[Place, Word], Sequence[str]] | None = None,
    ) -> None:
        self.reading, self.cause = reading, cause
        self._bad, self._names, self._features = bad or {}, names, features
        self.all: tuple[Change, ...] = ()
        self._make: Make = lambda chosen, turn: None
        self._instead: Callable[[Reading, int], str] = lambda made, number: ""
        if is_natural(reading.tree) or not reading.problem.said:
            return
        if cause == "Terminal":
            self._words()
        elif cause == "Topic":
            self._actions()
        elif cause == "Structure":
            self._sentences()
        elif cause == "Constraint":
            self._constraints()

    def make(self, chosen: Collection[int], turn: int, reword: bool = False) -> Reading | None:
        """Return the query with some changes, or None if that cannot be. Each turn makes another one.

        ``reword``: also change two other words, if the cause is not the words: a sentence can often be taken apart in
        one way only, and a culprit is to be tried in different queries.
        """
        with suppress(ParseFailure, ActionNameError):
            made = self._make(chosen, turn)
            if made is not None and reword and self.cause in ("Structure", "Constraint"):
                made = _reworded(made, random.Random(turn))
            if made is not None and made.text != self.reading.text and self._as_meant(made):
                return made
        return None

    def instead(self, made: Reading, number: int) -> str:
        """Return the words that a made query has in the place of a change; "" if there are none."""
        return self._instead(made, number)

    def _as_meant(self, made: Reading) -> bool:
        if self.cause == "Constraint":
            return not replay(made.problem, Trace((), "running")).steps[0].lost
        return bool(equivalent(self.reading.problem, made.problem, foreseen=True))

    def _read(self, draft: Draft) -> Reading:
        return read_query(draft.texts[0], draft.actions, timed=self.reading.problem.timed)

    def _said(self, span: Span) -> tuple[str, ...]:
        return tuple(c.id for c in self.reading.problem.said if any(_meet(span, own) for own in c.spans))

    # ------------------------------------------------------------------ words

    def _words(self) -> None:
        found = places(self.reading.tree, fresh=False)
        able = [i for i, place in enumerate(found) if place.options]
        sentence = _sentence_finder(self.reading.tree)
        self.all = tuple(
            Change(
                "word",
                ((sentence(found[i].word.span), found[i].word.span),),
                self._said(found[i].word.span),
                found[i].word.entry,
            )
            for i in able
        )

        def make(chosen: Collection[int], turn: int) -> Reading:
            draw = random.Random(f"{turn} {sorted(chosen)}")
            words = [place.word for place in found]
            for number in chosen:
                words[able[number]] = self._other(found[able[number]], draw)
            return self._read(substitute(self.reading, found, words, ""))

        def instead(made: Reading, number: int) -> str:
            new = places(made.tree, fresh=False)
            return made.text[slice(*new[able[number]].word.span)] if len(new) == len(found) else ""

        self._make, self._instead = make, instead

    def _other(self, place: Place, draw: random.Random) -> Word:
        """Return another phrase for a place: one of the least suspect."""

        def risk(word: Word) -> float:
            told = self._features(place, word) if self._features else ()
            return sum(self._bad.get(name, 0.15) for name in told)

        best = sorted(place.options, key=lambda word: risk(word) + 0.05 * draw.random())
        return best[draw.randrange(min(4, len(best)))]

    # ------------------------------------------------------------------ actions

    def _actions(self) -> None:
        reading = self.reading
        sentence = _sentence_finder(reading.tree)
        mentions: dict[str, list[Span]] = {}
        for _, node in walk(reading.tree):
            if isinstance(node, ActionRef):
                mentions.setdefault(node.action, []).append(node.span)
        ids = [a.id for a in reading.problem.actions if a.id in mentions]
        self.all = tuple(
            Change(
                "action",
                tuple((sentence(span), span) for span in sorted(mentions[a])),
                tuple(c.id for c in reading.problem.said if a in c.actions),
                "",
            )
            for a in ids
        )

        def make(chosen: Collection[int], turn: int) -> Reading | None:
            draw = random.Random(f"{turn} {sorted(chosen)}")
            pool = list(draw.choice(self._names)) if self._names else []
            draw.shuffle(pool)
            topics = list(load_topics().values())
            pool += draw.sample(list(draw.choice(topics)), 8)
            kept = [a.name for a in reading.problem.actions if a.id not in {ids[n] for n in chosen}]
            free = apart(pool, kept)
            if len(free) < len(chosen):
                return None
            new = {ids[n]: name for n, name in zip(sorted(chosen), free, strict=False)}
            return self._read(renamed(reading, new))

        def instead(made: Reading, number: int) -> str:
            found = made.problem.action_by_id.get(ids[number])
            return found.name if found is not None else ""

        self._make, self._instead = make, instead

    # ------------------------------------------------------------------ sentences

    def _sentences(self) -> None:
        reading = self.reading
        found = list(_structure(reading.tree))
        at = {path: n for n, (_, path, _) in enumerate(found)}

        def change(kind: CulpritKind, path: Path, span: Span) -> Change:
            inner = at.get((*path[:-1], "relative")) if path[-1] in ("list", "inner list") else None
            includes = frozenset[int]() if inner is None else frozenset({inner})
            return Change(kind, ((int(path[0]), span),), self._said(span), "", includes)

        self.all = tuple(change(*one) for one in found)

        def make(chosen: Collection[int], turn: int) -> Reading:
            paths = {found[n][1] for n in chosen}
            draw = random.Random(f"{turn} {sorted(chosen)}")
            tree = _Rebuilt(self.reading, draw, paths).query()
            return self._written(tree)

        def instead(made: Reading, number: int) -> str:
            old = {self.reading.text[slice(*s.span)] for s in self.reading.tree.sentences}
            told = (made.text[slice(*s.span)] for s in made.tree.sentences)
            return " ".join(text for text in told if text not in old)

        self._make, self._instead = make, instead

    def _written(self, tree: Query) -> Reading:
        problem = self.reading.problem
        text = render(tree, problem.actions).text
        return read_query(text, problem.actions, timed=problem.timed)

    # ------------------------------------------------------------------ constraints

    def _constraints(self) -> None:
        said = self.reading.problem.said
        groups: dict[object, list[Constraint]] = {}
        for c in said:
            groups.setdefault(c.meaning, []).append(c)
        same = list(groups.values())
        self.all = tuple(
            Change(
                "constraint",
                tuple((c.sentence or 0, around(c)) for c in group),
                tuple(c.id for c in group),
                "",
            )
            for group in same
        )

        def make(chosen: Collection[int], turn: int) -> Reading | None:
            gone = {c.id for n in chosen for c in same[n]}
            rebuilt = _Rebuilt(self.reading, random.Random(f"{turn} {sorted(chosen)}"), (), gone)
            sentences = rebuilt.query().sentences
            if not sentences:
                return None
            first = turn % len(sentences)
            return self._written(Query((*sentences[first:], *sentences[:first])))

        self._make = make


def _reworded(made: Reading, draw: random.Random) -> Reading:
    """Return the query with two other words, in places that are drawn."""
    found = places(made.tree, fresh=False)
    words = [place.word for place in found]
    able = [i for i, place in enumerate(found) if place.options]
    for i in draw.sample(able, min(2, len(able))):
        words[i] = draw.choice([w for w in found[i].options if not w.modal] or found[i].options)
    draft = substitute(made, found, words, "")
    return read_query(draft.texts[0], draft.actions, timed=made.problem.timed)


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def around(c: Constraint) -> Span:
    """Return from where to where a query says a constraint."""
    return min(a for a, _ in c.spans), max(b for _, b in c.spans)


def _sentence_finder(tree: Query) -> Callable[[Span], int]:
    def sentence(span: Span) -> int:
        return next((s for s, one in enumerate(tree.sentences) if _meet(one.span, span)), 0)

    return sentence


Path = tuple[int | str, ...]


def _structure(tree: Query) -> Iterator[tuple[CulpritKind, Path, Span]]:
    """Yield the changes of sentences: what kind, at which path, about which words."""
    for s, sentence in enumerate(tree.sentences):
        alone = len(sentence.clauses) == 1
        for k, clause in enumerate(sentence.clauses):
            assert isinstance(clause, Clause)
            yield ("sentence" if alone else "clause"), (s, k, "form"), (sentence if alone else clause).span
            for role, np in (("subject", clause.subject), ("object", clause.object)):
                if isinstance(np, NP):
                    if np.relative is not None:
                        yield "clause", (s, k, role, "relative"), np.relative.span
                        inner = np.relative.object
                        if isinstance(inner, NP) and len(inner.actions) > 1:
                            yield "clause", (s, k, role, "inner list"), np.relative.span
                    if len(np.actions) > 1:
                        yield "clause", (s, k, role, "list"), clause.span
        if not alone:
            yield "clause", (s, "split"), sentence.clauses[1].span
        if s > 0:
            yield "sentence", (s, "move"), sentence.span


FRONTED: tuple[Form, ...] = ("fronted", "fronted_compound")


class _Rebuilt:
    """The sentences of a query with changes at some ``paths``, and without the constraints in ``gone``."""

    def __init__(
        self,
        reading: Reading,
        draw: random.Random,
        paths: Collection[Path],
        gone: Collection[str] = (),
    ) -> None:
        self.reading, self.draw, self.paths, self.gone = reading, draw, set(paths), gone
        self.wording = Wording(0.0)
        at: dict[NodePath, list[Constraint]] = {}
        for c in reading.problem.said:
            at.setdefault(c.node, []).append(c)
        self.at = at

    def query(self) -> Query:
        made = [self._sentence(s, sentence) for s, sentence in enumerate(self.reading.tree.sentences)]
        for s in range(1, len(made)):
            if (s, "move") in self.paths:
                # One place only: a longer way would change the places of the sentences between, too.
                made[s - 1], made[s] = made[s], made[s - 1]
        return Query(tuple(one for some in made for one in some))

    def _sentence(self, s: int, sentence: Sentence) -> list[Sentence]:
        kept: list[Clause] = []
        extra: list[Clause] = []
        for k, clause in enumerate(sentence.clauses):
            assert isinstance(clause, Clause)
            first, more = self._clause((s, k), clause)
            kept += [first] if first is not None else []
            extra += more
        if len(kept) == 2 and (s, "split") not in self.paths:
            said = [Sentence((kept[0], kept[1]), sentence.conj)]
        else:
            said = [Sentence((clause,)) for clause in kept]
        return said + [Sentence((clause,)) for clause in extra]

    def _clause(self, where: tuple[int, int], clause: Clause) -> tuple[Clause | None, list[Clause]]:
        """Return what stays in the clause's place, and clauses that become sentences of their own."""
        s, k = where
        path: NodePath = (s, "clause", k)
        extra: list[Clause] = []
        sides: list[NP | Time] = []
        for role, np in (("subject", clause.subject), ("object", clause.object)):
            if isinstance(np, NP) and np.relative is not None:
                inner = (*path, role, "relative")
                lost = [c for c in self.at.get(inner, ()) if c.id in self.gone]
                listed, inside = ((s, k, role, name) in self.paths for name in ("list", "inner list"))
                if lost or listed or inside or (s, k, role, "relative") in self.paths:
                    own = np.relative
                    left = [c for c in self.at.get(inner, ()) if c.id not in self.gone]
                    if lost:
                        extra += self._pairs(left)
                    else:
                        extra += [
                            self._new(one, own.relation, other)
                            for one in self._items(NP(np.actions), listed)
                            for other in self._items(own.object, inside)
                            if isinstance(one, NP)
                        ]
                    np = np._replace(relative=None)
            sides.append(np)
        subject, target = sides
        assert isinstance(subject, NP)
        lost = [c for c in self.at.get(path, ()) if c.id in self.gone]
        if lost:
            # What is said besides, in relative clauses, gets sentences of its own.
            for np in (subject, target):
                if isinstance(np, NP) and np.relative is not None:
                    extra.append(self._new(NP(np.actions), np.relative.relation, np.relative.object))
            return None, self._pairs([c for c in self.at[path] if c.id not in self.gone]) + extra
        clause = clause._replace(subject=subject, object=target)
        if (s, k, "form") in self.paths:
            clause = self._other_form(clause)
        subjects = self._items(subject, (s, k, "subject", "list") in self.paths)
        targets = self._items(target, (s, k, "object", "list") in self.paths)
        many = [
            clause._replace(subject=one, object=other)
            for one in subjects
            for other in targets
            if isinstance(one, NP)
        ]
        return many[0], many[1:] + extra

    def _items(self, np: NP | Time, apart: bool) -> Sequence[NP | Time]:
        if isinstance(np, NP) and apart:
            return [NP((ref,)) for ref in np.actions]
        return [np]

    def _pairs(self, constraints: Sequence[Constraint]) -> list[Clause]:
        """Return one clause for each constraint."""
        made = []
        for c in constraints:
            if c.kind == "order":
                assert c.before is not None and c.after is not None
                made.append(self._new(NP((ActionRef(c.before),)), "<", NP((ActionRef(c.after),))))
            else:
                assert c.action is not None and c.hour is not None
                relation: Relation = ">" if c.kind == "start_at_least" else "<"
                made.append(self._new(NP((ActionRef(c.action),)), relation, Time(c.hour)))
        return made

    def _new(self, subject: NP, relation: Relation, target: NP | Time) -> Clause:
        form = self.draw.choice(RELATIVE_FORMS)
        return Clause(form, relation, subject, target, self._words(form, relation, target))

    def _words(self, form: Form, relation: Relation, target: NP | Time) -> tuple[Word, ...]:
        slots = self.wording.clauses[form, relation, isinstance(target, Time)]
        return tuple(self.draw.choice(plain) for plain, _ in slots)

    def _other_form(self, clause: Clause) -> Clause:
        forms = CLOCK_FORMS if isinstance(clause.object, Time) else FORMS
        fronted = clause.form in FRONTED
        others = [f for f in forms if f != clause.form and (f in FRONTED) != fronted]
        form = self.draw.choice(others or [f for f in forms if f != clause.form])
        return clause._replace(form=form, words=self._words(form, clause.relation, clause.object))
