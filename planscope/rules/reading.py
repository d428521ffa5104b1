"""Reads a file of rules: special sentences by their shape, order sentences with the query language's reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from planscope.language.errors import ParseError, ParseFailure
from planscope.language.problem import Action, Span
from planscope.rules.rule import Calls, Kind, Rule, RuleFile
from planscope.rules.scan import Item, Items, Scanner, SentenceError, Token, sentences

__all__ = ["read_rules"]

MAX_TEXT = 1_000_000
MAX_RULES = 10_000
MAX_ERRORS = 200
MOST = 1_000
"""The limit for a number of calls, times, seconds or minutes; the least is 1."""

LIST = r"(?:(?:both )?S(?: (?:, and|and|,) S)*)"
HAPPENS = "V0"
NOT = (
    r"(?:(?:must|should|may|can|do|does|shall|will) (?:not|never)"
    r"|never|don't|doesn't|mustn't|shouldn't|cannot|can't)"
)
NEVER = rf"(?:{NOT} {HAPPENS}|NOT_V0)"
RIGHT = r"(?:right|immediately|directly)"
UNIT = r"(?P<unit>calls?|seconds?|minutes?)"
COUNT = r"(?P<how>at least|at most|exactly|no more than)? ?(?:(?P<n>N) times?|(?P<word>once|twice))"


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a sentence, over the codes of its items."""

    kind: Kind
    pattern: re.Pattern[str]


def _shape(kind: Kind, pattern: str) -> Shape:
    pattern = pattern.replace("<first>", f"(?P<first>{LIST})").replace("<then>", f"(?P<then>{LIST})")
    return Shape(kind, re.compile(pattern))


SHAPES: tuple[Shape, ...] = (
    _shape("alternate_precedence", r"(?:every|each) <then> has its own <first> before it"),
    _shape(
        "chain_response",
        rf"(?:every|each) <first> (?:is|are|must be) (?:{RIGHT} followed by|followed (?:{RIGHT}|right away) by) <then>",
    ),
    _shape("within", rf"(?:every|each) <first> FOLLOWED <then> within N {UNIT}"),
    _shape("within", rf"<then> {HAPPENS} within N {UNIT} after <first>"),
    _shape("response", r"(?:every|each) <first> FOLLOWED <then>"),
    _shape("chain_precedence", rf"<then> (?:{HAPPENS}|comes|come|is|are|must come) {RIGHT} after <first>"),
    _shape("not_succession", rf"<then> (?:{NEVER}|{NOT} come) (?:after|before) <first>"),
    _shape("not_succession", r"(?:never|do not|don't) (?:call|use) <then> (?:after|before) <first>"),
    _shape("never", rf"<first> {NEVER}"),
    _shape("absence", rf"<first> {NEVER} more than (?:(?P<n>N) times?|(?P<word>once|twice))"),
    _shape("never", r"(?:never|do not|don't) (?:call|use) <first>"),
    _shape("not_coexistence", rf"if <first> {HAPPENS} ?,?(?: then)? <then> {NEVER}"),
    _shape("responded_existence", rf"if <first> {HAPPENS} ?,?(?: then)? <then> {HAPPENS}"),
    _shape("existence", rf"<first> {HAPPENS}(?: {COUNT})?"),
    _shape("first", rf"<first> (?:{HAPPENS}|comes|come|is|are|must come|must be) first"),
    _shape("last", rf"<first> (?:{HAPPENS}|comes|come|is|are|must come|must be) last"),
    _shape("init", r"the first call (?:is|must be) <first>"),
    _shape("end", r"the last call (?:is|must be) <first>"),
    _shape("latest", rf"<then>(?: {HAPPENS})? only if the (?:latest|last) <first> COND"),
)

READS = re.compile(rf"(?P<first>{LIST}) only reads?")
WRITES = re.compile(rf"(?P<first>{LIST}) writes?")


def read_rules(text: str, tools: Collection[str] = ()) -> RuleFile:
    """Read a file of rules. ``tools``: known names, which may be written with blanks and in another case.

    Raises ParseFailure with an error for each sentence that cannot be read.
    """
    if len(text) > MAX_TEXT:
        message = f"the file is longer than {MAX_TEXT:,} characters"
        raise ParseFailure([ParseError(1, 1, "", ("a shorter file",), message, (0, 0))])
    scanner = Scanner(text, tools)
    rules: list[Rule] = []
    marks: dict[str, list[Calls]] = {"reads": [], "writes": []}
    errors: list[ParseError] = []
    for row in sentences(text):
        try:
            _sentence(scanner, row, rules, marks)
        except SentenceError as error:
            errors.append(_located(text, error))
            if len(errors) == MAX_ERRORS:
                break
        if len(rules) > MAX_RULES:
            raise ParseFailure(
                [
                    *errors,
                    _located(
                        text, SentenceError((row[0].start, row[0].end), f"more than {MAX_RULES:,} rules")
                    ),
                ]
            )
    if errors:
        raise ParseFailure(errors)
    return RuleFile(text, tuple(rules), tuple(marks["reads"]), tuple(marks["writes"]))


def _located(text: str, error: SentenceError) -> ParseError:
    start, end = error.span
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return ParseError(
        line, column, text[start:end], error.expected, error.message, error.span, error.readings
    )


def _sentence(scanner: Scanner, row: list[Token], rules: list[Rule], marks: dict[str, list[Calls]]) -> None:
    """Read one sentence and add its rules or its marks. Raises SentenceError."""
    text = scanner.text
    name, row = _named(text, row)
    if row and row[0].text == "-":
        row = row[1:]
    if not row:
        return
    span = row[0].start, row[-1].end
    found = scanner.items(row)
    found.items = _ors(text, found.items)
    codes = " ".join(item.code for item in found.items)
    for mark, pattern in (("reads", READS), ("writes", WRITES)):
        if match := pattern.fullmatch(codes):
            marks[mark] += [c for item in _group(found.items, match, "first") for c in item.calls]
            return
    line = text.count("\n", 0, span[0]) + 1

    def add(kind: Kind, first: Item, then: Item | None, **more: object) -> None:
        spans = (first.span,) if then is None else (first.span, then.span)
        if kind in ("init", "end") and any(c.is_user for c in first.calls):
            raise SentenceError(first.span, "a user message is not a call")
        rules.append(
            Rule(
                f"c{len(rules) + 1}",
                kind,
                first.calls,
                then.calls if then else (),
                per=found.per,
                per_then=found.per_then,
                name=name,
                text=_words(text, span),
                line=line,
                span=span,
                spans=spans,
                **more,  # type: ignore[arg-type]
            )
        )

    for shape in SHAPES:
        match = shape.pattern.fullmatch(codes)
        if match:
            _special(text, shape, match, found, add)
            return
    for first, then in _orders(text, span, found):
        add("precedence", first, then)


def _named(text: str, row: list[Token]) -> tuple[str | None, list[Token]]:
    """Return the name before the sentence, if it has one, and the rest."""
    for k, token in enumerate(row[:12]):
        if token.text == ":" and k:
            name = _words(text, (row[0].start, row[k - 1].end))
            glued = k + 1 < len(row) and row[k + 1].start == token.end and row[k - 1].end == token.start
            if not glued:
                if k + 1 == len(row):
                    raise SentenceError((token.start, token.end), "a name without a sentence")
                return name, row[k + 1 :]
        if token.kind not in ("word", "number") and token.text not in "-/._":
            break
    return None, row


def _words(text: str, span: Span) -> str:
    return " ".join(text[span[0] : span[1]].split())


def _ors(text: str, items: list[Item]) -> list[Item]:
    """Join every list with "or" into one set. Raises SentenceError if "and" and "or" are mixed."""
    found: list[Item] = []
    items = [item for item in items if item.code != "either"]
    k = 0
    while k < len(items):
        if items[k].code != "S":
            found.append(items[k])
            k += 1
            continue
        end = k + 1
        fronted = bool(found) and found[-1].code not in (
            "every",
            "each",
            "is",
            "are",
            "call",
            "by",
            "FOLLOWED",
            "VP",
        )
        joins: list[str] = []
        while end < len(items):
            step = 0
            codes = [item.code for item in items[end : end + 3]]
            if codes[:2] in (["or", "S"], ["and", "S"]):
                step = 2
            elif codes == [",", "or", "S"]:
                step = 3
            elif codes[:2] == [",", "S"] and not fronted:
                step = 2
            if not step:
                break
            joins.append(codes[step - 2])
            end += step
        sets = [item for item in items[k:end] if item.code == "S"]
        if "or" not in joins:
            found += items[k:end]
        elif "and" in joins:
            raise _mixed(text, sets, joins)
        else:
            span = sets[0].span[0], sets[-1].span[1]
            found.append(Item("S", span, tuple(c for item in sets for c in item.calls)))
        k = end
    return found


def _mixed(text: str, sets: Sequence[Item], joins: Sequence[str]) -> SentenceError:
    """Return the error for "A and B or C", with both readings."""
    names = [_words(text, item.span) for item in sets]
    plain = [join if join in ("and", "or") else "," for join in joins]
    ands = _bracketed(names, plain, "and")
    ors = _bracketed(names, plain, "or")
    span = sets[0].span[0], sets[-1].span[1]
    return SentenceError(
        span,
        f'"and" and "or" are mixed: it could mean {ands} or {ors}; write two sentences',
        ("one of the two readings, in sentences of their own",),
        (ands, ors),
    )


def _bracketed(names: Sequence[str], joins: Sequence[str], tight: str) -> str:
    """Return the list with brackets around the parts that ``tight`` joins."""
    groups: list[list[str]] = [[names[0]]]
    between = []
    for join, name in zip(joins, names[1:], strict=True):
        if join == tight:
            groups[-1].append(name)
        else:
            between.append(join)
            groups.append([name])
    parts = [group[0] if len(group) == 1 else f"({f' {tight} '.join(group)})" for group in groups]
    return "".join(
        (part if k == 0 else f", {part}" if between[k - 1] == "," else f" {between[k - 1]} {part}")
        for k, part in enumerate(parts)
    )


def _group(items: Sequence[Item], match: re.Match[str], name: str) -> list[Item]:
    """Return the sets that a group of the shape matched."""
    if name not in match.re.groupindex:
        return []
    begin = match.string.count(" ", 0, match.start(name))
    size = match[name].count(" ") + 1
    return [item for item in items[begin : begin + size] if item.code == "S"]


def _special(text: str, shape: Shape, match: re.Match[str], found: Items, add: Callable[..., None]) -> None:
    """Add the rules of a special sentence, one for each pair of its lists."""
    kind = shape.kind
    first, then = _group(found.items, match, "first"), _group(found.items, match, "then")
    more: dict[str, object] = {}
    whole = found.items[0].span[0], found.items[-1].span[1]
    if kind == "existence":
        kind, count = _counted(found.items, match, match["how"])
        more["count"] = count
    elif kind == "absence":
        more["count"] = _counted(found.items, match, "at most")[1]
    elif kind == "within":
        number = next(item for item in found.items if item.code == "N")
        count = _number(number)
        unit = "calls" if match["unit"].startswith("call") else "seconds"
        more = {"count": count * 60 if match["unit"].startswith("minute") else count, "unit": unit}
    elif kind == "not_succession" and any(item.code == "before" for item in found.items):
        first, then = then, first
    elif kind == "latest":
        more["condition"] = next(item.condition for item in found.items if item.code == "COND")
    elif kind in ("not_coexistence", "responded_existence") and len(first) > 1:
        names = [_words(text, item.span) for item in first]
        raise SentenceError(
            (first[0].span[0], first[-1].span[1]),
            f'"if {" and ".join(names)}" could mean both or each; write one sentence for each, or use "or"',
            ("one set of calls after if",),
        )
    if kind == "latest" and any(c.is_user for item in first for c in item.calls):
        raise SentenceError(whole, "a user message has no answer")
    if kind in ("init", "end") and len(first) > 1:
        raise SentenceError(whole, 'one call cannot be both; write "or"', ('"or"',))
    others: list[Item | None] = [*then] or [None]
    for one, other in product(first, others):
        add(kind, one, other, **more)


def _counted(items: Sequence[Item], match: re.Match[str], how: str | None) -> tuple[Kind, int]:
    """Return the kind and the number of "A happens at most 2 times"."""
    word = match["word"]
    if word is None and match["n"] is None:
        return "existence", 1
    count = {"once": 1, "twice": 2}[word] if word else _number(next(i for i in items if i.code == "N"))
    if how in ("at most", "no more than"):
        return "absence", count
    return ("existence" if how == "at least" else "exactly"), count


def _number(item: Item) -> int:
    if not item.number.is_integer() or not 1 <= item.number <= MOST:
        raise SentenceError(item.span, f"a number is whole, from 1 to {MOST:,}", (f"1 to {MOST:,}",))
    return int(item.number)


def _orders(text: str, span: Span, found: Items) -> Iterator[tuple[Item, Item]]:
    """Return the pairs of an order sentence, each the earlier set and the later one.

    The sets are replaced by names of actions, and the query language reads the sentence.
    """
    from planscope.language.reading import read_query
    from planscope.language.tree import NP, Clause, Relative

    pieces: list[str] = []
    places: list[tuple[int, int, Span]] = []
    actions: list[Action] = []
    sets: dict[str, Item] = {}
    size = 0
    for item in found.items:
        if item.code == "S":
            name = "x" + "".join(chr(ord("a") + int(d)) for d in str(len(actions) + 10))
            actions.append(Action(name, name, name))
            sets[name] = item
            piece = name
        else:
            piece = text[item.span[0] : item.span[1]]
        if pieces and not (item.code in (",", ";") or pieces[-1] == ""):
            pieces.append(" ")
            size += 1
        places.append((size, size + len(piece), item.span))
        pieces.append(piece)
        size += len(piece)
    if len(found.items) == 1 and sets:
        only = _words(text, span)
        raise SentenceError(
            span, f'there is no verb: "{only}" was read as one name', ("a verb such as happens",)
        )
    if not sets:
        raise SentenceError(span, "there is no tool in this sentence", ("a tool's name",))
    written = "".join(pieces) + "."
    try:
        reading = read_query(written, actions, natural=False)
    except ParseFailure as failure:
        raise _mapped(text, failure.errors[0], places, sets, span) from None
    for sentence in reading.tree.sentences:
        for clause in sentence.clauses:
            assert isinstance(clause, Clause), "natural sentences are not asked for"
            relatives = [np.relative for np in (clause.subject, clause.object) if isinstance(np, NP)]
            parts: list[Clause | Relative] = [clause, *(r for r in relatives if r is not None)]
            followed = any(
                word.entry in ("be followed by", "be succeeded by") for part in parts for word in part.words
            )
            if followed or (clause.relation == ">" and clause.form in ("fronted", "fronted_compound")):
                orders = [c for c in reading.problem.constraints if c.kind == "order"]
                earlier, later = (
                    _words(text, sets[str(a)].span) for a in (orders[0].before, orders[0].after)
                )
                readings = (f"Every {earlier} is followed by {later}.", f"{earlier} comes before {later}.")
                raise SentenceError(
                    span,
                    f'this could mean "{readings[0]}" (each {earlier} needs a later {later}) or "{readings[1]}" '
                    f"(each {later} needs an earlier {earlier}); write one of them",
                    ("one of the two readings",),
                    readings,
                )
    for constraint in reading.problem.constraints:
        if constraint.kind == "order":
            yield sets[str(constraint.before)], sets[str(constraint.after)]


def _mapped(
    text: str,
    error: ParseError,
    places: Sequence[tuple[int, int, Span]],
    sets: dict[str, Item],
    span: Span,
) -> SentenceError:
    """Move an error of the query language's reader to its place in the file, with the names of the file."""
    touched = [place for begin, end, place in places if begin < error.span[1] and end > error.span[0]]
    where = (touched[0][0], touched[-1][1]) if touched else (span[1], span[1])

    if "clock times" in error.message:
        return SentenceError(
            where, 'rules have no clock times; "within 30 seconds" is read', ('"within 30 seconds"',)
        )

    def named(words: str) -> str:
        return re.sub(
            r"\bx[b-j][a-j]+\b", lambda m: _words(text, sets[m[0]].span) if m[0] in sets else m[0], words
        ).replace("an action", "a tool")

    return SentenceError(
        where, named(error.message), tuple(map(named, error.expected)), tuple(map(named, error.readings))
    )
