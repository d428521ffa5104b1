"""Rules of a policy in prose: each sentence beside its rule, or beside why there is none. Nothing of it counts before a
person has said yes.

The sentences come from the policy itself, read as they stand, or from a model (``agents/rule_writer.py``). Both are
hostile text, and are only ever read as sentences of rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from planscope.errors import UserError
from planscope.language.calls import compares
from planscope.language.errors import ParseFailure, in_a_line
from planscope.language.inflection import forms
from planscope.oracle.trace import Trace
from planscope.rules.judge import Rulebook, judge_trace
from planscope.rules.reading import read_rules
from planscope.rules.refusals import NEAREST
from planscope.rules.rule import Rule, names_of, unknown_names
from planscope.rules.words import meaning, sentence_of
from planscope.safe import visible
from planscope.wording.phrases import listed

LARGEST_POLICY = 200_000
"""The limit for a policy, in characters."""
LONGEST_SENTENCE = 2_000
MOST_MEANT = 4
"""So many tools are named that a sentence may be about."""


@dataclass(slots=True)
class Proposal:
    """The rule that is proposed for one sentence of the policy.

    ``policy``: the sentence; ``quoted``: whether it is in the policy. ``text``: the proposed rule; "" if no rule can
    say the sentence (``why`` says why not). ``rules``: what was read; empty if it cannot be read (``why``).
    ``readings``: the rules that an unclear sentence may mean. ``below``: the heading above the sentence.
    """

    policy: str
    text: str = ""
    why: str = ""
    quoted: bool = False
    rules: tuple[Rule, ...] = ()
    readings: tuple[str, ...] = ()
    below: str = ""
    kept: int = 0
    """How many of the traces keep it."""
    tested: int = 0
    """How many of the traces put it to the test."""
    broken: list[str] = field(default_factory=list)
    """Ids of traces that break it, the first few."""

    @property
    def meanings(self) -> list[str]:
        """What the rules ask for, in plain words."""
        return [meaning(rule) for rule in self.rules]

    def read(self, tools: Collection[str]) -> None:
        """Read the text as rules; ``why`` says why it cannot be."""
        self.text = visible(self.text)
        try:
            self.rules = read_rules(self.text, tools).rules
            self.why = "" if self.rules else "it is not a rule"
        except ParseFailure as failure:
            self.why, self.readings = in_a_line(failure.errors), failure.errors[0].readings


class Draft(NamedTuple):
    """``proposals`` can be read; ``unread`` cannot, or in two ways; ``unsaid``: sentences that no rule can say."""

    proposals: list[Proposal]
    unread: list[Proposal]
    unsaid: list[Proposal]


def sorted_out(found: Iterable[Proposal]) -> Draft:
    """Return the proposals by what became of them, each rule and each sentence without a rule once."""
    draft = Draft([], [], [])
    known: set[tuple[bool, str]] = set()
    for one in found:
        some = draft.proposals if one.rules else draft.unread if one.text else draft.unsaid
        key = bool(one.rules), one.text if one.rules else f"{one.policy}: {one.text}"
        if key not in known:
            known.add(key)
            some.append(one)
    return draft


def check_policy(policy: str) -> None:
    """Raise UserError for a policy that is empty or too long."""
    if not policy.strip():
        raise UserError("the policy is empty; name a text file with sentences about what the agent must do")
    if len(policy) > LARGEST_POLICY:
        raise UserError(f"the policy is longer than {LARGEST_POLICY:,} characters; draft a part of it")


def read_policy(
    policy: str,
    tools: Collection[str],
    traces: Sequence[Trace] = (),
    on_progress: Callable[[str], None] = lambda _: None,
) -> Draft:
    """Read each sentence of a policy as it stands. ``tools``: those that there are; if nobody knows, a tool is what is
    written like one: in backquotes or with underscores. The calls of ``traces`` tell the arguments that there are.
    Raises UserError."""
    check_policy(policy)
    names = {name for trace in traces for call in trace.calls for name in call.arguments or ()}
    found: list[Proposal] = []
    for one in sentences_of(policy, tools):
        if len(found) % 20 == 0:
            on_progress(f"{len(found)} sentences read")
        found.append(_read(one, tools, names))
    return sorted_out(found)


class Sentence(NamedTuple):
    """A sentence of a policy. ``heading``: those above it; ``lead``: the words that its list is about, such as "never
    do any of this:"."""

    text: str
    heading: str = ""
    lead: str = ""


_ITEM = re.compile(r"\s*(?:[-*+\u2022\u25e6\u2013\u2014\u25aa]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s+(?=\S)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})(?:\s+(.*?))?[\s#]*|\s*\*\*([^*]+)\*\*\s*")
_RULER = re.compile(r"\s*(?:[-=_*]\s*){3,}")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_ENDS = re.compile(r"[.!?]+[\"')\]\u201d\u2019*]*(?:\s+|$)|:$")
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:(?:\w\.)+|(?:cf|vs|approx|incl|excl|max|min|fig|mr|mrs|ms|dr|st)\.)$", re.IGNORECASE
)
NARROWEST = 60
"""Lines that are broken by a margin are at least so wide."""
_QUOTES = str.maketrans("\u201c\u201d\u00a0", '"" ')


def sentences_of(policy: str, tools: Collection[str] = ()) -> Iterator[Sentence]:
    """Yield the sentences of a policy: of its paragraphs and of the items of its lists. Lines that a margin broke are
    one again."""
    headings: list[tuple[float, str]] = []
    last = ""
    leads: list[tuple[float, str]] = []
    for depth, text in _blocks(policy.translate(_QUOTES).expandtabs(4).splitlines(), tools):
        if depth < _CODE:
            headings = [*(one for one in headings if one[0] < depth), (depth, text)]
            last, leads = "", []
            continue
        leads = [one for one in leads if one[0] < depth or one[1] == last]
        lead = "a block of code" if depth == _CODE else leads[-1][1] if leads else ""
        last = ""
        for last in _parted(" ".join(text.replace("**", "").split())):
            yield Sentence(last, " > ".join(one[1] for one in headings), lead)
        if last.endswith(":"):
            leads.append((depth, last))


_HEADS, _CODE = -10.0, -1.0
"""How far headings (by their level) and lines of code are indented, so to say."""


def _blocks(lines: Sequence[str], tools: Collection[str]) -> Iterator[tuple[float, str]]:
    """Yield headings, paragraphs and items of lists, each after how far it is indented: a paragraph stands above an
    item with the same indent."""
    width = max(map(len, lines), default=0)
    block: list[str] = []
    depth, fenced = 0.0, False
    for line in [*lines, ""]:
        heading, item = _HEADING.fullmatch(line), _ITEM.match(line)
        fence = _FENCE.match(line) is not None
        ends = fence or fenced or heading or item or not line.strip() or _RULER.fullmatch(line)
        if block and (ends or not _goes_on(block[-1], line.split()[0], width, tools)):
            yield depth, " ".join(block)
            block = []
        fenced ^= fence
        indent = len(line) - len(line.lstrip())
        if fenced and not fence:
            depth, block = _CODE, [line]
        elif heading and not fence:
            yield _HEADS + len(heading[1] or "#######"), (heading[2] or heading[3] or "").strip()
        elif item:
            depth, block = indent, [line[item.end() :]]
        elif not ends:
            depth = depth if block else indent - 0.5
            block.append(line)


def _goes_on(line: str, word: str, width: int, tools: Collection[str]) -> bool:
    """Return whether a line goes on with that word in the next one: it ends no sentence, and the word did not fit, or
    cannot begin a sentence."""
    if _ENDS.search(line.rstrip()[-3:]):
        return True  # what stands behind a period is parted as sentences, wherever it is
    name = word in tools or "_" in word or word.startswith("`")
    if word[:1].islower() and not name:
        return True
    return width >= NARROWEST and len(line) + 1 + len(word) + 6 > width


def _parted(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph."""
    begin = 0
    for match in _ENDS.finditer(text):
        if not _ABBREVIATED.search(text, begin, match.start() + 1):
            yield text[begin : match.end()].strip()
            begin = match.end()
    if rest := text[begin:].strip():
        yield rest


_LIMITS = re.compile(
    r"\b(?:never|not?|don'?t|cannot|can't|forbidden|prohibited|if|when|unless|without|only|except|wrong|bad|examples?|"
    r"optional|may|can)\b",
    re.IGNORECASE,
)
"""A heading with one of these words may turn or limit what stands below it."""


def _read(sentence: Sentence, tools: Collection[str], arguments: Collection[str]) -> Proposal:
    """Return what the reader makes of one sentence."""
    text, heading, lead = sentence
    one = Proposal(visible(text), quoted=True, below=visible(heading))
    if text.endswith(":"):
        one.why = "it only introduces what stands below it"
        return one
    if len(text) > LONGEST_SENTENCE:
        one.why = f"it is longer than {LONGEST_SENTENCE:,} characters"
        return one
    text = text.rstrip("!")
    try:
        rules = read_rules(text, tools).rules
    except ParseFailure as failure:
        return _unread(one, failure, tools)
    own = " ".join(map(sentence_of, rules))
    limit = lead.removesuffix(":") or (heading if _LIMITS.search(heading) else "")
    limit = limit or next((rule.name for rule in rules if rule.name), "")
    but = ""
    if not rules:
        one.why = "it is not a rule"
    elif unknown := _unknown(rules, text, tools):
        one.why = _no_tool(unknown, tools)
    elif strange := [name for name in _fields(rules, arguments) if not _is_field(name, text, arguments)]:
        one.why = f"a rule could say it, but “{visible(strange[0])}” is no known argument of a call"
    elif "#" in text:
        but = "the words behind # would be left out"
    elif limit:
        but = f'"{visible(limit)}" above or before it may change that'
    elif any(
        rule.kind in _COUNTING and not all(_written(n, text) for n in names_of([rule])) for rule in rules
    ):
        but = "it may be meant for each of several, or say what happens anyway: write the tool's name"
    else:
        one.text = own
        one.read(tools)
        if [sentence_of(rule) for rule in one.rules] != [sentence_of(rule) for rule in rules]:
            one.rules = ()
    if but:
        one.why = f'it could be read as "{own}", but {but}'
    return one


def _unknown(rules: Sequence[Rule], text: str, tools: Collection[str]) -> list[str]:
    """Return the names in rules that are no tools, as far as it is known which there are."""
    if tools:
        return list(unknown_names(rules, tools))
    return [name for name in names_of(rules) if "_" not in name and f"`{name}`" not in text]


_COUNTING = ("existence", "exactly", "absence", "in_row")


def _written(name: str, text: str) -> bool:
    """Return whether a tool's own name is in a text, in any case and with blanks for underscores."""
    words = r"[\s_]+".join(map(re.escape, re.split(r"[\s_]+", name)))
    return re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) is not None


def _fields(rules: Sequence[Rule], arguments: Collection[str]) -> Iterator[str]:
    """Yield the arguments that rules go by; those in conditions only if the arguments of calls are known."""
    for rule in rules:
        yield from (str(path[0]) for path in (*rule.per, *rule.per_then))
        for calls in rule.sets if arguments else ():
            yield from (
                str(c.path[0]) for c in compares(calls.condition) if c.source == "argument" and c.path
            )


def _is_field(name: str, text: str, arguments: Collection[str]) -> bool:
    return name in arguments if arguments else "_" in name or f"`{name}`" in text


def _no_tool(names: Sequence[str], tools: Collection[str]) -> str:
    known = "" if tools else "; say which tools there are, or write them in backquotes"
    return f"a rule could say it, but {listed((f'“{visible(name)}”' for name in names), 'or')} is no known tool{known}"


_WORD = re.compile(r"[^\W_]+")
_OF_CALLS = re.compile(r"\b(?:tools?|(?:tool|function|api)[ -]calls?|calls? (?:to|of))\b", re.IGNORECASE)
_FIELD = re.compile(r"\b(?:its|their|whose)\s+((?:\w+\s+){0,2}?\w+)\s+(?:is|are|was|were|has|must|equals)\b")


def _unread(one: Proposal, failure: ParseFailure, tools: Collection[str]) -> Proposal:
    """Say why a sentence is no rule: two readings, what it does not name, or that it says nothing about calls."""
    error, text = failure.errors[0], one.policy
    if len(failure.errors) == 1 and error.readings:
        rules = [rule for own in error.readings for rule in read_rules(own, tools).rules]
        if unknown := _unknown(rules, text, tools):
            one.why = _no_tool(unknown, tools)
        else:
            one.text, one.readings = text, error.readings
            one.why = error.message
        return one
    field = _FIELD.search(text)
    if any(_written(tool, text) for tool in tools) or (not tools and re.search(r"\w_\w|`\w+`", text)):
        one.why = error.message.partition(f"; {NEAREST}")[0]
    elif meant := _meant(text, tools):
        many = listed(meant[:MOST_MEANT], "or") + (" or others" if len(meant) > MOST_MEANT else "")
        one.why = f"it names no tool; it may be about {many}: write which one"
    elif _OF_CALLS.search(text):
        one.why = "it speaks of calls in a form that is not read, and names no tool"
        field = None
    else:
        verb = ", and no tool's verb" if tools else "; say which tools there are"
        one.why = f"it says nothing about calls: it has no tool's name{verb}"
        field = None
    if field is not None:
        one.why += (
            f'; and whose "{field[1]}" it is, such as: the latest answer of a tool had {field[1]} = "..."'
        )
    return one


def _meant(text: str, tools: Collection[str]) -> list[str]:
    """Return the tools whose verb, the first word of their names, is in a text: of each verb those that share most of
    the other words."""
    said = set(map(str.casefold, _WORD.findall(text)))
    found: dict[str, dict[str, int]] = {}
    for tool in sorted(tools):
        words = [word.casefold() for word in _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", tool))]
        if words and not said.isdisjoint(forms(words[0])):
            found.setdefault(words[0], {})[tool] = len(said.intersection(words[1:]))
    return [tool for some in found.values() for tool, n in some.items() if n == max(some.values())]


def try_on(proposals: Sequence[Proposal], traces: Iterable[Trace]) -> int:
    """Count how many of the traces keep each proposal. Return how many traces there were."""
    rules = [rule for one in proposals for rule in one.rules]
    owner = [one for one in proposals for _ in one.rules]
    book = Rulebook(rules)
    count = 0
    for trace in traces:
        count += 1
        tested: set[int] = set()
        broken: set[int] = set()
        results = judge_trace(book, trace).results(trace, open_end=trace.open_end)
        for one, result in zip(owner, results, strict=True):
            if result.applicable:
                tested.add(id(one))
            if result.state in ("broken", "unknown"):
                broken.add(id(one))
                if result.state == "broken" and trace.id not in one.broken and len(one.broken) < 5:
                    one.broken.append(trace.id)
        for one in proposals:
            one.tested += id(one) in tested
            one.kept += id(one) in tested and id(one) not in broken
    return count


def rules_file(chosen: Sequence[Proposal], unsaid: Sequence[Proposal] = ()) -> str:
    """Return a file of rules, each below its sentence of the policy, and at the end what no rule says."""
    lines: list[str] = []
    last = None
    for one in chosen:
        if one.policy and one.policy != last:
            lines += ["", f'# "{visible(one.policy)}"']
            last = one.policy
        lines.append(one.text)
    if unsaid:
        lines += ["", "# No rule was read:"]
        lines += [f'# "{visible(one.policy)}": {visible(one.why)}' for one in unsaid]
    return "\n".join(lines).lstrip("\n") + "\n"
