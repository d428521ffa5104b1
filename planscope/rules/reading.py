"""Reads a file of rules: the tools that it declares, then its sentences, by the table of constructions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice, pairwise, product

from planscope.language import english
from planscope.language.calls import Calls, CallSet, Combined, Condition, Path, compares, path_text
from planscope.language.cuts import Cut, Paths, Scanner, SentenceError, Token, sentences
from planscope.language.errors import ParseError, ParseFailure
from planscope.language.inflection import singular
from planscope.language.problem import Span
from planscope.language.resolve import parted, plain, plainer, pointed, readings
from planscope.language.rule_skeleton import by_roles, named_after
from planscope.language.scan import words_of
from planscope.language.shapes import ANY_LIST, Draft, Meaning, group
from planscope.rules.kinds import KINDS
from planscope.rules.pattern import pattern
from planscope.rules.refusals import low, refused, two_ways
from planscope.rules.rule import Rule, RuleFile, loose
from planscope.rules.words import meaning, sentence_of, tool_text

__all__ = ["read_rules"]


_UNSAID = re.compile(
    r"\b(?:only (?:if|when|after|once)|unless) (?:all|every|each|the first) .*\b(?:had|has|have|succeed\w*|fail\w*)\b"
    r"|\b(?:not|never|no|t) both .* (?:before|after|until|unless) "
    r"|\b(?:no|never|not) .* before .* but (?:only )?after "
    r"|[;,] (?:but |and |though )?(?:the )?\S+ (?:must|may|should|can|shall|need|do|does|is|are) not$"
)
"""A condition on each call, or on the first, which no rule has; what denies two things at once, or may."""
_OPEN_END = re.compile(
    r"(?:if|when|where|without) (?:there is )?(?:no|a later|any) [^;]* (?:fine|ok|okay|allowed|permitted)$"
)
"""What says of "until" that without an end nothing is forbidden."""
_EACH_TOOL = re.compile(
    r"\b(?:no|each|every|any|all)\b(?: [^ ]+){0,2} tools?\b|\* tools?\b"
    rf"|\b(?:[0-9]+|{'|'.join(english.NUMBERS)}|several|more|fewer) (?:other |different )?tools?\b(?! calls?\b)"
)
"""Tools of a set, of which each may be meant by itself ("no tool other than A may be called twice"), or which are
counted instead of their calls."""
MAX_TEXT = 1_000_000
MAX_RULES = 10_000
MAX_ERRORS = 200

_NEAR = frozenset(("chain_response", "chain_precedence", "not_within", "in_row"))
"""Kinds that say how near calls are to each other."""
_MARKS = {
    "reads": re.compile(rf"(?P<first>{ANY_LIST}) only_reads"),
    "writes": re.compile(rf"(?P<first>{ANY_LIST}) writes"),
    "tools": re.compile(rf"(?P<first>{ANY_LIST}) is_tool"),
}
"""Sentences that mark tools and declare them."""
_MARKING = frozenset({"tool", "tools", "reads", "read", "writes", "write"})
"""The last words of such sentences."""


@dataclass(slots=True)
class _File:
    """What was read of a file so far. ``turned``: sentences such as "Never A before B", each with its rule."""

    scanner: Scanner
    rules: list[Rule] = field(default_factory=list)
    marks: dict[str, list[Calls]] = field(default_factory=lambda: {mark: [] for mark in _MARKS})
    errors: list[ParseError] = field(default_factory=list)
    turned: list[Rule] = field(default_factory=list)

    @property
    def declared(self) -> tuple[str, ...]:
        """The tools that the file declares."""
        calls = (c for some in self.marks.values() for c in some)
        return tuple(dict.fromkeys(c.name for c in calls if c.name and not c.is_glob))

    def warnings(self) -> Iterator[str]:
        """Yield a line for each heading, for each rule that may be meant for each thing by itself, and one about
        sentences that were read in another way until 2026."""
        for number, line in enumerate(self.scanner.text.splitlines(), 1):
            if line.lstrip().startswith("##"):
                yield f'line {number}: the heading "{line.strip("# ")}" is left out, as comments are'
        for rule in self.rules:
            if rule.per and (rule.kind in _NEAR or (rule.kind == "within" and not rule.seconds)):
                names = " and ".join(map(path_text, rule.per))
                yield (
                    f'line {rule.line}: "{rule.text}" looks only at calls with the same {names}; calls with another '
                    f"{names}, or none, may stand between them"
                )
            if thing := _same_thing(rule):
                each = sentence_of(replace(rule, per=((thing,),)))
                yield (
                    f'line {rule.line}: "{rule.text}" is read as of any {thing}: "{sentence_of(rule)}"; for each '
                    f'{thing} by itself, say which argument names it, such as "{each}"'
                )
        if self.turned:
            rule, *others = self.turned
            other = replace(rule, kind="not_succession", first=rule.then, then=rule.first)
            if rule.per_then:
                other = replace(other, per=rule.per_then, per_then=rule.per)
            more = f"; so {'is' if len(others) == 1 else 'are'} {len(others)} more" if others else ""
            yield (
                f'line {rule.line}: "{rule.text}" is read as "{sentence_of(rule)}" ({low(meaning(rule))}){more}; '
                f'the other reading is "{sentence_of(other)}" ({low(meaning(other))})'
            )


def _same_thing(rule: Rule) -> str:
    """Return what "it" or "the file" is in "A file is read before it is edited", if the tools name it, too; else an
    empty text."""
    if rule.per or not rule.then:
        return ""
    sides = [
        {word for calls in side for word in words_of(calls.name or "")} for side in (rule.first, rule.then)
    ]
    text = rule.text.casefold()
    if (
        (thing := _thing(text))
        and re.search(r" (?:it|its|they|them)\b", text)
        and [thing] not in map(list, sides)
    ):
        return thing
    return next(
        (
            word
            for word in map(singular, re.findall(r"\b[^\W_]+\b", text))
            if all(word in side for side in sides)
            and len(word) > 2
            and re.search(rf"\b(?:its?|they|them)\b|\b(?:the|that|this) {word}\b", text)
        ),
        "",
    )


_SUBJECT = re.compile(
    r"(?:each|every|no|any|an?|the same) (?P<noun>(?!(?:run|trace|session|conversation|agent|assistant|model|bot|call|"
    r"tool|step|action|message|turn|other|one)\b)[^\W\d_]+) "
    r"(?:is|are|gets?|may|must|mustn't|can|can't|cannot|should|shouldn't|shall|will|has to|have to|needs? to)\b"
)
"""What a sentence begins with: "no order may ..."."""


def _thing(sentence: str) -> str:
    """Return the thing of which a sentence in lower case speaks, each by itself: "order" of "no order may be refunded
    twice"; else an empty text."""
    match = _SUBJECT.match(sentence)
    return match["noun"] if match else ""


def _counted_for(file: _File, drafts: Meaning, span: Span) -> tuple[Path, ...]:
    """Return the argument by which calls are counted in "no order may be refunded twice": its subject is none of the
    calls. Raises SentenceError where all such things would have to be known."""
    match = _SUBJECT.match(file.scanner.text[slice(*span)].casefold())
    if match is None or not all(draft.count and draft.then is None for draft in drafts):
        return ()
    thing, end = match["noun"], span[0] + match.end("noun")
    if (thing,) in file.scanner.names.known:
        return ()
    if any(draft.first.span[1] <= end for draft in drafts):
        return ()
    if any(draft.kind == "existence" for draft in drafts):
        raise SentenceError(span, f"a trace does not show each {thing} that there is")
    return ((thing,),)


def read_rules(text: str, tools: Collection[str] = ()) -> RuleFile:
    """Read a file of rules. ``tools``: known names, besides those that the file declares.

    Raises ParseFailure with an error for each sentence that cannot be read.
    """
    if len(text) > MAX_TEXT:
        message = f"the file is longer than {MAX_TEXT:,} characters"
        raise ParseFailure([ParseError(1, 1, "", ("a shorter file",), message, (0, 0))])
    rows = list(_without_headings(sentences(text)))
    file = _File(Scanner(text, {*tools, *_declared(text, rows)}))
    for row in rows:
        try:
            _sentence(file, row)
        except SentenceError as error:
            file.errors.append(_located(text, error))
            if len(file.errors) == MAX_ERRORS:
                break
        if len(file.rules) > MAX_RULES:
            many = SentenceError((row[0].start, row[0].end), f"more than {MAX_RULES:,} rules")
            raise ParseFailure([*file.errors, _located(text, many)])
    if file.errors:
        raise ParseFailure(file.errors)
    marks = file.marks
    return RuleFile(
        text,
        tuple(file.rules),
        tuple(marks["reads"]),
        tuple(marks["writes"]),
        file.declared,
        tuple(file.warnings()),
    )


def _without_headings(rows: Iterable[list[Token]]) -> Iterator[list[Token]]:
    """Leave out "Rules:" before a list, and the marks of its items."""
    for row in rows:
        if english.late(english.HEADING).fullmatch(" ".join(token.key for token in row)):
            continue
        words = [token.key for token in row]
        star = (
            words[0] == "*" and len(row) > 1 and row[1].start > row[0].end and english.verb(words[1:]) is None
        )
        if star or words[0] == "-":
            row = row[1:]
        elif row[0].kind == "number" and words[1:2] in ([], [")"]):
            row = row[2:]
        if row:
            yield row


def _declared(text: str, rows: Sequence[list[Token]]) -> tuple[str, ...]:
    """Return the names of tools that the file declares: "X is a tool.", "X writes.", "X only reads."."""
    file = _File(Scanner(text))
    for row in rows:
        if row[-1].key in _MARKING:
            with suppress(SentenceError):
                _sentence(file, row)
    return file.declared


def _located(text: str, error: SentenceError) -> ParseError:
    start, end = error.span
    line = text.count("\n", 0, start) + 1
    column = start - text.rfind("\n", 0, start)
    return ParseError(
        line, column, text[start:end], error.expected, error.message, error.span, error.readings
    )


Way = list[tuple[Rule, bool]]
"""The rules of one meaning, each with whether it is turned (see ``Draft``)."""


def _sentence(file: _File, row: list[Token]) -> None:
    """Read one sentence and add its rules or its marks. Raises SentenceError."""
    name, rest = _named(file.scanner.text, row)
    label = row[: len(row) - len(rest) - 1] if name is not None else []
    more, ways = name is not None and _says_more(file, label, rest), [(name, rest)]
    if name is not None and loose(name) in map(loose, file.scanner.tools):  # "refund: at most once"
        ways = [(None, [*label, *rest]), (None, row), *([] if more else ways)]
    elif more:
        ways = [(None, row)]
    elif name is not None:  # "A and B exclude each other: never call both"
        ways.append((None, row))
    errors = []
    for own, some in ways if rest else ():
        try:
            return _named_sentence(file, own, some)
        except SentenceError as error:
            errors.append(error)
    brief = len(label) < _SHORT and (len(label) < 2 or label[0].key not in _CONDITIONS)
    if len(errors) == 1 and more and brief and not errors[0].readings:
        slug = "-".join([*str(name).split(), *(["rule"] if len(label) == 1 else [])]).lower()
        why = f'"{name}" may say more than a name does; say it in the sentence, or write "{slug}: ..."'
        raise SentenceError((row[0].start, label[-1].end), why)
    if errors:
        raise errors[0 if ways[0][0] is name else -1]


def _says_more(file: _File, label: Sequence[Token], rest: Sequence[Token]) -> bool:
    """Return whether what stands before a colon is more than a name: a condition, a judgement, whom a rule is for, or
    a tool that the rest does not name ("large refunds: lookup first"). Words with hyphens between them are a name."""
    keys = {one.key for one in label}
    if "-" in keys and label[-1].end - label[0].start == sum(len(one.text) for one in label):
        return False
    said = {word for one in rest for word in one.key.split("_")}
    named, others = (_tools(file, some) for some in (label, rest))
    return bool(
        (len(label) > 1 and label[0].key in _CONDITIONS)
        or (keys <= _JUDGING | _RULE and not keys <= _RULE)
        or (_CASES & keys) - said
        or len(named) > 1
        or ("*" not in said and named - others)
    )


def _tools(file: _File, row: Sequence[Token]) -> set[str | None]:
    """Return the tools that some words name, in other words too."""
    cuts = file.scanner.cuts(row, inflected=True)
    found: set[str | None] = {one.calls.name for at in range(len(cuts.row)) for one in cuts.names(at)}
    return found.union(one.text.strip("`") for one in row if one.kind == "quoted")


def _named_sentence(file: _File, name: str | None, row: list[Token]) -> None:
    span = row[0].start, row[-1].end
    if reading := plain(file.scanner, row):
        file.rules += _rules(file, reading.meanings[0], reading.per, name, span)
        return
    _, ways, error = _read(file, name, row)
    line = file.scanner.text.count("\n", 0, span[0]) + 1
    kinds = {rule.kind for rule in file.rules if rule.line == line} | {rule.kind for rule, _ in ways}
    if "after_until" in kinds and _OPEN_END.search(" ".join(one.key for one in row)):
        raise SentenceError(span, 'without an end nothing is forbidden; write "between A and the next C"')
    if error:
        raise error
    file.turned += [rule for rule, turned in ways if turned][:1]
    file.rules += [rule for rule, _ in ways]


def _read(file: _File, name: str | None, row: list[Token]) -> tuple[float, Way, SentenceError | None]:
    """Return how many unknown names the reading of a sentence in plainer words has, its rules, and why it has none.
    What asks for nothing has no rules; what marks tools is noted."""
    span = row[0].start, row[-1].end
    if not (row := plainer(file.scanner, row)):
        return 0, [], None
    cuts = file.scanner.cuts(row)
    some = list(cuts)
    for cut in some if row[-1].key in _MARKING else ():
        codes = " ".join(item.code for item in cut.items)
        for mark, marking in _MARKS.items():
            if match := marking.fullmatch(codes):
                file.marks[mark] += [c for item in group(cut.items, match, "first") for c in item.calls]
                return 0, [], None
    try:
        cost, ways = _ways(file, row, name)
        if cost and file.scanner.tools and (clauses := _of_clauses(file, row, name)):
            cost, ways = 0, clauses
    except SentenceError as error:
        return 0, [], error
    if ways == [[]] and file.rules:
        return 0, [], None  # "If no B follows, A is fine" asks for nothing
    ways = [way for way in ways if way]
    globs = {c.name for way in ways for rule, _ in way if rule.count for c in rule.first if c.is_glob}
    if globs and _EACH_TOOL.search(" ".join(one.key for one in row)):
        call = "any call" if min(globs) == "*" else f"any call of {min(globs)}"
        why = f'tools are counted together; write a sentence for each tool, or "{call}" for them all'
        return 0, [], SentenceError(span, why)
    if not ways:
        return 0, [], refused(cuts, some, _nearest(file, row, some))
    if cost and (unclear := _unclear(file, row, ways[0])):
        return cost, [], unclear
    if len(ways) > 1:
        return cost, [], two_ways(span, [[rule for rule, _ in way] for way in ways], file.scanner.tools)
    return cost, ways[0], None


def _unclear(file: _File, row: Sequence[Token], way: Way) -> SentenceError | None:
    """Return the error of a word that is no tool and may mean one: "a refund", and "closed" of `close_valve`."""
    names = {one.name for rule, _ in way for one in rule.sets} - {*file.scanner.tools}
    for before, noun in pairwise(row):
        if (
            (before.key in _DETERMINING or noun.key.endswith(("ed", "ing")))
            and noun.text in names
            and (some := named_after(file.scanner, noun.key))
        ):
            why = f'"{noun.text}" is no tool; is it {" or ".join(f"`{one}`" for one in some)}?'
            return SentenceError((noun.start, noun.end), why, tuple(f"`{one}`" for one in some))
    return None


_DETERMINING = english.words("a an the no any every each not never")


def _nearest(file: _File, row: list[Token], cuts: Sequence[Cut]) -> str:
    """Return what would have to be left out for a sentence to be read, and how it is read then; "" if nothing would do.
    Where no tools are known, the names in a cut are taken for tools. What a number counts is not left out."""
    named = {calls.name for cut in cuts[:1] for item in cut.items for calls in item.calls if calls.name}
    scanner = file.scanner if file.scanner.tools else Scanner(file.scanner.text, named)
    left: list[str] = []
    for reading in by_roles(scanner, row, left):
        rules = _rules(file, reading.meanings[0], reading.per, None, (row[0].start, row[-1].end))
        names = {one.name for rule in rules for one in rule.sets if one.name and not one.is_glob}
        words = " ".join(left)
        counted = any(
            (one.kind == "number" or one.key in english.NUMBERS) and other.key in words.casefold().split()
            for one, other in pairwise(row)
        )
        if left and not counted and len(rules) == 1 and names <= set(scanner.tools):
            return f'without "{words}": "{sentence_of(rules[0])}"'
    return ""


def _ways(file: _File, row: list[Token], name: str | None) -> tuple[float, list[Way]]:
    """Return how many unknown names the readings of some words have, and the rules of each of their meanings."""
    span = row[0].start, row[-1].end
    if _UNSAID.search(" ".join(one.key for one in row)):
        return 0, []
    cost, found = readings(file.scanner, row)
    if (cost or not found) and (by_role := by_roles(file.scanner, row)):
        cost, found = 0, by_role
    return cost, [
        list(zip(_rules(file, one, reading.per, name, span), (d.turned for d in one), strict=True))
        for reading in found
        for one in reading.meanings
    ]


MOST_WAYS = 16
"""So many combinations of the meanings of clauses are compared."""


def _of_clauses(file: _File, row: list[Token], name: str | None) -> list[Way]:
    """Return the meanings of a sentence whose clauses are read one by one: all that they say counts. A rule that the
    others imply says nothing more. None of the clauses may name an unknown tool."""
    for some, scoped in parted(file.scanner, row):
        parts = [part for part in (plainer(file.scanner, one) for one in some) if part]
        if any(_short_of(before, part) for before, part in pairwise(parts)):
            continue
        found = list(_each(file, parts, name))
        if len(found) == len(parts):
            ways = islice(product(*found), MOST_WAYS)
            return _agreeing(
                file, [(list(chain(*way)), len(way[0]) if scoped else MAX_RULES) for way in ways]
            )
    return []


def _short_of(before: Sequence[Token], part: Sequence[Token]) -> bool:
    """Return whether a clause may lack a verb of the one before: "A is followed by B, but never C"."""
    followed = not _FOLLOWED.isdisjoint(one.key for one in before)
    return followed and part[0].key in ("never", "not") and len(part) < _SHORT


_FOLLOWED = english.words("followed preceded follow follows precede precedes")
_SHORT = 5


def _each(file: _File, parts: Sequence[list[Token]], name: str | None) -> Iterator[list[Way]]:
    """Yield the meanings of each clause, up to the first that cannot be read."""
    for k, part in enumerate(parts):
        cost, ways = _ways(file, part, name)
        if cost and k:
            pointing = [_ways(file, one, name) for one in pointed(file.scanner, part, parts[k - 1])]
            ways = [way for cost_so, some in pointing for way in some if not cost_so]
            cost = 0 if ways else cost
        if cost:
            return
        yield ways


def _agreeing(file: _File, ways: Sequence[tuple[Way, int]]) -> list[Way]:
    """Return the different meanings among some, each without the rules that its others imply. ``ways``: each with
    how many of its first rules may be left. One that makes a call impossible which no clause forbids is not meant."""
    from planscope.rules.checking import examine, implied_by

    found: list[Way] = []
    for way, most in ways:
        numbered = _numbered(file, way)
        seen = examine([rule for rule, _ in numbered])
        implied = {one for one, _ in seen.implied}
        if (
            not way
            or seen.contradiction
            or (seen.uncallable and all(rule.kind != "never" for rule, _ in way))
        ):
            continue
        left = [one for one in numbered if one[0].id not in implied]
        rules = [rule for rule, _ in left]
        if any(one not in numbered[:most] for one in left):
            continue
        if not any(
            all(implied_by(rule, [r for r, _ in other]) is not None for rule in rules)
            and all(implied_by(rule, rules) is not None for rule, _ in other)
            for other in found
        ):
            found.append(_numbered(file, left))
    return found


def _numbered(file: _File, way: Way) -> Way:
    """Return rules that are numbered after those that the file has."""
    return [(replace(rule, id=f"c{k}"), turned) for k, (rule, turned) in enumerate(way, len(file.rules) + 1)]


def _rules(
    file: _File, drafts: Meaning, per: tuple[Paths, Paths], name: str | None, span: Span
) -> list[Rule]:
    """Return the rules of one meaning of a sentence, numbered after those that the file has. Raises SentenceError."""
    text = file.scanner.text
    counted = () if per[0] else _counted_for(file, drafts, span)
    per = (counted, ()) if counted else per
    sides = {item.span for draft in drafts for item in draft.sets}
    if (
        per[1]
        and len(sides) > 2
        and len({d.first.span for d in drafts} & {d.then.span for d in drafts if d.then})
    ):
        raise SentenceError(span, '"as" tells two sides apart; write one sentence for each pair of tools')
    made = []
    for number, draft in enumerate(drafts, len(file.rules) + 1):
        for item in draft.sets if draft.kind in ("init", "end", "compared", "in_message") else ():
            if draft.kind == "compared" and item is draft.first:
                continue  # an argument may be compared with a message
            if any(c.is_said for c in item.calls):
                raise SentenceError(item.span, "a message is not a call")
        for tests in (draft.condition, *(c.condition for item in draft.sets for c in item.calls)):
            _check_patterns(tests, span)
        if draft.until is not None and per[1]:
            raise SentenceError(span, '"as" tells two sides apart, and this rule has three')
        turned = draft.then is not None and draft.then.span < draft.first.span
        names, others = reversed(per) if per[1] and turned else per
        first, then = draft.first.calls, draft.then.calls if draft.then else ()
        if counted:
            first = tuple(replace(calls, text=calls.name) for calls in first)
        about = KINDS[draft.kind].about
        if about == "after a call":
            first = _besides(first, then)
        elif about == "before a call":
            then = _besides(then, first)
        elif draft.kind == "after_until" and draft.until is not None:  # "After lock, no call until unlock"
            then = _besides(then, draft.until.calls)
        made.append(
            Rule(
                f"c{number}",
                draft.kind,
                first,
                then,
                count=draft.count,
                unit=draft.unit,
                per=names,
                per_then=others,
                condition=_of_message(draft),
                against=draft.against,
                name=name,
                text=_words(text, span),
                line=text.count("\n", 0, span[0]) + 1,
                span=span,
                spans=tuple(item.span for item in draft.sets),
                until=draft.until.calls if draft.until else (),
            )
        )
    return made


def _besides(calls: CallSet, needed: CallSet) -> CallSet:
    """Return the calls of a glob that need others, without those others: "Every call is followed by log" is about
    every other call, or else no run could keep it."""
    names = [one.name for one in needed if not (one.is_glob or one.is_said)]

    def besides(one: Calls) -> Calls:
        own = [*filter(one.names, names)]
        text = f"{one.text} other than {' or '.join(map(tool_text, own))}" if one.text and not one.but else ""
        return replace(one, but=(*one.but, *own), text=text) if own else one

    return tuple(besides(one) if one.is_glob else one for one in calls)


def _of_message(draft: Draft) -> Condition | None:
    """Return the condition on the latest call or, if it is on a message, on its text. Raises SentenceError."""
    said = [calls.is_said for calls in draft.first.calls]
    if draft.condition is None or draft.kind != "latest" or not any(said):
        return draft.condition

    def on_text(one: Condition) -> Condition:
        if isinstance(one, Combined):
            return replace(one, parts=tuple(map(on_text, one.parts)))
        if one.path not in ((), ("text",)) or not all(said):
            raise SentenceError(
                draft.first.span, "a condition on a message can only test its text", ("text",)
            )
        return replace(one, source="text", path=())

    return on_text(draft.condition)


def _check_patterns(condition: Condition | None, span: Span) -> None:
    for one in compares(condition):
        if one.operator in ("matches", "does not match"):
            try:
                pattern(str(one.value))
            except ValueError as error:
                raise SentenceError(span, str(error)) from None


_CONDITIONS = english.words(
    """right immediately directly straight just after as before between by during if once unless until when whenever
    while without with within in inside on for at to from outside under except excluding only unless where every each
    any all"""
)
_JUDGING = english.words(
    """not allowed permitted forbidden prohibited banned wrong bad never no dont don't do ok okay fine optional except
    exception exceptions example examples ignore ignored skip skipped old obsolete deprecated disabled inactive off
    draft todo maybe perhaps possibly sometimes usually mostly false otherwise else unless may can could should reverse
    reversed opposite or rather instead actually other way round around correction sorry scratch"""
)
_RULE = english.words("this that these a an the is are rule rules strictly always absolutely")
_CASES = english.words(
    """customer customers user users client clients member members guest guests account accounts manager managers admin
    admins agent agents employee employees staff people minors adults children students patients vip vips gold silver
    premium free paid trial tier enterprise beta internal external production prod staging sandbox mode weekday weekdays
    weekend weekends monday mondays tuesday wednesday thursday friday fridays saturday saturdays sunday sundays holiday
    holidays night nights morning mornings evening evenings hours large small big expensive cheap urgent emergency
    emergencies over above under below than"""
)
"""Before a colon: words with which a condition begins; judgements; words that say for whom or when a rule is."""


def _named(text: str, row: list[Token]) -> tuple[str | None, list[Token]]:
    """Return the words before a colon, if there are some, and the rest."""
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
