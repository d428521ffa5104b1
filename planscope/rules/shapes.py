"""What sentences mean, by their shape over the codes of their items (``scan.py``).

``MEANINGS`` is about sentences with one main clause and perhaps a clause of time or condition beside it; ``SHAPES`` has
those with a shape of their own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import count, product
from typing import Literal, cast

from planscope.rules.english import MANY
from planscope.rules.kinds import Kind
from planscope.rules.rule import Condition
from planscope.rules.scan import Item, SentenceError

MOST = 1_000
"""The limit for a number of calls, times, seconds or minutes; the least is 1."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A rule that a sentence may mean. ``first`` and ``then`` are its sets as items. ``turned``: its words are those of
    "Never A before B", which once meant another rule."""

    kind: Kind
    first: Item
    then: Item | None = None
    count: int = 0
    unit: Literal["calls", "seconds", ""] = ""
    condition: Condition | None = None
    turned: bool = False

    @property
    def sets(self) -> Iterator[Item]:
        yield self.first
        if self.then is not None:
            yield self.then

    @property
    def key(self) -> tuple[object, ...]:
        """What distinguishes meanings: all but the words."""
        first, then = (
            tuple(replace(calls, text="") for calls in item.calls) if item is not None else ()
            for item in (self.first, self.then)
        )
        return (self.kind, first, then, self.count, self.unit, self.condition)


Meaning = tuple[Draft, ...]

ANY_LIST = r"S(?: (?:, and|, or|and|or|,) S)*"
LIST = r"(?:both )?S(?: (?:, and|, nor|and|nor|,) S)*"
V = r"(?:happens|comes)"

# Sentences of a main clause and a clause beside it -------------------------------------------------------------------

SUBJECT = rf"(?:(?P<many>COUNT_OF|COUNT_AMONG|REPEAT) )?(?P<all>every )?(?P<s>{LIST})"
MAIN = (
    r"(?:together ,? ?|always )?(?P<limit>WITHIN )?"
    r"(?:(?P<act>(?:not_|may_)?(?:only_)?do(?: neither)?|neither|forbid|no|there no|there_no|there) )?"
    rf"{SUBJECT}(?P<says>(?: (?:every|always|both|together|earlier|later|too))*)"
    rf"(?: (?P<verb>(?:not_)?(?:may_)?(?:only_)?{V}))?"
)
TURNED = (
    rf"(?:(?P<act>(?:no_way )?(?:may|must|can|should|shall|will|do)) {SUBJECT} (?P<verb>{V}|is)"
    rf"|(?P<verb>{V}) (?P<s>{LIST}))"
)
"""A main clause with its verb in front: "only after A may B be called", "right after A comes B"."""
END = (
    r"(?P<just> only)?(?: (?P<count>COUNT|REPEAT))?(?P<row> in_row)?(?P<late> later| too| earlier)?(?:(?: ,)? too)*"
    r"(?P<limit> WITHIN)?"
)
BESIDE = (
    r"(?P<only>only )?(?P<limit>WITHIN )?(?P<right>right )?(?P<word>before|after|until|once|unless|if|when|without)"
    rf"(?P<says> earlier)?(?P<past> (?:did_|may_)?do)?(?P<which> every| latest)?(?: COUNT_OF)? (?P<x>{LIST})"
    rf"(?: every| always)?(?: earlier| later| too)*(?: (?P<past>(?:did_)?{V})| COND)?(?P<says> earlier| later| too)?"
)
CLAUSES = (
    rf"{MAIN}{END}",
    rf"{MAIN}{END} {BESIDE}(?:(?: ,)? too)*",
    rf"{TURNED}{END}(?: {BESIDE})?",
    rf"(?P<front>){BESIDE} ?,? {MAIN}{END}",
    rf"(?P<front>){BESIDE} ?,? {TURNED}",
    rf"{SUBJECT} {BESIDE} (?P<verb>not_{V})",
)
"""The orders of a sentence's parts. A clause of time before the main clause counts as fronted."""

MEANINGS = {
    "do before": "precedence s x",
    "do after": "precedence x s",
    "do after front": "response x s | precedence x s",
    "do after every": "response x s",
    "do once": "precedence x s",
    "do once front": "response x s | precedence x s",
    "do right before": "chain_precedence s x | chain_response s x",
    "do right before every": "chain_precedence s x",
    "do right after": "chain_precedence x s",
    "do right after front": "chain_response x s | chain_precedence x s",
    "do right after every": "chain_response x s",
    "do within after": "within x s",
    "do if": "responded_existence x s",
    "do if later": "response x s",
    "do if earlier": "precedence s x",
    "do if done": "response x s | responded_existence x s",
    "do when": "response x s | responded_existence x s",
    "do when later": "response x s",
    "do when earlier": "precedence s x",
    "only after": "precedence x s",
    "only once": "precedence x s",
    "only before": "precedence s x | not_succession x s",
    "only until": "not_succession x s",
    "only right after": "chain_precedence x s",
    "only right before": "chain_response s x",
    "only if": "precedence x s | responded_existence s x",
    "only if done": "precedence x s",
    "only if earlier": "precedence x s",
    "only when": "precedence x s | responded_existence s x",
    "only when done": "precedence x s",
    "only when earlier": "precedence x s",
    "only if latest": "latest x s",
    "only when latest": "latest x s",
    "not before": "precedence x s",
    "not until": "precedence x s",
    "not after": "not_succession x s",
    "not once": "not_succession x s",
    "not unless": "precedence x s | responded_existence s x",
    "not unless done": "precedence x s",
    "not unless earlier": "precedence x s",
    "not unless latest": "latest x s",
    "not without": "precedence x s | responded_existence s x",
    "not without earlier": "precedence x s",
    "not without too": "responded_existence s x",
    "not if": "not_coexistence x s",
    "not if done": "not_succession x s",
    "not if later": "not_succession x s",
    "not if earlier": "not_succession x s",
    "not when": "not_succession x s | not_coexistence x s",
    "not when done": "not_succession x s",
    "not when later": "not_succession x s",
}
"""What a main clause about ``s`` and a clause about ``x`` mean together: a kind with its earlier and its later set. Two
kinds: the sentence is refused, and both are shown. The main clause orders its calls (do), forbids them (not) or allows
them (only); the last word says more of the clause beside it, or that this stands in front."""

# Sentences with a shape of their own --------------------------------------------------------------------------------

IS = r"(?:always )?(?:may_)?(?:only_)?is"
MAY = rf"(?: (?:every|always|both))*(?: (?:may_)?(?:only_)?{V}| {IS})?"
RUN = r"(?:every )?trace"
_SHAPES: tuple[tuple[str, str], ...] = (
    (
        "alternate_precedence",
        r"(?:every )?<then> (?:every )?(?:has|needs|preceded_by) own <first>(?: earlier)?",
    ),
    (
        "alternate_precedence",
        r"before every <then> ,? ?(?:(?:there|do|comes) )?own <first>(?: happens| comes| earlier)*",
    ),
    ("alternate_precedence", r"before every <then> ,? ?(?:do )?<first>(?: happens)? own"),
    ("alternate_precedence", r"(?:no|not_do|there_no) <then> without own <first>(?: earlier)?"),
    ("chain_response", r"(?:every <first>|<first> always) right followed_by <then>"),
    (
        "chain_response",
        r"(?:next|right) call_is (?:that )?(?:right )?(?:comes )?(?:right )?after (?:every )?<first> is <then>",
    ),
    ("chain_response", r"call_is (?:that )?(?:right )?(?:comes )?right after (?:every )?<first> is <then>"),
    ("chain_response", r"call_is (?:that )?right comes after (?:every )?<first> is <then>"),
    (
        "chain_response",
        r"(?:after every|when|if) (?:did_do |do )?<first>(?: (?:did_)?happens)? ?, next call_is is <then>",
    ),
    ("chain_precedence", r"call_is (?:that )?(?:comes )?right before (?:every )?<then> is <first>"),
    ("chain_precedence", r"(?:every )?<then>(?: always)? right preceded_by <first>"),
    ("chain_precedence", r"(?:every )?<then>(?: always)? preceded_by <first> ?,? nothing_between"),
    ("chain_precedence", r"<then> right follows <first>"),
    (
        "chain_precedence",
        r"(?:no|not_do|there_no) <then> unless call_is right (?:before it|earlier) is <first>",
    ),
    (
        "chain_precedence",
        r"(?:if|when|before) (?:every |do )?<then>(?: happens)? ?, right earlier call_is is <first>",
    ),
    ("chain_response | chain_precedence", r"<first> right followed_by <then>"),
    ("chain_precedence | chain_response", r"<first> right precedes <then>"),
    ("within", r"(?:every )?<first>(?: every| always)* followed_by (?:later )?<then> WITHIN"),
    ("within", r"(?:every )?<first>(?: every| always)* followed_by WITHIN <then>"),
    (
        "within",
        r"(?:when|if|after every) (?:do |did_do )?<first>(?: (?:did_)?happens)? ?,? <then> (?:follows|happens) WITHIN",
    ),
    (
        "response",
        r"(?:every <first>|<first>)(?: (?:always|every|later))+ followed_by (?:later )?(?:every )?<then>(?: later)?",
    ),
    ("response", r"every <first> (?:later )?followed_by (?:later )?<then>(?: later)?"),
    ("response", r"every <first> (?:needs|has) later <then>"),
    (
        "response",
        r"(?:every <first> ?,?|after every <first> ?,?) (?:there|comes) (?:later )?<then>(?: later)?",
    ),
    ("response | precedence", r"<first> followed_by <then>"),
    (
        "precedence",
        r"(?:every )?<then>(?: every| always| earlier)* preceded_by (?:earlier )?<first>(?: earlier)?",
    ),
    (
        "precedence",
        r"(?:every )?<then>(?: every| always)* needs (?:COUNT_OF |earlier )*<first>(?: earlier| before)?",
    ),
    ("precedence", r"(?:every )?<then> has (?:COUNT_OF )?earlier <first>"),
    ("precedence", r"(?:every )?<then> has <first> earlier"),
    ("precedence", r"<first>(?: always)? precedes (?:every )?<then>"),
    ("precedence", r"(?:every )?<then>(?: always)? follows <first>"),
    ("not before", r"<then> not_precedes <first>"),
    ("not_succession", r"(?:every )?<first> not_followed_by (?:later )?<then>(?: later)?"),
    ("not_succession", r"<then> not_follows <first>"),
    ("not_succession", r"(?:every )?<then> not_preceded_by (?:earlier )?<first>"),
    (
        "not_coexistence",
        r"(?:(?:not_do|not|no|never) both|both not_do) (?P<first>S) and (?P<then>S)(?: together)?",
    ),
    (
        "not_coexistence",
        r"(?P<first>S) and (?P<then>S) (?:(?:both|together) not_happens|not_happens (?:both|together))",
    ),
    ("not_coexistence", r"(?P<first>S) and (?P<then>S) is exclude"),
    ("not_coexistence | never & never", r"not_do (?P<first>S) and (?P<then>S)"),
    ("responded_existence", rf"if {RUN} contains <first> ,? ?(?:it |do )?contains <then>(?:(?: ,)? too)*"),
    (
        "responded_existence",
        rf"{RUN} (?:with|that contains) <first> (?:too )?contains <then>(?:(?: ,)? too)*",
    ),
    ("counted", rf"{RUN} contains (?:COUNT_OF )?<first>"),
    ("counted", r"number_of <first> is COUNT_OF"),
    ("existence", r"not_do end_run without (?:did_do |do |once )?<first>"),
    ("first", rf"(?:do )?<first>{MAY} first"),
    ("last", rf"(?:do )?<first>{MAY} last"),
    ("first", rf"none (?:may_)?{V} before <first>"),
    ("last", rf"none (?:may_)?{V} after <first>"),
    ("first", rf"(?:if|when) (?:do |did_do )?<first>(?: happens)?(?: too)? ?, none (?:may_)?{V} earlier"),
    ("last", rf"(?:if|when) (?:do |did_do )?<first>(?: happens)?(?: too)? ?, none (?:may_)?{V} later"),
    ("first", rf"<first> is optional ,? ?but none (?:may_)?{V} earlier"),
    ("last", rf"<first> is optional ,? ?but none (?:may_)?{V} later"),
    ("first", r"<first> is optional ,? ?but (?:if|when) it happens ,? ?it is first call_is"),
    ("last", r"<first> is optional ,? ?but (?:if|when) it happens ,? ?it is last call_is"),
    ("init & end", rf"{RUN} begins <first> and ends_with <then>"),
    ("end", r"trace not_happens unless last call_is is <first>"),
    ("init", r"first call_is(?: happens)? is <first>"),
    ("end", r"last call_is(?: happens)? is <first>"),
    ("init", rf"<first> {IS} first call_is(?: happens)?"),
    ("end", rf"<first> {IS} last call_is(?: happens)?"),
    ("init", rf"{RUN} (?:always )?begins <first>(?: first)?"),
    ("end", rf"{RUN} (?:always )?ends_with <first>(?: last)?"),
    ("init", r"begin_trace <first>(?: first)?"),
    ("end", r"end_trace <first>(?: last)?"),
    ("first | init", r"begins <first>"),
    ("last | end", r"ends_with <first>"),
    ("first | init", r"<first> (?:comes|happens) before else"),
    ("last | end", r"<first> (?:comes|happens) after else"),
    ("first", r"if (?:do )?<first>(?: happens)? ,? ?(?:it )?is first call_is"),
    ("last", r"if (?:do )?<first>(?: happens)? ,? ?(?:it )?is last call_is"),
)


class Shape:
    """A shape of sentences and the kinds that they may mean; its groups have numbers behind their names. ``needs``:
    codes that every such sentence has, so that most shapes need no closer look."""

    def __init__(self, kinds: str, words: str) -> None:
        self.kinds = tuple(kinds.split(" | "))
        self.words = words
        while part := re.search(r"\((?:\?(?:P<\w+>|:))?([^()]*)\)([?*]?)", words):
            kept = "" if "|" in part[1] or part[2] else part[1]
            words = f"{words[: part.start()]} {kept} {words[part.end() :]}"
        self.needs = frozenset(re.findall(r"(?<![<\w])\w+(?![\w>])", words)) - {"S"}

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
        found[plain] = found.get(plain) or (words or "").strip()
    return found


CLAUSE_SHAPES = tuple(Shape("", words) for words in CLAUSES)
SHAPES = tuple(Shape(kinds, words) for kinds, words in _SHAPES)


def meanings(items: Sequence[Item]) -> Iterator[tuple[Meaning, ...]]:
    """Yield what a cut of a sentence means by each shape that fits: one meaning, or two."""
    row = [item.code for item in items]
    codes, known = " ".join(row), frozenset(row)
    for shape in SHAPES:
        if shape.needs <= known and (match := shape.pattern.fullmatch(codes)):
            first, then = group(items, match, "first"), group(items, match, "then")
            yield tuple(tuple(_drafts(kind, first, then, items)) for kind in shape.kinds)
    for shape in CLAUSE_SHAPES:
        if (match := shape.pattern.fullmatch(codes)) and (meaning := _clause(items, match)):
            yield meaning


def group(items: Sequence[Item], match: re.Match[str], name: str) -> list[Item]:
    """Return the sets that a group of the shape matched."""
    for found, words in match.groupdict().items():
        if words and found.rstrip("0123456789") == name:
            begin = match.string.count(" ", 0, match.start(found))
            return [item for item in items[begin : begin + words.count(" ") + 1] if item.code == "S"]
    return []


def _drafts(
    kinds: str, first: Sequence[Item], then: Sequence[Item], items: Sequence[Item]
) -> Iterator[Draft]:
    """Yield the rules of one meaning, one for each pair of its lists. Raises SentenceError."""
    turned = kinds == "not before"
    if kinds == "never & never":
        yield from (Draft("never", one) for one in (*first, *then))
    elif kinds == "init & end":
        yield from (Draft("init", one) for one in first)
        yield from (Draft("end", one) for one in then)
    elif kinds == "counted":
        many = next((item for item in items if item.code == "COUNT_OF"), None)
        yield from _numbers(_bounds("do", many), first, many)
    elif kinds in ("init", "end") and len(first) > 1:
        whole = items[0].span[0], items[-1].span[1]
        raise SentenceError(whole, 'one call cannot be both; write "or"', ('"or"',))
    else:
        kind = cast(Kind, "precedence" if turned else kinds)
        limit = next((item for item in items if item.code == "WITHIN"), None) if kind == "within" else None
        condition = (
            next((item.condition for item in items if item.code == "COND"), None)
            if kind == "latest"
            else None
        )
        number = (
            _number(limit, limit.low)
            if limit is not None
            else int(kind in ("existence", "absence", "exactly"))
        )
        unit: Literal["calls", "seconds", ""] = "" if limit is None else "seconds" if limit.high else "calls"
        others: Sequence[Item | None] = then or [None]
        for one, other in product(first, others):
            yield Draft(kind, one, other, number, unit, condition, turned)


def _clause(items: Sequence[Item], match: re.Match[str]) -> tuple[Meaning, ...] | None:
    """Return what a main clause and a clause of time or condition mean, one or two meanings, or None."""
    part = parts_of(match)
    subject, x = group(items, match, "s"), group(items, match, "x")
    way = _way(part["act"], part["verb"], bool(part["only"] or part["just"]))
    many = (
        next((item for item in items if item.code in _MANY), None) if part["count"] or part["many"] else None
    )
    if way is None:
        return None
    if not part["word"]:
        return _alone(way, many, subject, part, items)
    if many is not None or way == "may" or part["row"]:
        return None
    key = _key(way.removeprefix("may "), part, match)
    if key is None or (part["which"] == "latest") != key.endswith("latest"):
        return None
    if part["word"] in ("if", "when") and len(x) > 1:
        names = " and ".join(calls.text for item in x for calls in item.calls)
        why = f'"{part["word"]} {names}" could mean both or each; write one sentence for each, or use "or"'
        raise SentenceError((x[0].span[0], x[-1].span[1]), why, (f"one set of calls after {part['word']}",))
    made = []
    for meaning in MEANINGS[key].split(" | "):
        kind, one, _ = meaning.split()
        sides = (subject, x) if one == "s" else (x, subject)
        drafts = tuple(_drafts("not before" if key == "not before" else kind, *sides, items))
        if kind == "latest" and drafts[0].condition is None:
            return None
        made.append(drafts)
    return tuple(made)


_MANY = ("COUNT", "REPEAT", "COUNT_OF", "COUNT_AMONG")


def _key(way: str, part: Mapping[str, str], match: re.Match[str]) -> str | None:
    """Return the key of MEANINGS for these parts of a sentence, or None."""
    fronted = "front0" in match.groupdict()
    limit, right = ("WITHIN " if part["limit"] else ""), ("right " if part["right"] else "")
    base = f"{way} {limit}{right}{part['word']}".replace("WITHIN", "within")
    past = part["past"].startswith("did_")
    said = [
        part["which"],
        "done" if past else "",
        part["late"],
        part["says"].split(" ")[-1],
        "front" if fronted else "",
    ]
    if base == "do before" and part["all"]:
        return None
    if base == "do right after" and part["act"] == "do":
        said.append("front")  # "Call B right after A" may be about each A, too
    keys = [f"{base} {one}" for one in said if one and f"{base} {one}" in MEANINGS]
    return keys[0] if keys else base if base in MEANINGS else None


def _way(act: str, verb: str, only: bool) -> str | None:
    """Return what a main clause does with its calls: do, not, only, may, or "may only"; None if it says nothing."""
    if act.endswith("neither") or act.startswith("no_way"):
        act = "no"
    elif act in ("may", "must", "can", "should", "shall", "will"):
        act = ""
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
    nothing = part["act"] in ("", "no") and not part["verb"] and many is None
    if nothing or part["verb"].endswith("comes") or part["limit"] or part["row"] or part["late"] == "earlier":
        return None
    if (forbids and "both" in part["says"]) or (many is None and part["all"] and not forbids):
        return None
    if (many is not None and many.code == "COUNT_AMONG") or any(item.code == "together" for item in items):
        subject = [joined(subject)]
    if many is None and (way not in ("do", "not") or (part["act"] == "not_do" and len(subject) > 1)):
        return None
    if many is not None and way == "only" and many.low == many.high:
        return tuple(tuple(_numbers([(kind, many.high)], subject, many)) for kind in ("absence", "exactly"))
    bounds = _bounds(way, many)
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
