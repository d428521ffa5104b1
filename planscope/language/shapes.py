"""What sentences mean, by their shape over the codes of their items (``scan.py``).

``MEANINGS`` is about sentences with one main clause and perhaps a clause of time or condition beside it; ``SHAPES`` has
those with a shape of their own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache, cached_property
from itertools import chain, count, pairwise, product
from operator import attrgetter
from typing import Literal, TypeVar, cast

from planscope.frozen import frozen
from planscope.language import english
from planscope.language.calls import Against, Calls, Condition, condition_text
from planscope.language.constructions import CLAUSES_BESIDE, DOUBTS, FORMS, SAME, Kind
from planscope.language.cuts import Item, Outcome, SentenceError, negated
from planscope.language.english import MANY
from planscope.language.problem import Span

MOST = 1_000
"""The limit for a number of calls, times, seconds or minutes; the least is 1."""


Unit = Literal["calls", "seconds", ""]
T = TypeVar("T")


@frozen
class Draft:
    """A rule that a sentence may mean. ``first``, ``then`` and ``until`` are its sets as items. ``turned``: its words
    are those of "Never A before B", which once meant another rule."""

    kind: Kind
    first: Item
    then: Item | None = None
    count: int = 0
    unit: Unit = ""
    condition: Condition | None = None
    turned: bool = False
    until: Item | None = None
    against: Against | None = None

    @property
    def sets(self) -> Iterator[Item]:
        yield from filter(None, (self.first, self.then, self.until))

    @property
    def key(self) -> tuple[object, ...]:
        """What distinguishes meanings: all but the words."""
        sets = tuple(
            (item.low, *(replace(calls, text="") for calls in item.calls)) if item is not None else ()
            for item in (self.first, self.then, self.until)
        )
        return (self.kind, sets, self.count, self.unit, self.condition, self.against)


Meaning = tuple[Draft, ...]

ANY_LIST = r"S(?: (?:, and|, or|and|or|,) S)*"
LIST = r"(?:both )?S(?:(?: , S)* (?:, and|, nor|and|nor) S)*"
V = r"(?:happens|comes)"

# Sentences of a main clause and a clause beside it -------------------------------------------------------------------

SUBJECT = rf"(?:(?P<many>COUNT_OF|COUNT_AMONG|REPEAT) )?(?P<all>every )?(?P<s>{LIST})"
MAIN = (
    r"(?:together ,? ?|always )?(?P<says>later )?(?P<limit>WITHIN )?"
    r"(?:(?P<act>(?:not_|may_)?(?:only_)?do(?: neither)?|neither|forbid|no|there no|there_no|"
    r"there_may|there) )?"
    rf"{SUBJECT}(?P<says>(?: (?:every|always|both|together|earlier|later|too|again))*)(?P<row> in_(?:row|message))?"
    rf"(?: (?P<verb>(?:not_)?(?:may_)?(?:only_)?{V}))?(?: always)*"
)
TURNED = (
    rf"(?:(?P<act>(?:no_way )?(?:may|must|can|should|shall|will|do)) {SUBJECT} (?P<verb>{V}|is)"
    rf"|(?P<verb>{V}) (?P<s>{LIST}))"
)
"""A main clause with its verb in front: "only after A may B be called", "right after A comes B"."""
END = (
    r"(?P<just> only)?(?: (?P<count>COUNT|REPEAT))?(?P<row> in_(?:row|message))?"
    r"(?P<late>(?: (?:later|too|earlier|again|sometime))*(?: right_later| right_earlier)?)"
    r"(?:(?: ,)? (?:too|together))*(?P<limit> WITHIN)?(?:(?: ,)? (?:too|together))*"
)
BESIDE = (
    r"(?P<only>only )?(?P<limit>WITHIN )?(?P<right>right )?"
    r"(?P<word>before|after|until|once|unless|if|when|while|without)(?P<tail> earlier| later)?(?P<past> "
    r"(?:not_)?(?:did_|may_)*do)?"
    rf"(?: that)?(?P<tail> there)?(?P<which> every| latest)?(?P<least> COUNT_OF)? (?P<x>{LIST}|T)(?: every| always)?"
    rf"(?P<tail>(?: earlier| later| too| again)*)(?: (?P<past>(?:not_)?(?:did_|may_)*{V})| COND)?"
    r"(?P<tail>(?: earlier| later| too| yet)*(?: right_later| right_earlier)?)"
)
CLAUSES = (
    rf"{MAIN}{END}",
    rf"{MAIN}{END} {BESIDE}(?P<tail>(?:(?: ,)? too)*)",
    rf"{TURNED}{END}(?: {BESIDE})?",
    rf"(?P<front>){BESIDE} ?,? {MAIN}{END}",
    rf"(?P<front>){BESIDE} ?,? {TURNED}",
    rf"{SUBJECT} {BESIDE} (?P<verb>not_{V})",
)
"""The orders of a sentence's parts. A clause of time before the main clause counts as fronted."""

# Sentences with a shape of their own --------------------------------------------------------------------------------

_PARTS = r"""
    V: (?:happens|comes)
    IS: (?:always )?(?:may_)?(?:only_)?is(?: always)?
    MAY: (?: (?:every|always|both))*(?: (?:may_)?(?:only_)?<V>| <IS>)?
    RUN: (?:every )?trace
    NEEDS: (?:every )?<then>(?: every| always)* needs(?: that)?
    DONE: (?:did_do |do )?<first>(?: (?:did_)?<V>)?
    BEFORE: (?:(?:right )?earlier call_is|call_is (?:that )?(?:comes |happens )?(?:right_earlier|right \
      earlier|earlier))
    AFTER: (?:next call_is|right later call_is|call_is (?:that )?(?:comes |happens )?(?:right_later|right \
      later|later))
    NONE: (?:(?:do |there )?none(?:_else)?|(?:do |there )?no else)
    OTHER: (?:(?:do |there )?none_else|(?:do |there )?no else|not_do else)
    NO_OTHER: else not_(?:may_)?<V>
    NO_THEN: (?:(?:no|not_do|there_no|there no) <then>(?: (?:may_)?<V>)?|<then>(?: always)? \
      not_(?:may_)?<V>)(?: again)*
    BETWEEN: between (?:every )?(?P<first>S) and (?:next |right_later |every )*<until>
    """
"""Parts of shapes, by name; <V> in a shape is the part V, <first> a list of sets."""
_MORE = r"""
    nothing: COUNT_OF <first>(?: trace)? enough
    nothing: (?:if|when) no <first>(?: (?:<V>|follows|chain|later))* ,? <then> may_<V>
    not_between a * c: <NONE>(?: (?:may_)?<V>)? <BETWEEN>
    not_between a -b c: <NONE>(?: (?:may_)?<V>)? <BETWEEN>(?: ,)? (?:outside|except) <then>
    not_between a * c: <BETWEEN> ?,? <NONE>(?: (?:may_)?<V>)?
    after_until a c b: <BETWEEN> ?,? (?:do |there )?(?:COUNT_OF )?<then>(?: <V>)?(?: COUNT)?(?: earlier)?
    limited: COUNT_OF <first>(?: (?:may_)?<V>)? at_most
    after_until a c b: (?:do )?<then>(?: <V>)? COUNT <BETWEEN>
    same? response a b & after_until a a b: (?:every )?<first> followed_by (?:own )?<then> before next <until>
    after_until a a c: REPEAT <first> needs (?:earlier )?(?:own )?<until>(?: earlier)?
    after_until a a c: (?:<first>(?: always)? not_(?:may_)?<V>|(?:no|not_do|there_no) <first>(?: \
      (?:may_)?<V>)?) again \
      (?:until|before|without|unless) (?:do |did_do )?<until>(?: (?:did_)?<V>)?(?: earlier| again| in_between)*
    after_until a a c: (?:REPEAT <first> not_(?:may_)?<V>|no REPEAT <first>(?: (?:may_)?<V>)?) \
      (?:until|before|without|unless) (?:earlier )?(?:own )?(?:did_do )?<until>(?: (?:did_)?<V>)?(?: earlier| \
      again| in_between)*
    two? after_until a a b: between COUNT_OF (?P<first>S) ?,? (?:do |there |always )*(?:COUNT_OF )?<then>(?: <V>)?(?: \
      COUNT)?(?: earlier)?
    after_until a c b | since a b c: (?:do )?<then>(?: <V>)? <BETWEEN>
    counted & last a: (?:do )?<first>(?: (?:may_)?<V>)? COUNT ,? ?(?:and )?last
    counted & first a: (?:do )?<first>(?: (?:may_)?<V>)? COUNT ,? ?(?:and )?first
    same? in_row a: (?P<first>S) right not_(?:may_)?(?:follows|followed_by) REPEAT (?P<until>S)
    counted: <first> COUNT_OF
    other? since b a c: (?:(?:<first> (?:may_)?only_<V>|<first>(?: (?:may_)?<V>)? only|(?:may_)?only_do <first>) \
      (?:if|when|after|once)|(?:(?:no|not_do|there_no) <first>(?: (?:may_)?<V>)?|<first> not_(?:may_)?<V>) \
      unless) (?:did_do |there \
      )?(?:COUNT_OF )?<then>(?: (?:did_)?<V>)? in_between (?:earlier |latest |last )?(?P<until>S)
    other? since b a c: (?:every )?<first> needs (?:COUNT_OF |own )?<then>(?: (?:did_)?<V>)? in_between \
      (?:earlier |latest |last )?(?P<until>S)
    same? alternate_precedence b a: (?:every )?<first> needs (?:COUNT_OF |own )?<then>(?: (?:did_)?<V>)? \
      in_between (?:earlier |latest |last )?(?P<until>S)
    same? alternate_precedence b a: before every <first> ,? (?:do |there )?(?:COUNT_OF |own )?<then>(?: \
      (?:did_)?<V>| do)* in_between (?:earlier |latest |last )?(?P<until>S)
    counted: <RUN> needs (?:COUNT_OF )?<first>
    counted: <RUN> may_contains COUNT_OF <first>
    counted: <RUN> contains (?:COUNT_OF )?<first>
    counted: <RUN> (?:contains|do) <first> COUNT
    same? alternate_precedence b a: (?:<first> (?:may_)?only_<V>|<first>(?: (?:may_)?<V>)? only|(?:may_)?only_do \
      <first>) (?:if|when|after) (?:did_do )?<then>(?: (?:did_)?<V>)? in_between (?:earlier |latest |last )?(?P<until>S)
    counted: number_of <first> is COUNT_OF
    limited: number_of <first> not_exceeds COUNT_OF
    pair? existence a & not_coexistence a1 a2: (?P<first>S) <V> ,? ?(?:but )?not_both
    pair? existence a & not_coexistence a1 a2: do (?P<first>S) ,? ?(?:but )?not_both
    pair? not_coexistence a1 a2: (?:may_do |it is )?(?P<first>S)(?: may_happens)? ,? ?(?:but )?not_both(?: together)?
    init a & end b: first call_is(?: happens)? is <first> ,? ?and last call_is(?: happens)? is <then>
    init a & end b: first call_is(?: happens)? is <first> and last call_is(?: happens)? is <then>
    first a & last b: (?:do )?<first>(?: <V>)? first ,? ?and (?:do )?<then>(?: <V>)? last
    init a & end b: (?:<RUN> )?begins <first> and ends_with <then>
    not_succession a *: (?:do |there )?none (?:(?:may_)?<V> |is )?(?:after|once) (?:every )?<DONE>
    not_succession a *: (?:after|once) (?:every )?<DONE> ?,? (?:do |there )?none(?: \
      (?:may_)?(?:<V>|is|follows))?(?: later| again)*
    not_succession a *: none (?:may_)?follows <first>
    after_until a * c: (?:after|once|when|if)(?: every)? <DONE> ?,? <NONE>(?: (?:may_)?<V>)? (?:until|before) \
      (?:do |did_do )?<until>(?: (?:did_)?<V>)?
    after_until a * c: from (?:every )?<DONE> (?:until|to) (?:next )?(?:do |did_do )?<until>(?: (?:did_)?<V>)? ?,? \
      <NONE>(?: (?:may_)?<V>)?
    never -a: (?:only|only_do) <first> (?:may_)?(?:<V>|is)
    never -a: may_only_do <first>
    never -a: (?:may_)?only_do <first> (?:and )?nothing_else
    not_succession a -b: (?:after|once)(?: every)? <DONE> ?,? (?:only|only_do) <then> (?:may_)?(?:<V>|is|follows)
    not_succession a -b: (?:only|only_do) <then> (?:may_)?(?:<V>|is|follows) (?:after|once)(?: every)? <DONE>
    not_succession a -b | not_within a -b: (?:after|once)(?: every)? <DONE> ?,? (?:may_)?only_do <then>
    precedence b -a: (?:only|only_do) <first> (?:may_)?(?:<V>|is) (?:before|until)(?: every)? (?:did_do |do \
      )?<then>(?: (?:did_)?<V>)?
    precedence b -a: (?:before|until)(?: every)? (?:did_do |do )?<then>(?: (?:did_)?<V>)? ?,? (?:only|only_do) <first> \
      (?:may_)?(?:<V>|is)
    precedence b -a: only_do <first> (?:before|until)(?: every)? (?:did_do |do )?<then>(?: \
      (?:did_)?<V>)?
    not_between a -b c: (?:only|only_do) <then> (?:may_)?(?:<V>|is) <BETWEEN>
    not_between a -b c: <BETWEEN> ?,? (?:only|only_do) <then> (?:may_)?(?:<V>|is)
    not_between a -b c: only_do <then> <BETWEEN>
    after_until a -b c: (?:after|once|when)(?: every)? <DONE> ?,? (?:only|only_do) <then>(?: (?:may_)?(?:<V>|is))? \
      (?:until|before) (?:do |did_do )?<until>(?: (?:did_)?<V>)?
    precedence * a: first call_is(?: happens)? not_(?:may_)?is(?: happens)? <first>
    precedence * a: <first> (?:not_(?:may_)?is|not_do is) first call_is(?: happens)?
    precedence * a: (?:<first> not_(?:may_)?<V>|(?:no|not_do) <first>) first
    precedence * a: (?:<RUN> )?not_(?:may_)?begins <first>
    response a *: last call_is(?: happens)? not_(?:may_)?is(?: happens)? <first>
    response a *: <first> (?:not_(?:may_)?is|not_do is) last call_is(?: happens)?
    response a *: (?:<first> not_(?:may_)?<V>|(?:no|not_do) <first>) last
    response a *: (?:<RUN> )?not_(?:may_)?ends_with <first>
    together * b: <NONE>(?: (?:may_)?<V>)? same_message <then>
    same? response a b & after_until a a b: (?:every )?<first>(?: every| always)* followed_by own <then>(?: later)?
    same? response a b & after_until a a b: (?:every )?<first>(?: every| always)* (?:needs|has) (?:later own \
      <then>|own <then> later)
    responded_existence a b & responded_existence b a: (?P<first>S) and (?P<then>S) ?[:,]? ?both (?:<V>|is|do) \
      or neither(?: <V>| is| do)?
    responded_existence a b & responded_existence b a: (?:do )?both (?P<first>S) and (?P<then>S)(?: <V>| is)? \
      or neither(?: <V>| is| do)?
    responded_existence a b & responded_existence b a: (?P<first>S) and (?P<then>S) (?:(?:may_)?only_<V> \
      together|(?:may_)?<V> only together)
    precedence a b & not_succession c b: <then> <V> neither before <first> nor after <until>
    one? after_until a a c: COUNT_OF <first>(?: (?:may_)?<V>)? per <until>
    one? after_until a a c: (?:do )?<first>(?: (?:may_)?(?:only_)?<V>)? COUNT per <until>
    same? alternate_precedence a b & after_until a a b: (?P<first>S) and (?P<then>S)(?: always)? alternates ,? \
      begins (?P<until>S)
    same? alternate_precedence a b & after_until a a b: (?P<then>S) and (?P<first>S)(?: always)? alternates ,? \
      begins (?P<until>S)
    alternate_precedence a b & after_until a a b | alternate_precedence b a & after_until b b a: \
      (?P<first>S) and (?P<then>S)(?: always)? alternates
    not_succession a *: stop (?:after|once|when|if) (?:every )?<DONE>
    not_succession a *: (?:after|once|when|if) (?:every )?<DONE> ?,? stop
    after_until a c b: there (?:COUNT_OF )?<then> <BETWEEN>
    two? after_until a a b: (?:no|not_do|there_no) COUNT_OF (?P<first>S) without (?:COUNT_OF )?<then> in_between
    two? absence a: no COUNT_OF <first>(?: (?:may_)?(?:contains|<V>))?
    turned a b: <then> not_precedes <first>
    must_with: (?:every )?(?P<first>S) (?:(?:may_)?only_<V>|only) WITH
    must_with: every (?P<first>S) <V> WITH
    must_with: (?:every )?(?P<first>S)(?: every| always)* (?:only_)?contains WITH
    must_with: (?P<first>S) <V> WITH(?: when| always)+
    must_with: (?P<first>S) always <V> WITH
    must_with | with: (?P<first>S) <V> WITH
    not_coexistence a b | never a & never b: not_do (?P<first>S) and (?P<then>S)
    """
"""Shapes of sentences that say several rules, or one that depends on their numbers; the others stand in ``FORMS``.
Before the colon stands what they mean: kinds with the letters of their sets (a, b, c are <first>, <then>, <until>,
* any call, -a any call but these, a1 the first call of a set), "&" between rules, "|" between meanings, a condition."""


def _shapes() -> Iterator[Shape]:
    """Yield all shapes. One that stands at several kinds may mean each of them."""
    parts = dict(english.rows(_PARTS))
    found: dict[str, list[str]] = {}
    for kind, forms in FORMS.items():
        for words in english.lines(forms):
            found.setdefault(words, []).append(kind)
    for kinds, words in [
        *((" | ".join(kinds), words) for words, kinds in found.items()),
        *english.rows(_MORE),
    ]:
        while "<" in re.sub(r"<[a-z]+>", "", words):
            words = re.sub(r"<([A-Z_]+)>", lambda m: parts[m[1]], words)
        yield Shape(kinds, words)


_NEEDED = re.compile(r"(?<![<\w~'@])@?\w+(?![\w>~?*+'])")
_OPENS = re.compile(r"(?:^|[ ^|(]|\(\?(?:P<\w+>|[:=!]))$")


Needs = tuple[frozenset[str], tuple[frozenset[str], ...]]
"""Words, and sets of words: a text that has not each word, and one of each set, needs no closer look."""


def needed(words: str) -> Needs:
    """Return what stands between spaces in every text that a pattern matches."""
    groups: list[frozenset[str]] = []  # "@0" stands for a word of the first

    def found(part: str) -> frozenset[str] | None:
        ways = [_NEEDED.findall(way) for way in part.split("|")]
        sets = [groups[int(way[0][1:])] if way[0][0] == "@" else {way[0]} for way in ways if way]
        return frozenset().union(*sets) if len(sets) == len(ways) else None

    words = re.sub(r"\[[^]]*\]|\\.", "~", re.sub(r"\{[\d,]+\}", "*", words))
    while part := re.search(r"\((\?(?:P<\w+>|:)|\?)?([^()]*)\)([?*]?)", words):
        before, behind = words[: part.start()], words[part.end() :]
        ways = part[2].split("|")
        apart = _OPENS.search(before) or all(way.startswith(" ") for way in ways)
        ends = behind[:1] in ("", *" $|)") or all(way.endswith(" ") for way in ways)
        kept = "" if part[3] or part[1] == "?" else part[2]
        if "|" in kept:
            one = found(kept)
            groups.append(one or frozenset())
            kept = f"@{len(groups) - 1}" if one else ""
        words = f"{before}{' ' if apart else '~'}{kept}{' ' if ends else '~'}{behind}"
    if "|" in words:
        one = found(words)
        return frozenset(), (one,) if one else ()
    needs = _NEEDED.findall(words)
    sets = tuple(groups[int(one[1:])] for one in needs if one[0] == "@")
    return frozenset(one for one in needs if one[0] != "@"), sets


def fits(needs: Needs, known: Set[str]) -> bool:
    return needs[0] <= known and not any(one.isdisjoint(known) for one in needs[1])


class Shape:
    """A shape of sentences and the kinds that they may mean; its groups have numbers behind their names. ``needs``:
    codes that every such sentence has, so that most shapes need no closer look."""

    def __init__(self, kinds: str, words: str) -> None:
        self.kinds = tuple(kinds.split(" | "))
        self.words = words

    @cached_property
    def needs(self) -> Needs:
        return needed(self.words)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        number = count()
        words = re.sub(r"(?<!P)<(\w+)>", rf"(?P<\1>{LIST})", self.words)
        return re.compile(re.sub(r"\(\?P<(\w+)>", lambda m: f"(?P<{m[1]}{next(number)}>", words))


def parts_of(match: re.Match[str]) -> Mapping[str, str]:
    """Return what the groups of a shape matched, by their names without numbers; "" for others."""
    found: dict[str, str] = defaultdict(str)
    for name, words in match.groupdict().items():
        plain = name.rstrip("0123456789")
        words = (words or "").strip()
        found[plain] = f"{found[plain]} {words}" if plain == "tail" else found.get(plain) or words
    return found


def _beside() -> dict[str, list[tuple[Kind, bool]]]:
    found: dict[str, list[tuple[Kind, bool]]] = {}
    for kind, clauses in CLAUSES_BESIDE.items():
        for sides, keys in english.rows(clauses):
            for key in keys.split(" | "):
                found.setdefault(key, []).append((kind, sides == "s x"))
    return found


MEANINGS = _beside()
"""What a main clause about ``s`` and a clause about ``x`` mean together: kinds, each with whether ``s`` is its earlier
set. Two kinds: the sentence is refused, and both are shown. The main clause orders its calls (do), forbids them (not)
or allows them (only); the last word says more of the clause beside it, or that this stands in front."""
CLAUSE_SHAPES = tuple(Shape("", words) for words in CLAUSES)
SHAPES = tuple(_shapes())


def meanings(items: Sequence[Item]) -> Iterator[tuple[Meaning, ...]]:
    """Yield what a cut of a sentence means by each shape that fits: one meaning, or two."""
    row = [item.code for item in items]
    for k in range(2, len(items)):
        if row[k - 1 : k + 1] == [",", "that"]:  # ", which comes before C"
            yield from _relative(items, k)
            return
    mark = next((k for k, code in enumerate(row) if code == ";" and row[k + 1 : k + 2] != ["chain"]), 0)
    if 0 < mark < len(items) - 1 and _SCOPES.isdisjoint(row[:mark]):
        yield from _together(items[:mark], items[mark + 1 :])
        return
    items = normal(items)
    row = [item.code for item in items]
    yield from _by_shape(items, row)
    for split in (_two_clauses, _sharing):
        if ways := list(split(items, row)):
            yield from ways
            return
    if not {"chain", "in_order"}.isdisjoint(row):
        yield from _chains(items)


def _by_shape(items: Sequence[Item], row: Sequence[str]) -> Iterator[tuple[Meaning, ...]]:
    """Yield what a sentence means by each shape that its items fit as a whole."""
    codes, known = " ".join(row), frozenset(row)
    for shape in SHAPES:
        if fits(shape.needs, known) and (match := shape.pattern.fullmatch(codes)):
            first, then, until = (group(items, match, name) for name in ("first", "then", "until"))
            if not shape.kinds[0].startswith(_COUNTING) and any(map(_counts, items)):
                continue
            drafts = tuple(tuple(_drafts(way, items, first, then, until)) for way in shape.kinds)
            if all(drafts) or shape.kinds == ("nothing",):
                yield drafts
    for shape in CLAUSE_SHAPES:
        if (match := shape.pattern.fullmatch(codes)) and (meaning := _clause(items, match)):
            yield meaning


def _together(left: Sequence[Item], right: Sequence[Item]) -> Iterator[tuple[Meaning, ...]]:
    """Yield what two clauses mean together, in every way to read each."""
    for one, other in product(meanings(left), meanings(right)):
        yield tuple((*a, *b) for a in one for b in other)


def _joint(row: Sequence[str], k: int) -> int:
    """Return how many items before a place join it to what stands before: ", and", "but", a comma, or none."""
    return 1 + (row[k - 2] == ",") if row[k - 1] in ("and", "but") else int(row[k - 1] == ",")


def _two_clauses(items: Sequence[Item], row: Sequence[str]) -> Iterator[tuple[Meaning, ...]]:
    """Yield the meanings of "A happens after B and C must happen before D": the second verb has its own subject."""
    for k in range(3, len(row) - 3):
        clock = row[k - 1] == "T" and row[k + 2] in _WORDS_BESIDE
        own = row[k + 1] == "S" and (clock or _VERBAL.fullmatch(row[k + 2]))
        if row[k] in ("and", "but") and (own or (row[k - 1] == "T" and row[k + 1 : k + 3] == ["do", "S"])):
            yield from _together(items[: k - (row[k - 1] == ",")], items[k + 1 :])
            return


def _sharing(items: Sequence[Item], row: Sequence[str]) -> Iterator[tuple[Meaning, ...]]:
    """Yield the meanings of two clauses with one subject: "A after B and before C", "A follows B and precedes C"."""
    verb = next((n for n, code in enumerate(row) if _VERBAL.fullmatch(code)), 0)
    beside = next((n for n, code in enumerate(row) if code in _WORDS_BESIDE), 0)
    for k in range(2, len(row)):
        joint = _joint(row, k)
        begin = verb if _VERBAL.fullmatch(row[k]) else (0 < beside < k and beside) or verb
        if joint and 0 < begin < k - joint and (row[k] in _WORDS_BESIDE or _VERBAL.fullmatch(row[k])):
            denied = any(code == "no" or code.startswith("not_") for code in row[:k])
            if denied and row[k + 1 : k + 2] == ["T"] and (row[k] == "after" or row[k - joint : k] == [","]):
                return  # "don't do A until B is done, not before 19:00"
            if row[k - joint : k] == [","] and not 0 < beside < k and set(_MANY).isdisjoint(row[:k]):
                # "A must have been called, before B": the comma may part nothing, so that B alone needs it
                yield from meanings([*items[: k - 1], *items[k:]])
            yield from _together(items[: k - joint], [*items[:begin], *items[k:]])
            return


_VERBAL = re.compile(
    r"(?:not_|may_|only_|must_)*(?:happens|comes|precedes|follows|followed_by|preceded_by|needs|contains|exclude)"
)

_STEP = re.compile(
    r"(?:[,;:] |and |but |first |do |both |always |sure )*(?P<s>S(?: (?:,|and|, and)(?: do)? S)*)"
    rf"(?: (?:may_)?{V}| first)*(?: (?:,|;|and|but|:))*"
)

_FRONTED_STEP = re.compile(
    rf"(?:(?:after|once|when)(?: every)? (?:do |did_do )?{LIST}(?: (?:did_)?{V})? ?,? (?:do )?(?P<s>{LIST})(?: {V})?"
    rf"|(?:do |always )*begins (?P<s1>{LIST}))(?: (?:,|;|and|but))*"
)


def _chains(items: Sequence[Item]) -> Iterator[tuple[Meaning, ...]]:
    """Yield the meaning of "first A, then B and C, and finally D", or "A, B and C, in this order": what stands before
    comes before what stands next. A list with "and" at an end can be several steps, or one of several calls."""
    codes = [item.code for item in items]
    parts: list[list[Item]] = [[]]
    for item in items:
        if item.code == "chain":
            parts.append([])
        elif item.code != "in_order":
            parts[-1].append(item)
    if parts[0] == []:
        return
    ways: list[list[list[Item]]] = [[]]
    led: list[Meaning] = [()]
    for k, part in enumerate(parts):
        row = " ".join(item.code for item in part)
        match = _STEP.fullmatch(row)
        fronted = _FRONTED_STEP.fullmatch(row) if match is None and k == 0 else None
        told = k == 0 and len(parts) > 1 and any(one.code in _WORDS_BESIDE for one in part)
        if match is None and (fronted is not None or told):
            # "after A, call B and then C"; of "A before 15:00, then B" the chain goes on from either side
            own = part[: 1 + max(n for n, one in enumerate(part) if one.code not in (",", ";", "and", "but"))]
            led = [one for some in meanings(own) for one in some]
            ends = [group(part, fronted, "s")] if fronted else [[item] for item in own if item.code == "S"]
            ways = [[end] for end in ends]
            continue
        if match is None:
            return
        some = _steps(part, match, k, len(parts), codes)
        ways = [[*way, *more] for way in ways for more in some]
    if ways and len(ways) * len(led) <= MOST_CHAINS and all(len(way) > 1 for way in ways):
        yield tuple(
            (
                *more,
                *(
                    Draft("precedence", one, other)
                    for before, after in pairwise(way)
                    for one, other in product(before, after)
                ),
            )
            for more in led
            for way in ways
        )


def _steps(
    part: Sequence[Item], match: re.Match[str], k: int, size: int, codes: Sequence[str]
) -> list[list[list[Item]]]:
    """Return the ways to take the ``k``-th part of a chain of ``size`` parts: its calls together, or one by one."""
    sets = group(part, match, "s")
    one, steps = [sets], [[item] for item in sets]
    inner = 0 < k < size - 1 or (k == 0 and codes[0] == "first")
    if len(sets) == 1 or "both" in match.string.split() or ("and" in match["s"] and inner):
        return [one]
    if "in_order" in codes:
        return [steps] if size == 1 else []
    if k < size - 1 and part[-1].code in (",", "and"):
        if groups := _by_comma(part):
            return [groups]  # "A and B, C, then D"
        if "and" not in match["s"]:
            return [steps]
    return [one, steps]


def _by_comma(part: Sequence[Item]) -> list[list[Item]]:
    """Return the steps of "A and B, C,": those that commas part, where the last is one call; [] of other lists."""
    groups: list[list[Item]] = [[]]
    for item in part:
        if item.code == ",":
            groups.append([])
        elif item.code == "S":
            groups[-1].append(item)
    groups = [group for group in groups if group]
    return groups if len(groups) > 1 and len(groups[-1]) == 1 and any(len(one) > 1 for one in groups) else []


MOST_CHAINS = 4
"""So many meanings of one chain are shown."""


def _relative(items: Sequence[Item], k: int) -> Iterator[tuple[Meaning, ...]]:
    """Yield the meanings of a sentence with a relative clause, which begins with the item ``k``: it is about the list
    before it, and ends with the sentence or at a comma before a verb."""
    start = k - 2
    while start > 1 and [one.code for one in items[start - 2 : start]] in (["S", ","], ["S", "and"]):
        start -= 2
    commas = (n for n in range(k, len(items) - 1) if items[n].code == ",")
    end = next((n for n in commas if items[n + 1].code not in ("S", "and", "both")), None)
    main = [*items[: k - 1], *(items[end + 1 :] if end is not None else ())]
    ways = [list(_together([*items[start : k - 1], *items[k + 1 : end]], main))]
    if end is None and [one.code for one in items[-3:]] == [
        ",",
        "and",
        "S",
    ]:  # it may end the list before "which"
        last = [*items[: k - 1], *items[-2:]]
        ways.append(list(_together([*items[start : k - 1], *items[k + 1 : -3]], last)))
    if all(ways):
        yield from chain(*ways)


def normal(items: Sequence[Item]) -> list[Item]:
    """Return the items of a sentence in a normal form: what a verb says of its calls (that they fail, and with which
    arguments or answer) stands in their set, and two bounds of a number are one."""
    _check_lists(items)
    found: list[Item] = []
    for item in items:
        place = next((k for k in range(len(found) - 1, -1, -1) if found[k].code == "S"), None)
        base = item.code.rpartition("_")[2]
        before = [one.code for one in found]
        if base in ("failed", "succeeded") and place is not None:
            calls = tuple(replace(c, outcome=cast(Outcome, base)) for c in found[place].calls)
            found[place] = replace(found[place], calls=calls)
            did = "did_" if item.code == base and _BESIDE.intersection(before) else ""
            item = replace(item, code=did + item.code.removesuffix(base) + "happens")
        elif item.code == "WITH" and _demands(before):
            pass
        elif (
            item.code == "WITH" and place is not None and all(c.condition is None for c in found[place].calls)
        ):
            found[place] = _told(found[place], item.condition)
            continue
        elif item.code == "COND" and place == len(found) - 1 and before[-2:-1] != ["latest"]:
            found[place] = _told(found[place], item.condition)
            item = replace(item, code="did_happens")
        elif item.code == "BY" and place is not None and any("not_" in one or one == "no" for one in before):
            found[place] = by(found[place], item.agent)
            continue
        elif item.code == "of" and before[-1:] == ["WITHIN"] and _must(items):
            item = replace(item, code="after")
        elif item.code == "NEVER":
            found.append(replace(item, code="S"))
            item = replace(item, code="not_happens")
        elif item.code == "S" and before[-2:] == ["no", "REPEAT"] and any(_alike(one, item) for one in found):
            found.pop()  # "after a failed login no other login"
        elif item.code == "COUNT" and before[-2:] == ["COUNT", "and"]:
            one = found[-2]
            low, high = max(one.low, item.low), min(one.high, item.high)
            found[-2:] = []
            item = replace(item, low=low, high=high)
        found.append(item)
    return same(found)


def _check_lists(items: Sequence[Item]) -> None:
    """Raise SentenceError for a list whose end may say something of all that it lists."""
    for k, (one, joint, other) in enumerate(zip(items, items[1:], items[2:], strict=False)):
        between = any(item.code.endswith("between") for item in items[max(k - 2, 0) : k])
        if one.code != "S" or joint.code not in ("or", "and") or between:
            continue
        if other.code == "NEVER" and {item.code for item in items[:k]} <= {"S", ",", "both", "every"}:
            raise SentenceError(other.span, "say it of each argument, in a sentence of its own")
        if other.code == "S" and _narrowed(one, other):
            why = f'"{other.calls[0].text}" may say of both what they must have; say it of each'
            raise SentenceError((one.span[0], other.span[1]), why)


_TRAILING = re.compile(r" (?:with|where|whose|having|that|which) | ?\(")


def _narrowed(one: Item, other: Item) -> bool:
    """Return whether words behind the second of two sets narrow it, which may belong to the first as well."""
    narrow = [calls for calls in other.calls if calls.condition is not None or calls.outcome is not None]
    plain = all(calls.plain for calls in one.calls)
    return plain and any(_TRAILING.search(calls.text) for calls in narrow)


class Rewriting:
    """A line of a table of rewritings: a pattern, and what it is read as, in one way or in two. Most lines fit no
    sentence of a run of the program: a pattern is compiled where all words that it needs are there."""

    def __init__(self, line: str) -> None:
        words, _, said = line.partition(" =>")
        for name, part in (("LIST", LIST), ("BESIDE", f"(?:{'|'.join(_BESIDE)})"), (r"\bV\b", V)):
            words = re.sub(name, part.replace("\\", "\\\\"), words)
        self.words, self.needs = words, needed(words)
        self.said = [one.split() for one in said.split(" | ")]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!\S)(?:{self.words})(?!\S)")


@cache
def table(text: str) -> tuple[Rewriting, ...]:
    return tuple(map(Rewriting, english.lines(text)))


def in_the_words_of(
    told: str,
    row: list[T],
    word: Callable[[T], str],
    say: Callable[[list[T], re.Match[str], Sequence[str]], list[T]],
) -> list[T]:
    """Return a row, of which each place that a line of a table matches is said as the line says it; a line that changes
    nothing is left."""
    now = " ".join(map(word, row))
    known = set(now.split())
    for line in table(told):
        while fits(line.needs, known) and (match := line.pattern.search(now)):
            row = say(row, match, line.said[0])
            before, now = now, " ".join(map(word, row))
            if before == now:
                break
            known = set(now.split())
    return row


def same(items: list[Item], told: str = SAME) -> list[Item]:
    """Return the items in the words of a table, where it says that they mean the same as others."""
    return in_the_words_of(told, items, attrgetter("code"), _in_codes)


def _in_codes(items: Sequence[Item], match: re.Match[str], said: Sequence[str]) -> list[Item]:
    whole = places(match)
    span = items[whole.start].span[0], items[whole.stop - 1].span[1]
    made = {word: _any_call(span) if word == "ANY" else Item(word, span) for word in said}
    return rewritten(items, match, said, made)


def places(match: re.Match[str], group: int = 0) -> slice:
    """Return where the words stand that a group matched."""
    words = match.string[: match.start(group)].split(), (match[group] or "").split()
    return slice(len(words[0]), len(words[0]) + len(words[1]))


def rewritten(row: Sequence[T], match: re.Match[str], said: Sequence[str], made: Mapping[str, T]) -> list[T]:
    """Return a row, of which a pattern matched some words, as a table says it: numbers are groups."""
    whole = places(match)
    found = (row[places(match, int(one))] if one.isdigit() else [made[one]] for one in said)
    return [*row[: whole.start], *chain(*found), *row[whole.stop :]]


def doubtful(items: Sequence[Item], text: str) -> tuple[Meaning, ...] | None:
    """Return both meanings of what can be meant in two ways where each action is done once, or None. Of "after cleaning
    the data and evaluate it before" the verbs' forms show which it is."""
    items = normal(items)
    forms = [
        len({text[slice(*one.span)].split()[0].endswith("ing") for one in (items[k - 1], items[k + 1])})
        for k in range(1, len(items) - 1)
        if (items[k - 1].code, items[k].code, items[k + 1].code) == ("S", "and", "S")
    ]
    codes = " ".join(item.code for item in items)
    for line in table(DOUBTS):
        match, both = line.pattern.fullmatch(codes), line.said
        told = codes.endswith(" T") and text[slice(*items[-4:][0].span)].lower() in ("it", "that", "this")
        if match and not told and not codes.startswith(("both", "do both")):
            clear = forms == [2] and "and" in both[0]
            found = [next(meanings(_in_codes(items, match, way)), None) for way in both[clear:]]
            if all(found):
                return tuple(one[0] for one in found if one is not None)
    return None


def _any_call(span: Span) -> Item:
    return Item("S", span, (Calls("*", text="any call"),))


def _others(sets: Sequence[Item]) -> Item:
    """Return all calls of other tools than these. Raises SentenceError if these are not whole tools."""
    span = sets[0].span[0], sets[-1].span[1]
    calls = [one for item in sets for one in item.calls]
    if not all(one.plain and one.name for one in calls):
        raise SentenceError(span, "what is left out of all calls must be tools", ("a tool's name",))
    text = f"any call other than {' or '.join(one.text for one in calls)}"
    return Item("S", span, (Calls("*", text=text, but=tuple(one.name for one in calls)),))


def _alike(one: Item, other: Item) -> bool:
    return [calls.name for calls in one.calls] == [calls.name for calls in other.calls]


_BESIDE = english.words("before after until once unless if when while without")
_SCOPES = english.words("if when unless while once until whoever between from")
"""What stands behind a clause with one of these may be meant under its condition."""
_WORDS_BESIDE = english.words("before after until once when without")


def by(item: Item, agent: str | None) -> Item:
    """Return the calls as those that an agent makes."""
    calls = (replace(c, agent=c.agent or agent, text=f"{c.text} by {agent}") for c in item.calls)
    return replace(item, calls=tuple(calls))


def _must(items: Sequence[Item]) -> bool:
    return any(item.low and item.code in ("happens", "comes", "do") for item in items)


def _demands(codes: Sequence[str]) -> bool:
    """Return whether a condition behind these items says what all calls must be like: "is only called with"."""
    return (
        re.fullmatch(
            rf"(?:every )?S (?:only|(?:always |every )*(?:(?:may_)?only_)?(?:{V}|contains))", " ".join(codes)
        )
        is not None
    )


def _told(item: Item, condition: Condition | None) -> Item:
    calls = tuple(
        replace(c, condition=condition, text=f"{c.text} with {condition_text(condition)}") for c in item.calls
    )
    return replace(item, calls=calls)


def group(items: Sequence[Item], match: re.Match[str], name: str) -> list[Item]:
    """Return the sets that a group of the shape matched."""
    for found, words in match.groupdict().items():
        if words and found.rstrip("0123456789") == name:
            begin = match.string.count(" ", 0, match.start(found))
            return [item for item in items[begin : begin + words.count(" ") + 1] if item.code == "S"]
    return []


def _drafts(
    way: str,
    items: Sequence[Item],
    first: Sequence[Item],
    then: Sequence[Item] = (),
    until: Sequence[Item] = (),
) -> Iterator[Draft]:
    """Yield the rules of one meaning, one for each combination of the sets of its lists. Raises SentenceError."""
    numbers = [item for item in items if item.code in _MANY]
    many, told = _first(items, *_MANY), _first(items, "WITH")
    against = next((item.against for item in items if item.against is not None), None)
    for part in way.split(" & "):
        kind, *letters = part.split()
        if kind in _IF:
            if not _IF[kind](first, until, numbers):
                return
            kind, *letters = letters
        if kind in ("counted", "limited"):
            most: list[tuple[Kind, float]] = [("absence", many.high if many else MANY)]
            yield from _numbers(most if kind == "limited" else _bounds("do", many), first, many)
        elif kind == "with" and told is not None:
            yield Draft("existence", _told(first[0], told.condition), count=1)
        elif kind == "must_with" and told is not None and told.condition is not None:
            if all(calls.condition is None for calls in first[0].calls):
                yield Draft("never", _told(first[0], negated(told.condition)))
        elif kind in ("init", "end") and len(first) > 1:
            whole = items[0].span[0], items[-1].span[1]
            raise SentenceError(whole, 'one call cannot be both; write "or"', ('"or"',))
        elif kind != "nothing":  # "one refund is plenty" explains what another clause says
            answer = _first(items, "COND") if kind == "latest" else None
            timed = _first(items, "WITHIN") if kind in _TIMED else None
            if timed and timed.high and kind == "not_within":
                return  # no rule forbids a call for a time
            number = int(against.every if against else kind in _ONCE)
            number = _number(timed, timed.low) if timed else number
            unit: Unit = "seconds" if timed and timed.high else "calls" if kind in _TIMED else ""
            none = _first(items, "none", "none_else", "no") or items[0]
            sets = {"a": first, "b": then, "c": until, "*": [_any_call(none.span)]}
            sides = [_side(one, sets) for one in (letters or "abc")]
            for one, other, end in product(*sides, *[[None]] * (3 - len(sides))):
                assert one is not None
                yield Draft(
                    cast(Kind, "precedence" if kind == "turned" else kind),
                    one,
                    other,
                    number,
                    unit,
                    answer.condition if answer else None,
                    kind == "turned",
                    end,
                    against,
                )


def _first(items: Sequence[Item], *codes: str) -> Item | None:
    """Return the first item with one of these codes."""
    return next((item for item in items if item.code in codes), None)


def _side(letter: str, sets: Mapping[str, Sequence[Item]]) -> Sequence[Item | None]:
    """Return the sets that a letter of a meaning stands for: all calls but these behind "-", one of its calls with a
    number."""
    if letter[0] == "-":
        return [_others(sets[letter[1]])]
    found = sets[letter[0]]
    if letter[1:]:
        return [replace(found[0], calls=(found[0].calls[int(letter[1]) - 1],))]
    return found or [None]


_IF: Mapping[str, Callable[[Sequence[Item], Sequence[Item], Sequence[Item]], bool]] = {
    "two?": lambda first, until, numbers: (
        [(one.low, one.high) for one in numbers[:1]] == [(2, 2)] and not any(map(_counts, numbers[1:]))
    ),
    "one?": lambda first, until, numbers: (
        (numbers[0].low, numbers[0].high) == (0, 1) and until[0].calls[0].is_user
    ),
    "same?": lambda first, until, numbers: all(_alike(first[0], one) for one in until),
    "other?": lambda first, until, numbers: not any(_alike(one, other) for one in first for other in until),
    "pair?": lambda first, until, numbers: len(first[0].calls) == 2,
}
"""What must be so for a meaning in the table."""
_COUNTING = ("counted", "limited", "two?", "one?")
_ONCE = ("existence", "absence", "exactly", "in_row", "not_within")
_TIMED = ("within", "not_within")


def _clause(items: Sequence[Item], match: re.Match[str]) -> tuple[Meaning, ...] | None:
    """Return what a main clause and a clause of time or condition mean, one or two meanings, or None."""
    part = parts_of(match)
    subject, x = group(items, match, "s"), group(items, match, "x")
    one_of = part["act"] == "only_do" and "COUNT_AMONG" in part["many"]  # "only one of A and B may be called"
    way = _way("" if one_of else part["act"], part["verb"], bool(part["only"] or part["just"] or one_of))
    many = _first(items, *_MANY) if part["count"] or part["many"] else None
    if way is None:
        return None
    if not part["word"]:
        return _alone(way, many, subject, part, items)
    if many is not None and (many.low, many.high) == (1, MANY) and way == "do":
        subject, many = [joined(subject)] if many.code == "COUNT_AMONG" else subject, None
    numbers = [(item.low, item.high) for item in items if item.code == "COUNT_OF"]
    counted = part["least"] and numbers[-1:] != [(1, MANY)]  # "after three failed logins" is of no kind
    others = "front0" in match.groupdict() and "only" in way and not part["only"]
    said = part["verb"] or part["act"] or part["only"]
    fine = not said and any(item.high for item in items if item.code == "may_happens")  # "A before B is fine"
    if many is not None or way == "may" or fine or part["row"] or counted or others:
        return None  # "after A, only call B" forbids other calls
    key = _key(way.removeprefix("may "), part, match)
    sure = any(item.code == "always" for item in items) or (
        _must(items) and not part["verb"].endswith("comes")
    )
    if key == "do after" and not part["all"] and sure:
        key = "do after front"  # "B must be called after A" may be about each A, too
    if key is None or (part["which"] == "latest") != key.endswith("latest"):
        return None
    if key.endswith("if latest") and x[0].calls[0].outcome:  # "only if the latest login succeeded"
        scope: Kind = "after_until" if key.startswith("not") else "since"
        return (tuple(Draft(scope, x[0], one, until=_opposite(x[0])) for one in subject),)
    if (part["word"] in ("if", "when") or key == "not after") and len(x) > 1 and not key.startswith("only"):
        names = " and ".join(calls.text for item in x for calls in item.calls)
        why = f'"{part["word"]} {names}" could mean both or each; write one sentence for each, or use "or"'
        raise SentenceError((x[0].span[0], x[-1].span[1]), why, (f"one set of calls after {part['word']}",))
    if clock := _first(items, "T") if part["x"] == "T" else None:  # not "before 15:00 happens"
        return None if part["past"] else _clock(subject, MEANINGS[key], clock)
    return _beside_it(key, part, subject, x, items)


def _beside_it(
    key: str, part: Mapping[str, str], subject: Sequence[Item], x: Sequence[Item], items: Sequence[Item]
) -> tuple[Meaning, ...] | None:
    """Return what a main clause about ``subject`` and a clause about ``x`` mean together."""
    made = []
    ways = [x]
    if key == "not before" and len(x) == 1 and len(x[0].calls) > 1:
        ways.append([replace(x[0], calls=(calls,)) for calls in x[0].calls])
    for (kind, as_said), x in product(MEANINGS[key], ways):
        sides = (subject, x) if as_said else (x, subject)
        drafts = tuple(_drafts("turned" if key == "not before" else kind, items, *sides))
        if kind == "latest" and (drafts[0].condition is None or key == "not if latest"):
            return None
        made.append(drafts)
    one = x[0].calls[0]
    if (
        key.startswith(("not if", "not when"))
        and "did_" in part["past"]
        and one.outcome
        and len(x[0].calls) == 1
        and not any(item.code == "again" for item in items)
    ):
        # "no B if A fails" may mean that its latest call failed
        made.append(tuple(Draft("after_until", x[0], side, until=_opposite(x[0])) for side in subject))
    if key == "only after" and any(
        k.code == "only_do" and k.span[1] - k.span[0] == len("only") for k in items
    ):
        made.append(tuple(Draft("not_succession", side, _others(subject)) for side in x))
    return tuple(made)


def _opposite(item: Item) -> Item:
    """Return the calls that end otherwise: those that succeeded of those that failed."""
    other: Outcome = "succeeded" if item.calls[0].outcome == "failed" else "failed"
    return replace(
        item, calls=tuple(replace(one, outcome=other, text=f"{one.name} that {other}") for one in item.calls)
    )


def _clock(
    subject: Sequence[Item], kinds: Sequence[tuple[Kind, bool]], clock: Item
) -> tuple[Meaning, ...] | None:
    """Return that calls are over before a clock time (not_succession), or begin after it (precedence)."""
    before = {as_said != (kind == "not_succession") for kind, as_said in kinds}
    if len(before) > 1 or any(kind not in ("precedence", "response", "not_succession") for kind, _ in kinds):
        return None
    kind: Kind = "not_succession" if before == {True} else "precedence"
    return (tuple(Draft(kind, one, clock) for one in subject),)


_MANY = ("COUNT", "REPEAT", "COUNT_OF", "COUNT_AMONG")


def _counts(item: Item) -> bool:
    """Return whether a number asks for more than some call: "exactly once", but not "at least once" or "one lookup"."""
    least = 1 + (item.code == "REPEAT")
    return item.code in _MANY and (item.low != least or (item.exact and item.high < MANY))


_TOLD = ("earlier", "later", "right_earlier", "right_later")
_SAME_TIME: Mapping[str, frozenset[str]] = {
    "before": english.words("earlier x_earlier"),
    "until": english.words("earlier x_earlier"),
    "after": english.words("later x_earlier"),
    "once": english.words("later x_earlier"),
}
"""Words of time that say the same as the word before the clause beside."""


def _key(way: str, part: Mapping[str, str], match: re.Match[str]) -> str | None:
    """Return the key of MEANINGS for these parts of a sentence, or None."""
    fronted = "front0" in match.groupdict()
    limit, right = ("WITHIN " if part["limit"] else ""), ("right " if part["right"] else "")
    base = f"{way} {limit}{right}{part['word']}".replace("WITHIN", "within")
    past, no = "did_" in part["past"], part["past"].startswith("not_")
    if no and part["word"] not in ("if", "when", "while"):
        return None
    main = f"{part['late']} {part['says']}".split()
    beside = [f"x_{one}" if one in _TOLD else one for one in part["tail"].split()]
    said = [
        part["which"],
        "undone" if no else "",
        *main,
        *beside,
        "done" if past and not no else "",
        "front" if fronted else "",
    ]
    again = "again" in main and (
        part["word"] in ("until", "before", "without", "unless")
        if way == "not"
        else base == "do before" or "only" in way
    )
    if again or (base == "do before" and part["all"]):
        return None
    if (base == "do right after" and (part["act"] == "do" or not part["verb"])) or (
        base == "do after" and "again" in main
    ):
        said.append("front")  # "Call B right after A" may be about each A, too, as "call B again after A"
    same = _SAME_TIME.get(part["word"], frozenset()) | ({"x_earlier"} if no else set())
    if "there" in said and part["word"] in ("before", "after"):
        return None
    if no and f"{base} undone" not in MEANINGS:
        return None
    keys = [f"{base} {one}" for one in said if one and f"{base} {one}" in MEANINGS]
    keys = [f"{base} undone"] if no else keys
    if any(
        one.removeprefix("x_") in _TOLD and one not in same and f"{base} {one}" not in keys for one in said
    ):
        return None  # a word of time that nobody understands is not left out
    if no and not keys:
        return None
    return keys[0] if keys else base if base in MEANINGS else None


def _way(act: str, verb: str, only: bool) -> str | None:
    """Return what a main clause does with its calls: do, not, only, may, or "may only"; None if it says nothing."""
    if act.endswith("neither") or act.startswith("no_way"):
        act = "no"
    elif act in ("may", "must", "can", "should", "shall", "will"):
        act = ""
    if act == "there_may":
        act = "may_do"
    if act in ("not_do", "no", "there no", "there_no", "forbid"):
        return None if verb.startswith("not_") or only else "not"
    if act and verb and act not in ("there", "do"):
        return None
    said = verb or act
    if said.startswith("not_"):
        return None if only or "only" in said else "not"
    if only or "only" in said:
        return "may only" if "may_" in said else "only"
    return "may" if said.startswith("may_") else "do"


def _alone(
    way: str, many: Item | None, subject: Sequence[Item], part: Mapping[str, str], items: Sequence[Item]
) -> tuple[Meaning, ...] | None:
    """Return what a main clause alone means: whether and how often its calls happen."""
    forbids = way == "not"
    nothing = part["act"] == "" and not part["verb"] and many is None
    said = {*part["late"].split(), *part["says"].split()}
    if nothing or part["verb"].endswith("comes") or part["limit"]:
        return None
    if (
        said & {"again", "right_later", "right_earlier"}
        or "earlier" in part["late"]
        or (forbids and "later" in said)
    ):
        return None
    together = any(item.code == "together" for item in items)
    if (forbids and ("both" in part["says"] or (together and many is None))) or (
        many is None and part["all"] and not forbids
    ):
        return None
    among = many is not None and many.code == "COUNT_AMONG"
    if among and many is not None and many.high == 1 and len(subject) == 2 and way != "not":
        either = (Draft("existence", joined(subject), count=1),) if many.low == 1 and way == "do" else ()
        both = Draft("not_coexistence", subject[0], subject[1])
        return (*either, both), tuple(_numbers(_bounds(way, many), [joined(subject)], many))
    if among or together:
        subject = [joined(subject)]
    if many is None and (way not in ("do", "not") or (part["act"] == "not_do" and len(subject) > 1)):
        return None
    if many is not None and way == "only" and many.low == many.high and part["row"] != "in_message":
        return tuple(tuple(_numbers([(kind, many.high)], subject, many)) for kind in ("absence", "exactly"))
    bounds = _bounds(way, many)
    if part["row"] and way == "not" and many is None:
        return (tuple(Draft("in_row", one, count=1) for one in subject),) if part["row"] == "in_row" else None
    if part["row"]:
        if [kind for kind, _ in bounds] not in (["absence"], ["exactly"]):
            return None
        bounds = [(cast(Kind, part["row"]), bounds[0][1])]
    each = [replace(one, calls=(calls,)) for one in subject for calls in one.calls]
    most = [kind for kind, _ in bounds] == ["absence"] and part["verb"] != "happens"  # "A or B at most twice"
    several = len(subject) > 1 or (most and len(each) > 1 and many is not None and many.code == "COUNT")
    if many is not None and several and not any(item.code in ("both", "every") for item in items):
        ways = subject if len(subject) > 1 else each, [joined(subject)]
        return tuple(tuple(_numbers(bounds, some, many)) for some in ways) if bounds else None
    return (tuple(_numbers(bounds, subject, many)),) if bounds else None


def _bounds(way: str, many: Item | None) -> list[tuple[Kind, float]]:
    """Return the kinds and numbers that a number of calls means; none if it means nothing."""
    if many is None:
        return [("never", 0)] if way == "not" else [("existence", 1)]
    low, high = many.low, many.high
    if way == "not":  # what is forbidden is the number itself
        if low > 1 and high in (low, MANY):
            return [("absence", low - 1)]
        return [("existence", high + 1)] if not low and high < MANY else []
    if way != "do":
        return [("absence", high)] if high < MANY and low in (0, high) else []
    if low == high:
        return [("exactly", low)]
    least: list[tuple[Kind, float]] = [("existence", low)] if low else []
    return [*least, ("absence", high)] if high < MANY else least


def _numbers(
    bounds: Sequence[tuple[Kind, float]], sets: Sequence[Item], many: Item | None
) -> Iterator[Draft]:
    for kind, number in bounds:
        yield from (
            Draft(kind, one, count=0 if kind == "never" else _number(many or one, number)) for one in sets
        )


def _number(item: Item, number: float) -> int:
    if not float(number).is_integer() or not 1 <= number <= MOST:
        raise SentenceError(item.span, f"a number is whole, from 1 to {MOST:,}", (f"1 to {MOST:,}",))
    return int(number)


def joined(sets: Sequence[Item]) -> Item:
    """Return several sets as one."""
    span = min(item.span[0] for item in sets), max(item.span[1] for item in sets)
    return Item("S", span, tuple(dict.fromkeys(calls for item in sets for calls in item.calls)))


@cache
def _alphabet() -> frozenset[str]:
    return frozenset(
        code for shape in (*SHAPES, *CLAUSE_SHAPES) for code in re.findall(r"[a-z_]+", shape.words)
    )


def unknown_to_shapes(code: str) -> bool:
    """Return whether no shape has an item with this code."""
    known = _alphabet() | {"per", "either", ",", ";", ":"}
    return code not in known and not re.fullmatch(r"(?:not_|may_|only_|did_)+\w+|[A-Z_]+", code)
