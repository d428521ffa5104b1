"""Tries all ways to read the skeleton of some sentences: the row of actions, hours and words of order, each a letter.

``_SHAPES`` says which rows of letters are a clause, and what it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, pairwise, product
from typing import NamedTuple

from planscope.language import english
from planscope.language.problem import Span
from planscope.language.tree import Relation

MOST_WAYS = 200
"""So many ways to read some sentences are compared."""
MOST_STEPS = 20_000
"""Of a skeleton with so many starts of clauses none is read."""

Groups = Sequence[int]
"""Places of the symbols of some actions."""


class Symbol(NamedTuple):
    """A part of a skeleton. ``code``: its letter; an action is "i" if it begins with a verb that asks for it, else "a";
    hours are t (by), d (before), T (from), P (after), v (until) and 7 (past). ``words``: of an action "short" if words
    of its name are missing."""

    code: str
    span: Span
    action: str = ""
    hour: int = 0
    words: str = ""


class Relating(NamedTuple):
    """That one action is before ("<") or after another, an hour, or all others (None): the places of their symbols."""

    one: int
    relation: Relation
    other: int | None


Meaning = tuple[Relating, ...]
_Bound = Mapping[str, Groups]

_SHAPES = """
y: | L
x: | L
g[,;]*A{[;.$]}: | A
nAY{[;.][^.;]*I}: | A A
^r: | L
{(?<!.)}r{!,?;?[ai](,?&?[ai])*[;.]*[$]}: | L
{(?<!.)}r[,;]*{[ai]>}: |
[EQ][,;]?[xy]: |
E[,;]A[,;]?[xy]: |
A[,;]*Q?x: | A A
{(?<![^;.&])}U[,;]*Q?y: | U
x[,;]?A: | A
o?fC'A: C<A | A A
o?fC'An?@: C<A @A | A A
o?fC'A&Xn?@: C<A C<X @X |
o?fC'A,?x: C<A | A
fC'A,?&?!: C<A | A
bC/A: A<C | - A
fC,?&bX'A: C<A A<X |
bX,?&fC'A: C<A A<X |
bC/AbX: A<C A<X |
bC/AfX: A<C X<A |
o?fC'AbX: C<A A<X |
o?fC'AfX: C<A X<A |
I[,;]*A: A<L | A A
AI: A<L | A A
uC/nA: C<A |
uC/An: C<A |
bC/nA: C<A |
FC'A[BI]: A<C |
n?@[,;]?A: @A | A A
Zn?[ub]A: A<* | A A
EfA: A<* | A A
EwA: A<* | A A
AbE: A<* | A A
AfE: *<A | A A
EfA[,;]E?;?C: A<C |
EwA[,;]E?;?C: A<C |
AbE[,;]b?C: A<C |
{!1[,;]?[aiqQ,&]+[,;&.]*>}[1k],?A: A<* | A A
9,?A: *<A | A A
^9,?A: L<A | A A
h?A9: *<A | A A
Ak: A<* | A A
A1: A<* | A A
A1{[,;&.]*(>|[ai]+>)}: | A A
1?[,;]?M{[,;&.]*>[,;]*[aiqQ]|[,;.]&?[ai]>}: ~M | Z Z
1?[,;]?A{[,;&.]*>[,;]*[aiqQ]}: | A A
A{,?&[ai]5}: | A A
U{[;.][,;&.]*>[,;]*[aiqQ]}: ~U | Z Z
r[;,.]*U{[;.]*[$]}: ~U |
g?[,;]*U[,;.]*r{[,;.]*[$]}: ~U |
^>[,;]?y?[,;]?A,?y?x?: L<A | A A
^>[,;]?{i}U{![,;]*[xy]}: L<F ~U | Z Z
^>[,;]?A@: L<A @A | A A
^>[,;]?AbC: L<A A<C | A A
^>[,;]?AfC: L<A C<A | A A
^A[>5],?y?x?: L<A | A A
^5[,;]?A: L<A | A A
^A[xy]>: L<A | A A
{(?<!.)}M{&[ai]>}: ~M | Z Z
An?@y?x?: @A | A A
A[,;]{[tT]|nd|x}n?@: @A | A A
A,?[(]n?@: @A | A A
A,cn?@: @A | A A
nA@: @A | A
Ao@: @A | A A
An?@,?!: @A | A A
A{[;][^>]*[$]}: |
oAn?@: @A | A
Ao?fC: C<A | - A
AfC,?&?!: C<A | - A
A,?&?[(]?o?fC: C<A | - A
A,bC: A<C | - A
oAfC: C<A |
A[(]?bC: A<C | - A
AbCfX: A<C X<A | - A
AbC,?[(,]n?@: A<C @C
AbCfX: A<C X<C | - A
AfC,?{&1|&.1}&1?X1?: C<A X<A
AbC,?{&1|&.1}&1?X1?: A<C X<A
AfCbX: C<A A<X | - A
AfCbX: C<A C<X | - A
{i(,[ai])*,?&[ai]n?[bufwtdTPv]}M{,?&}: |
An[bu]C: C<A | - A
A,?&?n[bu]C: C<A | - A
nA[bu]C: C<A |
nA,?&nX[bu]C: C<A C<X |
A3C: A<C | - A
A3C,?&3X: A<C A<X | - A
hAuf?C: C<A |
Aw[fu]?C[BI]?: C<A | - A
Jn?@: @S | S S
,cWn?@: @W | W -
,cWbC: W<C | - W
,cWfC: C<W | - W
Jx: | S S
JbC: S<C | - S
Jo?fC: C<S | - S
Jn[bu]C: C<S | - S
Jw[fu]?C: C<S | - S
jbC;A: A<C |
jbC,y;A: A<C |
Awj[BI]?;C: C<A |
jfC;A: C<A |
jn[bu]C;A: C<A |
"""
"""What a clause says. In front of ":" its letters as a regular expression, with A for a list of actions and C for one
behind a word of order, whose items are no imperatives; M for "a, b" and U for "a, b and c" in a chain; @ for an hour; J
for "and"; / and ' for the mark behind a clause of time, which may be missing at the second; ^ if "it" and "then" have a
meaning, and % if all actions are named; {...} for what is around. Behind: what it says, where S is the subject of the
clause before, L what "it" is about, * all other actions and ~ a chain; behind "|" what "it" and S are about then."""

_ELEMENT = re.compile(r"(\{[^}]*\}|\[[^]]*\][*]?|.)(\??)")
_HOURS = "tdTPv7"
_MARKS = ",;."
_CHAINS = {"M": "[ai](?:,[ai])*", "U": "[ai](?:(?:,&|,|&)[ai])+"}
_PERMITS = re.compile("[^bft]*m.*[b1k9td]|[^b]*m.*f|f.*m")
_FRONT = "(?:[,;]+y[,;]*>?|[,;]+>?|>)"
_MARKED = {"/": _FRONT, "'": _FRONT, "@": f"[{_HOURS}]", "J": r",?&|,?[(]|,(?=[nbftdTPv])"}


class _Shape(NamedTuple):
    elements: tuple[tuple[str, bool], ...]
    says: tuple[str, ...]
    last: str
    subject: str


def _regular(element: str) -> str:
    """Return the regular expression for an element of a shape."""
    if element[0] == "{":
        return f"(?{'' if element[1] == '!' else '='}{element[1:-1]})"
    return element if element[0] == "[" else _MARKED.get(element) or re.escape(element)


@cache
def _shapes() -> tuple[_Shape, ...]:
    found = []
    for line in english.lines(_SHAPES):
        pattern, _, told = line.rpartition(": ")
        says, _, after = told.partition("|")
        last, subject = (*after.split(), "-", "-")[:2]
        elements = tuple((one, bool(optional)) for one, optional in _ELEMENT.findall(pattern))
        found.append(_Shape(elements, tuple(says.split()), last, subject))
    return tuple(found)


class Skeleton:
    """The symbols of some sentences. ``last``: what "it" and "then" are about at their beginning; ``past``: the
    symbols of the sentence before; ``known``: all actions that there are."""

    def __init__(
        self,
        symbols: Sequence[Symbol],
        known: Sequence[str],
        last: Sequence[Symbol] = (),
        past: Sequence[Symbol] = (),
    ) -> None:
        self.known = known
        self.whole = {one.action for one in symbols} >= set(known)
        self.begin = len(last) + len(past)
        self.symbols = [*last, *past, *symbols]
        self.last = tuple(range(len(last)))
        stood = {one.action: k for k, one in enumerate(past, len(last)) if one.action}
        self.past = tuple(sorted(stood.values()))
        kept: list[int] = []
        for k in range(self.begin, len(self.symbols)):
            one, mark = self.symbols[k].code, self.symbols[kept[-1]].code if kept else "."
            if one in _MARKS and mark in _MARKS:
                kept[len(kept) - 1 :] = [k] if _MARKS.index(one) > _MARKS.index(mark) else kept[-1:]
            elif one not in "SKDmH":
                kept.append(k)
        code = "".join(self.symbols[k].code for k in kept)
        closed = {match.end() - 1 for match in re.finditer(rf"\((?:[n{_HOURS},&]+|[bf]a)\)", code)}
        self.places = [place for k, place in enumerate(kept) if k not in closed]
        self.code = "".join(self.symbols[k].code for k in self.places) + "$"
        self.stood = "".join(one.code for one in past)
        self.steps = 0

    def meanings(self) -> dict[Meaning, Groups]:
        """Return the meanings of the whole, each with what "it" would be about behind it. They differ in what follows
        from them."""
        found: dict[object, tuple[Meaning, Groups]] = {}
        for meaning, last in islice(self._rest(0, self.last, (), 0, ()), MOST_WAYS):
            found.setdefault(self._key(meaning), (meaning, last))
        return dict(found.values()) if self.steps < MOST_STEPS else {}

    def _key(self, meaning: Meaning) -> object:
        """Return what a meaning asks for, with the orders that follow from others."""
        orders, hours = set[tuple[str, str]](), set[tuple[str, Relation, int]]()
        for one, relation, other in meaning:
            a, b = self.symbols[one], self.symbols[one if other is None else other]
            if not b.action:
                hours.add((a.action, relation, b.hour))
                continue
            others = [b.action] if other is not None else [name for name in self.known if name != a.action]
            orders |= {(a.action, name) if relation == "<" else (name, a.action) for name in others}
        while more := {(a, d) for a, b in orders for c, d in orders if b == c} - orders:
            orders |= more
        return frozenset(orders), frozenset(hours)

    def _rest(
        self, at: int, last: Groups, subject: Groups, since: int, said: Meaning
    ) -> Iterator[tuple[Meaning, Groups]]:
        """Yield the meanings of what begins at a place. ``last``: what "it" and "then" are about there; ``subject``:
        that of the clause before, which began at ``since``."""
        begin = at
        while self.code[begin] in ",;.&":
            begin += 1
        if self.code[begin] == "$":
            yield said, last
            return
        for shape in _shapes():
            own = shape.elements[0][0] in ("J", ",")
            if own and not subject:
                continue
            self.steps += 1
            if self.steps > MOST_STEPS:
                return
            start = since if own else begin
            if "A<L" in shape.says and re.search("[>bfuw]", self.stood + self.code[:begin]):
                continue  # "A, then B. Before that, C": before which?
            for end, bound in self._match(shape.elements, at if own else begin, {"L": last, "S": subject}):
                found = self._said(shape, bound)
                if self.code[end] in ",;.&$>(" and found is not None and self._permitted(start, end, found):
                    about, of = (bound.get(one, ()) for one in (shape.last, shape.subject))
                    yield from self._rest(end, about, of, start, (*said, *found))

    def _match(
        self, elements: Sequence[tuple[str, bool]], at: int, bound: _Bound
    ) -> Iterator[tuple[int, _Bound]]:
        """Yield the ends of what fits the elements of a shape at a place, with what their letters stand for."""
        if not elements:
            yield at, bound
            return
        (one, optional), rest = elements[0], elements[1:]
        for end, found in self._element(one, at, bound):
            yield from self._match(rest, end, found)
        if optional:
            yield from self._match(rest, at, bound)

    def _element(self, one: str, at: int, bound: _Bound) -> Iterator[tuple[int, _Bound]]:
        """Yield the ends of what fits one element of a shape, with what the letters stand for."""
        code = self.code
        if one in "ACX":
            free = (
                one == "A"
                or self._listed(at)
                or english.late("[ai](?:,[ai])*,?O").match(code, at) is not None
            )
            for end, some in self._list(at, bound["L"]):
                if free or all(self.symbols[k].code != "i" for k in some[1:]):
                    yield end, {**bound, one: some}
        elif one in _CHAINS:
            items = english.late(_CHAINS[one]).match(code, at)
            places = [k for k in range(*items.span()) if code[k] in "ai"] if items else []
            for size in range(1 if one == "M" else max(len(places), 1), len(places) + 1):
                row = tuple(self.places[k] for k in places[:size])
                yield places[size - 1] + 1, {**bound, one: row, "Z": row[-1:], "F": row[:1]}
        elif one == "W":
            if re.search("(?:^|[^,&])[ai],c$", code[:at]):
                yield at, {**bound, "W": (self.places[at - 3],)}
        elif one in "^%":
            if bound["L"] if one == "^" else self.whole:
                yield at, bound
        elif (match := english.late(_regular(one)).match(code, at)) is not None:
            told = {one: self.places[at : at + 1]} if one in "@n" else {"L": ()} if one in "/'" else {}
            yield match.end(), {**bound, **told}
        elif one == "'" and self._apart(at):
            yield at, {**bound, "L": ()}

    def _list(self, at: int, last: Groups) -> Iterator[tuple[int, Groups]]:
        """Yield the ends of lists of actions that begin here, with the actions."""
        code = self.code
        if code[at] in "qQ":
            if meant := self._meant(self.symbols[self.places[at]], last):
                yield at + 1, meant
            return
        listed, announced = self._listed(at), english.late("j[,;y]*").match(code, at)
        at = announced.end() if announced else at
        found: list[int] = []
        while code[at] in "ai":
            found.append(self.places[at])
            at += 1
            if (len(found) == 1 and not announced) or code[at - 2] in "&O" or (listed and code[at] in "y;.$"):
                yield at, tuple(found)
                if len(found) > 1 and (match := english.late(",?y").match(code, at)):
                    yield match.end(), tuple(found)
            step = english.late(",?[&O]|,").match(code, at)
            if step is None:
                return
            at = step.end()

    def _listed(self, at: int) -> bool:
        """Return whether a list begins here that was announced: "two things: A, B"."""
        return self.code[at] == "j" or re.search("[g;],*$", self.code[:at]) is not None

    def _meant(self, one: Symbol, last: Groups) -> Groups:
        """Return the actions that a pronoun means; none if that is not certain."""
        if one.code == "q":
            return last if len(last) == 1 else ()
        size = english.size_of(one.words)
        some = last or self.past
        return some if len(some) == (size or len(some)) else self.past if len(self.past) == size else ()

    def _apart(self, at: int) -> bool:
        """Return whether a main clause may begin here without a comma: "once A is done you can do B"."""
        if at >= len(self.places):
            return False
        before, one = self.symbols[self.places[at] - 1], self.symbols[self.places[at]]
        return before.code in "mKDH" or one.code in "in" or one.span[0] > before.span[1] + 1

    def _said(self, shape: _Shape, bound: _Bound) -> Meaning | None:
        """Return what a shape says, or None if that is not certain."""
        found: list[Relating] = []
        for one in shape.says:
            if one[0] == "~":
                found += [Relating(a, "<", b) for a, b in pairwise(bound[one[1]])]
            elif one[0] == "@":
                relation = self._relation(bound)
                if relation is None:
                    return None
                found += [Relating(k, relation, bound["@"][0]) for k in bound[one[1]]]
            elif "*" in one:
                some = bound[one.strip("*<")]
                if len(some) != 1:
                    return None
                found.append(Relating(some[0], "<" if one[-1] == "*" else ">", None))
            else:
                pairs = [*product(bound[one[0]], bound[one[-1]])]
                if not pairs or any(self.symbols[a].action == self.symbols[b].action for a, b in pairs):
                    return None
                found += [Relating(a, "<", b) for a, b in pairs]
        return tuple(found)

    def _relation(self, bound: _Bound) -> Relation | None:
        """Return whether an action is before or after an hour; None if that is not certain."""
        said = "n" * ("n" in bound) + self.symbols[bound["@"][0]].code
        return "<" if said in ("t", "d", "nP", "n7") else ">" if said in ("T", "P", "nd", "nv") else None

    def _permitted(self, at: int, end: int, found: Meaning) -> bool:
        """Return whether the words beside a clause allow its meaning: "may" asks for nothing before another action, and
        a start has no latest hour."""
        start = self.places[at - 1] + 1 if at else self.begin
        stop = self.places[end] if end < len(self.places) else len(self.symbols)
        own = [one._replace(code="A") if "time" in one.words else one for one in self.symbols[start:stop]]
        codes = "".join(one.code for one in own)
        if found and _PERMITS.match(codes) and not re.search("[noy!]", codes):
            return False
        for one, relation, other in found:
            if other is None or self.symbols[other].action:
                continue
            before = [k for k in range(start, min(one, other)) if self.symbols[k].code in ",;.&>"]
            own = self.symbols[(before[-1] if before else start) : stop if other < one else other]
            codes = "".join(symbol.code for symbol in own)
            if re.search("S" if relation == "<" else "[KD]", codes):
                return False
            if relation == "<" and self.symbols[other].words:
                return False
        return True
