"""Reads rules that no shape of the table has, by the skeleton of a sentence: the tools that it names, their values,
numbers, and words with a role.

Every other word must be in a closed list of words that say nothing. A small grammar over the roles says the sentence
again as items of the table of constructions, which alone decides what it means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import cast

from planscope.language import english
from planscope.language.calls import USER, Calls, Compare
from planscope.language.cuts import EVERY, WORD, Item, Outcome, Paths, Scanner, Token, full
from planscope.language.inflection import forms
from planscope.language.named import LITTLE, kin
from planscope.language.resolve import Reading
from planscope.language.shapes import joined, meanings, same

MOST_SYMBOLS, MOST_TOKENS = 40, 120
LONGEST_GAP = 8
"""Limit of little words between those of one name: "the cash also has to be counted"."""

_CODES = """
b: before | prior to | ahead of | in advance of | earlier than | sooner than | by the time | any time
    before | at some point before | at any time before | some time before
a: after | following | upon | subsequent to | later than | any time after | at any time after | at any
    point after | at some point after | at some time after
f: from the first | from | starting from | starting with | beginning with | as of
u: until | till | unless and until | up to the moment
o: once | as soon as | the moment | the moment that
x: unless
i: if | provided | provided that | on condition that | on the condition that | in case | in the event
    that
w: when | whenever | every time | each time | any time that | every time that | each time that
h: while | as long as | so long as
t: without | with no
n: not | never | no | no single | not a single | at no point | at no time | under no circumstances | in
    no case | may not | can not | must not | shall not | should not | will not | do not | does not | has
    no business | no longer | not any | not permitted | not allowed | not acceptable | not legal | not
    valid | not possible | not available
p: may | can | could | allowed | permitted | legal | valid | fine | ok | okay | possible | acceptable |
    accepted | available | tolerated | allowed to | permitted to | free to | admissible
F: forbidden | prohibited | banned | blocked | disallowed | off limits | off the table | out of bounds |
    illegal | refused | rejected | unavailable | unacceptable | a violation | a bug | an error | a
    mistake | wrong | reject | refuse | block | deny | disallow | forbid | ban | avoid | refrain from |
    ruled out | barred | taboo | denied | switched off | disabled | turned off | out of service | out of
    use | a no - go
?: need not | not need to | not have to | not required | not necessary | not mandatory | not obligatory |
    not expected | not always | optional | do not need to | does not need to | do not have to | does not
    have to | not needed | not all | not every | not each | not only | not just | not necessarily | no
    need to | the only | if not | only one | no later than | not later than | no sooner than | no earlier
    than | not before | not until | at the latest
y: only | solely | exclusively
m: must | should | shall | has to | have to | needs to | need to | ought to | is to | are to | required |
    mandatory | obligatory | expected | expect | supposed to | we expect | i would expect | i expect |
    required to | will
q: needs | need | requires | require | demands | presupposes | depends on | relies on | calls for |
    requires that | needs that | demands that | presupposes that | conditional on | contingent on | waits
    for | wait for
Q: must have | has to have | must see | must get | should see | should have | needs to have | needs to
    see | has to see
Z: has | have | sees
M: means | means that | implies | implies that | obliges | obliges you to | obliges the agent to |
    obliges us to | entails that | commits the agent to | commits us to
8: followed | followed up
P: preceded
~: by
<: precede | precedes
>: follow | follows
e: earlier | already | before that | before it | beforehand | previously | prior | at some point before
    it | before then | at some earlier point | at an earlier point | somewhere before it | ahead of it |
    up front | by then | precedes it | any time earlier | at any time earlier | some time earlier |
    somewhere earlier | earlier on | at some point earlier | at any earlier point | somewhere ahead of it
    | comes before it | before this | at some time earlier | somewhere before
l: later | afterwards | eventually | sooner or later | at some later point | at some point later | at
    some point afterwards | subsequently | some time later | later on | at a later point | at any later
    point | somewhere after it | after it | at some point after it | after that | somewhere later |
    follows it | at some point after that | at any time afterwards | any time later | at some later time
    | afterward | at some point afterward | some time afterwards | thereafter | after this
g: again | from then on | from that point on | from there on | from that moment on | any more | anymore |
    any longer | for the rest of the run | for the remainder of the run
r: right | directly | immediately | straight | just | as the very next step | as the very next call | as
    the next call | as the next step
$: the step | the call | the very next step | the very next call | the next call | the next step | the
    tool call
d: been | has been | have been | was | were | had | has had | have had | did | had been | to have been |
    happened | occurred | took place | appeared | went through | ran
H: there
G: come | comes | came | go | goes | went
k: own | its own | fresh | a fresh | a new | new | a separate | separate | another | of its own | their
    own
c: since | since then | since that | in between | in the meantime | between the two | between them
B: between | anywhere between
T: a run | any run | a run that | any run that | every run | each run | the run | a run which | every run
    that | all runs | runs that | run that | a run where | a session | a trace | runs | each run that |
    any session | any trace | one run
J: in the same run | in one run | in one and the same run | in a single run | together | in the same
    session | in one session | within one run | within the same run
^: with nothing in between | with no other call in between | with no call in between | with no other tool
    in between | with no call between them | with nothing between them | with no other call between them
1: the first call | the very first call | first call | the first step | the first thing | the first
    action | the first tool call | the very first step | the very first thing | the first tool called |
    the opening call
9: the last call | the very last call | last call | the last step | the last thing | the last action |
    the final call | the final step | the final action | the last tool call | the very last step | the
    final tool call | the closing call | the very last thing | the last tool called
s: begins with | starts with | starts by | begins by | begin with | start with | start by | begin by |
    opens with | open with
z: ends with | ends by | end with | end by | closes with | close with | finishes with | finish with |
    finishes by
{: opens | starts | begins
}: closes | ends | finishes | concludes
O: other tool | other tools | another tool | some other tool | any other tool | other call | any other
    call | other calls | different tool | a different tool | anything else | other tool call | other tool
    calls | other action
0: nothing | none | no call | no tool | no tool call
_: nothing else
R: in a row | back to back | consecutively | in succession | in direct succession | in immediate
    succession | running | consecutive | successive | one right after the other | directly in a row
L: limit | the limit | maximum | the maximum | limited to | capped at | cap | the cap | maximum of | max
    of | a maximum of | restricted to | tops | at the most | not more | and not more | no more | not more
    than that | but no more | but not more | and no more
X: the latest | the most recent | the last | the newest | its latest | its last | the very last | the
    very latest
U: the user's last message | the user's latest message | the user's most recent message | the latest user
    message | the last user message | the most recent user message | the last thing the user wrote | the
    last thing the user said | what the user last said | what the user last wrote | the last message of
    the user | the last message from the user | the latest message from the user | the most recent
    message from the user | the user's newest message | the latest thing the user said | the latest thing
    the user wrote | the last user turn | the user's last turn | the most recent message of the user |
    the latest message of the user | the last message the user sent | the most recent message the user
    sent | the latest message the user sent | the user's last reply | the most recent thing the user
    wrote | the most recent thing the user said | the user's latest reply
v: the other way round | the other way around | vice versa | conversely
E: mutually exclusive | do not belong in the same run | do not mix | exclude each other | do not go
    together | do not belong together | incompatible
j: both | both of
A: always | every | each | any | all | every single | any single | each single
K: somewhere | as well | too | also | in there as well | in it as well | whether before or after | before or after |
    in any order | no matter in which order | earlier or later | at whatever point | at any point |
    anywhere in the run | in either order | in it | in whatever order
I: it | they
|: or
&: and | but | and also
,: , | ; | : | then | on ,
+: next | the next | the next time | next time | the following | a later
-: yet | contain | contains | include | includes |
    a | an | the | is | are | be | being | get | gets | got | getting | in the run | in this run | in a
    run | of the run | of every run | of each run | of any run | of a run | to be | anywhere | during a
    run | during the run | per run | in each run | in every run | in any run | in that run | within a run
    | within the run | in this workflow | at all | ever | call | calls | called | calling | use | uses |
    used | using | invoke | invokes | invoked | invoking | run | execute | executed | perform | performed
    | happen | happens | occur | occurs | take place | takes place | taken place | show up | shows up |
    shown up | appear | appears | made | make | makes | done | do | does | go through | goes through |
    gone through | gone | please | make sure | make sure that | ensure | ensure that | be sure to | the
    agent | agent | you | we | i | us | strictly | explicitly | actually | itself | by the agent |
    whatsoever | tool | the tool | step | steps | whatever happens | whatever the reason | here | one |
    some | no exceptions | , no more , no fewer | , no more and no fewer | , no more , no less | , no
    more and no less | without exception | anything | something | , then it is allowed again | , after
    that it is allowed again | , after which it is allowed again | ; then it is allowed again | ; after
    that it is allowed again | , though not necessarily right away | it must be the case that | a call to
    | a call of | calls to | calls of | call to | call of | carried out | triggered | trigger | issued |
    completed | finished | attempted | performing | making | doing | having | !
5: at some point | at some time | sometime
"""
"""The words with a role, by its letter; behind "-" stand those that say nothing."""
_LIGHT = english.words(
    """take place arrange send post issue book set hand give put lay impose carry conduct schedule submit file log
    record register raise draw write print produce generate create prepare publish grant obtain serve assign order
    hold deliver"""
)
_GAP = english.words(
    """a an the some any every each all another its their our your new may must can should shall will could not never be
    been being is are was were has have had to get gets got also only no at least one of already again for up out"""
)
"""Words that may stand between those of a name."""
_GONE = "\u2026"
"""What stands for a word that belongs to a name before it."""
_NEXT = re.compile(
    r"(?:(?P<one>one|either|among|within|some)(?: of)? |(?:any|none|neither) of )?(?:the )?(?:very )?(?:next )?"
    r"(?P<n>[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten) (?:tool )?(?:calls|steps)(?: (?:that|which))?"
    r"(?: come| are| made)? "
)
"""Some calls behind another one; with "one of" in front, any of them."""
_ARGUMENT = re.compile(
    r"(?:on|for|of|to|with|in|into|from|about|by|against|at) (?P<article>an?|any|some|each|every|one|the|that|this|"
    r"whichever|whatever|the same|that same|its) (?P<noun>`?\w+`?) "
)
_OPEN, _SAME = english.words("a an any some one whichever whatever"), english.words("the that this its same")
_ARTICLES = english.ARTICLES | _OPEN | _SAME
_CONTAINS = english.words(
    "contains contain include includes has say says mention mentions have containing contained"
)
_STANDS_IN = re.compile(r"(?:(?:appears|occurs|shows up|is|is contained|is found|stands|is mentioned) )?in ")
_ORDINALS = "first second third fourth fifth sixth seventh eighth".split()
_ORDINAL = re.compile(rf"(?:the|an?|any) ({'|'.join(_ORDINALS)})(?: one| time)? ")
_BEHIND_ONCE = [[], *([one] for one in "per in for or , ; at only and on".split())]
"""Before these "once" is a number."""


@cache
def _phrases() -> dict[tuple[str, ...], str]:
    return dict(english.worded(_CODES.replace("\n    ", " "))) | {("|",): "?", (_GONE,): "-"}


@cache
def _light() -> frozenset[str]:
    """Return the forms of verbs that say of a tool's noun only that the tool is called: "a loaner is handed out"."""
    return frozenset(form for verb in _LIGHT for form in forms(verb))


@cache
def _longest() -> int:
    return max(map(len, _phrases()))


@cache
def _content(name: str) -> tuple[str, ...]:
    """Return the words of a tool's name that say something."""
    said = [one.casefold() for one in WORD.findall(name)]
    return tuple(one for one in said if one not in LITTLE) or (name.casefold(),)


def named_after(scanner: Scanner, noun: str) -> list[str]:
    """Return the tools that have a form of a word in their names, in order."""
    return sorted(tool for tool in scanner.tools if any(kin(noun, word) for word in _content(tool)))


def _is_name(noun: str) -> bool:
    """Return whether a word is spelt as an argument is."""
    return "_" in noun or "`" in noun or noun.lower() != noun[:1].lower() + noun[1:]


def _of_one(path: str, noun: str) -> bool:
    """Return whether an argument is named after a noun: "sat_id" after "satellite"."""
    first = _content(path)[0]
    return path.casefold().startswith(noun) or (len(first) > 2 and noun.startswith(first))


class _Symbols:
    """The symbols of one sentence: items whose code is a letter of the table, S for a tool, U for the user's latest
    message, = for what an answer had, # for a number of calls, W for a deadline, D for the calls within one, N for a
    second or third call."""

    def __init__(self, scanner: Scanner, row: Sequence[Token]) -> None:
        whole = full(row, scanner.names.known)
        joints = {
            k for k, one in enumerate(whole) if one.text == "-" and whole[k - 1].key not in english.FUNCTION
        }
        self.row = [one for k, one in enumerate(whole) if k not in joints]  # "sign-off", but not "no-show"
        self.keys = [one.key for one in self.row]
        self.tools = [(tool, _content(tool)) for tool in scanner.tools]
        self.known = {tool.casefold() for tool in scanner.tools}
        self.per: dict[tuple[Paths, Paths], None] = {}
        self.nouns: list[tuple[str, str]] = []
        """Arguments that are said in words, as in "for a trench", with their articles."""
        self.said = ""
        self.found: list[Item] = []
        self.row = list(self._spelt())
        self.keys = [one.key for one in self.row]
        self.cuts = scanner.cuts(self.row)

    def read(self, left: list[str] | None) -> list[Item]:
        """Return the symbols; none if a word has no role and is not in the list, unless it may be ``left`` out."""
        at = 0
        while at < len(self.keys):
            width = self._step(at)
            if not width and left is not None:
                left.append(self.row[at].text)
            turned = not width and (left is None or self.keys[at] in _TURNING)
            if turned or len(self.found) > MOST_SYMBOLS:
                return []
            at += width or 1
        if not self._settled() or len(self.per) > 1:
            if left is None:
                return []
            left += [" ".join(noun) for noun in self.nouns]
        return self._with_message()

    def _spelt(self) -> Iterator[Token]:
        """Yield the tokens with tools in backquotes that are named in other words. What stands between the words of a
        name goes behind it."""
        used, whole = set[int](), set[int]()
        for at, token in enumerate(self.row):
            found = [(tool, self._places(name, at, used)) for tool, name in self.tools]
            most = max(len(places) for _, places in found)
            best = [one for one in found if one[1] and len(one[1]) == most]
            tool, places = best[0] if len(best) == 1 else ("", ())
            kinds = [*forms(_content(tool)[0]).get(token.key, ())] if most > 1 and tool else []
            participle = kinds == ["done"] and places[1] == at + 1  # "the paid fines" are not the call
            if token.key.strip("`'") in self.known or self._phrase(at)[0] > most or participle:
                places = ()
            inside = set(range(at, places[-1] + 1)) if places else set()
            if not EVERY.isdisjoint(self.keys[k] for k in inside):
                places, inside = (), set()  # "remind each guest at most twice" counts the reminders of each
            if english.ARTICLES.issuperset(self.keys[k] for k in inside.difference(places)):
                whole |= inside  # "paying a vendor", behind which "with" may stand
            used |= {*places, *inside} & {*places, *whole}
            if places:
                yield Token("quoted", f"`{tool}`", token.start, token.end)
            elif at not in whole:
                yield replace(token, text=_GONE, kind="mark") if at in used else token

    def _places(self, name: Sequence[str], at: int, used: set[int]) -> tuple[int, ...]:
        """Return where all words of a name stand from a place on, in any order and with little words between them."""
        left, places, gap = list(name), list[int](), 0
        while left and at < len(self.keys) and gap <= LONGEST_GAP:
            word = next((one for one in left if at not in used and kin(self.keys[at], one)), None)
            size = 1 if word else self._noun(at)[0] or _counted(self.keys[at:])[0] or self.keys[at] in _GAP
            if not size or (not word and not places):
                break
            if word:
                left.remove(word)
                places.append(at)
            gap += not word
            at += size
        return () if left else tuple(places)

    def _step(self, at: int) -> int:
        """Add what stands at a place. Return how many tokens it takes; 0 if it cannot be read."""
        width, code = self._phrase(at)
        size, item = self._item(at)
        other, noun = self._noun(at)
        if item is not None and size >= width:
            return self._add(at, size, item)
        if self._message(at):
            return self._message(at)
        if noun and other > width:
            return self._argument(at, other, noun)
        return width if code == "-" or not width else self._add(at, width, Item(code, (0, 0)))

    def _add(self, at: int, width: int, item: Item) -> int:
        if item.code in ("failed", "succeeded"):
            if not self.found or self.found[-1].code != "S":
                return 0
            calls = tuple(replace(one, outcome=cast(Outcome, item.code)) for one in self.found[-1].calls)
            self.found[-1] = replace(self.found[-1], calls=calls)
        elif item.code == "per":
            self.per[item.per] = None
        else:
            span = self.row[at].start, self.row[at + width - 1].end
            self.found.append(replace(item, span=span))
        return width

    def _item(self, at: int) -> tuple[int, Item | None]:
        """Return the longest set of calls, value or number at a place, and how many tokens it takes."""
        best: tuple[int, Item | None] = _counted(self.keys[at:])
        for cost, width, items in self.cuts.choices(at) if self.row[at].key != "once" else ():
            item = items[-1] if items else None
            if item is None or cost or width <= best[0] or (len(items) > 1 and item.code != "did_failed"):
                continue
            code = item.code.removeprefix("did_")
            behind = self.found[-1].code if self.found else ""
            tools = item.code == "S" and not any(one.is_said or one.name == "*" for one in item.calls)
            names = item.per[0] and all(_is_name(str(path[0])) for paths in item.per for path in paths)
            if tools or code in ("failed", "succeeded") or (item.code == "per" and names):
                best = width, replace(item, code=code)
            elif item.code == "COND" and behind and behind in "Sed":
                best = width, replace(item, code="=")
        return best

    def _phrase(self, at: int) -> tuple[int, str]:
        found = english.longest(_phrases(), tuple(self.keys[at : at + _longest()]))
        before = self.keys[max(at - 1, 0)]
        light = (self.keys[at] in _light() and before not in _ARTICLES) or (
            self.keys[at] in ("out", "up", "over") and before in _light()
        )  # "the book" may be one of several
        return (1, "-") if light and not found[0] else found

    def _message(self, at: int) -> int:
        """Read the text that the user's message must have."""
        here, *behind = self.row[at : at + 2]
        if behind and here.key in _CONTAINS and behind[0].kind == "string":
            self.said = behind[0].text
            return 2
        match = _STANDS_IN.match(" ".join([*self.keys[at + 1 :], ""])) if here.kind == "string" else None
        self.said = here.text if match else self.said
        return 1 + match[0].count(" ") if match else 0

    def _noun(self, at: int) -> tuple[int, tuple[str, str]]:
        """Return how many tokens "for a trench" takes, its article and its noun."""
        match = _ARGUMENT.match(" ".join([*self.keys[at : at + 4], ""]))
        noun = match["noun"] if match else ""
        if (
            match is None
            or (noun,) in _phrases()
            or noun in english.FUNCTION
            or noun.strip("`") in self.known
            or self.keys[at - 1 : at + 1] == ["only", "with"]
        ):
            return 0, ("", "")
        width = match[0].count(" ")
        return width, (match["article"].split()[-1], self.row[at + width - 1].text.strip("`"))

    def _argument(self, at: int, width: int, said: tuple[str, str]) -> int:
        behind = self.keys[at + width : at + width + 3]
        if behind[:1] in (["that"], ["which"]) and "not" in behind and _is_name(said[1]):
            # "on any order_id that has not had a refund"
            self.per[((said[1],),), ()] = None
            return width + self._add(at + width, 1, Item("i", (0, 0)))
        self.nouns.append(said)
        return width

    def _settled(self) -> bool:
        """Return whether it is clear which arguments must be equal. Nouns that stand for any value say nothing."""
        named = [(one.calls[0].name, self._article(one)) for one in self.found if one.code == "S"]
        for k, (article, noun) in enumerate(self.nouns):
            key = noun.casefold()
            before = any(word in _OPEN and key.startswith(one.casefold()) for word, one in self.nouns[:k])
            later = [one for word, one in self.nouns[k + 1 :] if word in _SAME]
            behind = any(one.casefold().startswith(key) for one in later)
            told = any(_of_one(str(path[0]), key) for one in self.per for path in one[0])
            of_tool = any(kin(key, word) for tool, _ in named for word in _content(tool))
            if article in _SAME and before and _is_name(noun) and not told:
                self.per[((noun,),), ()] = None
            elif article in _SAME and not (before and told):
                return False
            clear = (
                article in _OPEN and not _is_name(noun) and not (of_tool and article in ("a", "an", "one"))
            )
            if not (clear or article in _SAME or behind or told):
                return False
        for k, (tool, article) in enumerate(named):
            own = {*_content(tool)[1:]}
            if article in _SAME and any(one != tool and own & {*_content(one)} for one, _ in named[:k]):
                return False
        return True

    def _article(self, item: Item) -> str:
        """Return the word before a tool."""
        return next((one.key for one in reversed(self.row) if one.end <= item.span[0]), "")

    def _with_message(self) -> list[Item]:
        places = [k for k, one in enumerate(self.found) if one.code == "U"]
        if bool(self.said) != (len(places) == 1):
            return []
        if places:
            told = Compare("text", (), "contains", json.loads(self.said))
            calls = (Calls(USER, text="user message"),)
            self.found[places[0]] = replace(self.found[places[0]], calls=calls, condition=told)
        return self.found


def _counted(keys: Sequence[str]) -> tuple[int, Item | None]:
    """Read "at most three times", "within two calls", "one of the next two calls", "a third one"."""
    words = " ".join([*keys[:20], ""])
    if nth := _ORDINAL.match(words):
        return nth[0].count(" "), Item("N", (0, 0), low=_ORDINALS.index(nth[1]) + 1)
    if match := _NEXT.match(words):
        number = english.said([match["n"], "times"], False)[0][1][0].low
        return match[0].count(" "), Item("W" if match["one"] else "D", (0, 0), low=number)
    if keys[0] != "once" or [*keys[1:2]] in _BEHIND_ONCE:
        for width, codes in english.said(keys[:20], False) if keys[0] != "one" or keys[1:2] != ["of"] else ():
            for one in codes[-1:] if width > 1 or keys[0] != "one" else ():
                if code := {"COUNT": "#", "COUNT_OF": "#", "WITHIN": "W"}.get(one.code):
                    return width, Item(code, (0, 0), low=one.low, high=one.high)
    return 0, None


# The grammar over the symbols ------------------------------------------------------------------------------------

_SAYS = "[mpnFyAegldk#NWDRLrjKGHJ]*"
_SETS, _MAY = "S(?:[|]S|&j?S)*", "[mpAgHj]*"
_PARTS = {
    "": rf"{_SAYS}S(?:{_SAYS}[|]{_SAYS}S|&j?S)*{_SAYS}",
    "plain:": rf"[AdeHG]*{_SETS}[AdeHG]*",
    "not:": rf"(?:{_MAY}[nF]{_MAY}{_SETS}[mpAgHjd]*|{_MAY}{_SETS}{_MAY}[nF][mpAgHjd]*)",
    "only:": rf"(?:[pmA]*y[pm]*{_SETS}[pm]*|A*{_SETS},?[pm]*y[pm]*)",
}
"""Clauses: any; one that only names calls; one that forbids them; one that allows them only so."""
_NORMAL = r"""
    ,(?=(?: [elKJgLRA^])+(?: ,| ~|$)) =>
    ,(?= ~) =>
    Z(?=(?: [enjlA])* d(?: |$)) =>
    Q(?=(?: [enjlA])* d(?: |$)) => m
    Z => Q
    b(?= [&,]|$) => e
    0(?=(?: [mpdA])* S) => n
    ([8P])((?: [rl])*) ~ => 2 1
    ^(?=.*(?<!\S)[r$R](?!\S))(.*) \^ => 1
    ^(?:, )+(.*) => 1
    ,$ =>
    """
"""What symbols are read as: no comma beside words of time, "must have been" as "must", "followed at once by" as "at
once followed"."""
_TABLE = r"""
    pair: <a>,?(?P<how>[yr]*)(?P<k>[baofuxiwht])<b>
    pair: (?P<front>)(?P<how>[yr]*)(?P<k>[baofuxiwht])<b>,<a>
    pair: (?P<front>)(?P<how>[yr]*)(?P<k>[aow])<b>,<a>>(?P<late>[lW]+)
    pair: (?P<front>)<b>(?P<k>M)<a>
    needs: <a>(?P<k>[qQ])<b>
    follows: <a>(?P<k>[8P<>])<b>
    alone: T?<a>
    alone: <a>,Om(?:b(?P<nth>N)S?)?
    alone: <a>,b(?P<nth>N)S?,?Om
    needs: <a>(?P<k>q)(?P<b>kS)w?,H?mbNS,?&kBA?#S
    b implies a: <plain:b>M[mA]*(?P<a>S)K*
    a happens w after b: (?P<w>W)r?[a>]<plain:b>m<plain:a>
    a happens w after b: <plain:a>m?(?P<w>W)r?>A?<plain:b>
    a not_happens w after b: (?P<w>D)r?[a>]<plain:b>[mp]?n<plain:a>
    a not_happens w after b: n(?P<w>D)r?[a>]<plain:b>[mp]<plain:a>
    a not_happens w after b: <plain:a>[mp]*[nF](?P<w>[WD])r?[a>]<plain:b>
    call_is right k every b is a: r*[$]r*(?P<k>[ab])<plain:b>m<plain:a>
    call_is right k every b not_is a: r*[$]r*(?P<k>a)<plain:b>mn<plain:a>
    call_is right k every b is a: r*(?P<k>a)<plain:b>,[$]m<plain:a>
    call_is right k every b not_is a: r*(?P<k>a)<plain:b>,[$]mn<plain:a>
    a is next call_is after every b: <plain:a>m?[$]r?a<plain:b>
    a not_is next call_is after every b: <plain:a>m*n[$]r?a<plain:b>
    a needs b earlier with no c in_between: <plain:a>m?q<plain:b>[,&]*[tn]<plain:c>cX?(?P<z>S?)
    a only_happens after b with no c in_between: <only:a>,?y?[aiow]<plain:b>[,&]*y?[iaow]?<not:c>cX?(?P<z>S?)
    a only_happens after b with no c in_between: <only:a>,?y?[aiow]<plain:b>[,&]*t<plain:c>cX?(?P<z>S?)
    a not_happens unless b with no c in_between: <not:a>x<plain:b>[,&]*(?:<not:c>|t<plain:d>)cX?(?P<z>S?)
    a only_happens if latest x cond: <only:a>,?y?[iwah]X(?P<x>S)[ed]*(?P<cond>=)
    a not_happens unless latest x cond: <not:a>,?xX(?P<x>S)[ed]*(?P<cond>=)
    a only_happens if latest u cond: <only:a>,?y?[iwh](?P<u>U)e?
    a not_happens unless latest u cond: <not:a>,?x(?P<u>U)e?
    a only_happens if latest u cond: (?P<u>U)m?[iwb]<plain:a>
    after b , a not_happens until c: [aowif]<plain:b>,<not:a>u[+]?<plain:c>
    after b , a not_happens until c: <not:a>[aof]<plain:b>u[+]?<plain:c>
    a not_happens between b and c: <not:a>B<plain:b>&[+]?<plain:c>
    a not_happens between b and c: B<plain:b>&[+]?<plain:c>,<not:a>
    none_else may_happens k b: (?:nO|_)[mpeGg]*(?P<k>[bauo])<plain:b>
    none may_happens k b: 0[mpeGg]*(?P<k>[bauo])<plain:b>
    k b , none_else may_happens: (?P<k>[bauof])<plain:b>,(?:nO|_)[mpleGg]*
    k b , none may_happens: (?P<k>[bauof])<plain:b>,0[mpleGg]*
    a not_happens k else did_happens: <not:a>(?P<k>[aowi])Od?
    a and b is exclude: (?P<a>S)&(?P<b>S)m?E(?:,nj?J*)?
    a and b is exclude: [IT]p(?P<a>S)[|](?P<b>S),?&?nj
    a and b is exclude: (?:T|iT)<plain:a>,?I?[mpK]*n[mpK]*(?P<b>S),?&?v
    a and b is exclude: [mp]*n[mp]*j[mp]*(?P<a>S)&(?P<b>S)J?
    a and b is exclude: [mp]*n[mp]*(?P<a>S)&(?P<b>S)[jJ]+
    a and b is exclude: (?P<a>S)&(?P<b>S)[mp]*n[mp]*[jJ]+
    a and b is exclude: (?P<a>S)&(?P<b>S)JF
    a implies b ; b implies a: (?:T|iT?H?)<plain:a>,?I?H?m?q?K*(?P<b>S)(?:5?K+)?,?&?v
    a implies b: (?:T|iT)<plain:a>,?I?mK*(?P<b>S)(?:5?K+)?
    a implies b: iT?<plain:a>,mK*(?P<b>S)K+
    a implies b: iT?<plain:a>,(?P<b>S)m*K*5?K+
    trace begins b: [TA]+m*s(?P<b>S)
    begins b: m*s(?P<b>S)
    first call_is is b: 1T?m*(?P<b>S)|(?P<c>S)m*(?:1T?|[{][AT]+)
    trace ends_with b: [TA]+m*z(?P<b>S)
    ends_with b: m*z(?P<b>S)
    last call_is is b: 9T?m*(?P<b>S)|(?P<c>S)m*(?:9T?|[}][AT]+)
    """
"""The grammar: sentences over the symbols, and behind what they are: the name of a method, or the items of the table of
constructions, where a letter is a clause, w a deadline, k a word of time."""


@cache
def _table() -> list[tuple[str, re.Pattern[str]]]:
    found = []
    for made, pattern in english.rows(_TABLE):
        pattern = re.sub(r"(?<!P)<(|\w+:)(\w)>", lambda m: f"(?P<{m[2]}>{_PARTS[m[1]]})", pattern)
        found.append((made, re.compile(pattern)))
    return found


_BESIDE = dict(
    zip("bafouxiwhtM", "before after after once until unless if when while without when".split(), strict=True)
)
_FOLLOWING = {"8": "followed_by", "P": "preceded_by", "<": "precedes", ">": "follows"}
Row = list[Item]


class _Clause:
    """A clause: its sets of calls, and its symbols."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.codes = "".join(one.code for one in items)
        sets = [one for one in items if one.code in "SU"]
        self.sets = [joined(sets)] if "|" in self.codes and len(sets) > 1 else sets
        self.span = (items[0].span[0], items[-1].span[1]) if items else (0, 0)
        self.denied = self.codes.count("n") + self.codes.count("F")

    def word(self, code: str, low: float = 0) -> Item:
        return Item(code, self.span, low=low)

    def has(self, codes: str) -> bool:
        return not set(codes).isdisjoint(self.codes)

    def only(self, codes: str) -> bool:
        """Return whether the clause has no other symbols, but for "at least one"."""
        least = all((one.low, one.high) == (1, english.MANY) for one in self.items if one.code == "#")
        return set(self.codes) <= set(f"S|&jHG{codes}") | ({"#"} if least else set())

    @property
    def listed(self) -> Row:
        """The sets, joined by "and"."""
        found = [
            item for one in self.sets for item in (replace(one, code="S", condition=None), self.word("and"))
        ]
        return [self.word("both")] * (self.has("j") and len(self.sets) > 1) + found[:-1]

    def verb(self, only: bool = False) -> Item | None:
        """Return what the clause says of its calls: that they happen, may happen, or do not."""
        only = only or self.has("y")
        if self.denied > 1 or (self.denied and only):
            return None
        prefix = "not_" if self.denied else "may_" * self.has("p") + "only_" * only
        return self.word(f"{prefix}{'comes' if self.has('G') else 'happens'}", low=self.has("m"))

    def told(self, right: bool = False, **codes: str) -> Row:
        prefix = "right_" if right else ""
        return [self.word(f"{prefix}{code}") for letter, code in codes.items() if self.has(letter)]

    @property
    def within(self) -> Row:
        return [replace(one, code="WITHIN") for one in self.items if one.code == "W"]


def _main(a: _Clause, how: str) -> Row:
    """Return the items of a main clause; none of one that says something else, too."""
    verb = a.verb("y" in how)
    right = a.has("r") and a.codes[-1:] != "r"
    if verb is None or not a.only("nFmpyAelgWdrJ") or (a.has("d") and not a.has("mp")):
        return []
    if right and not a.has("el"):
        return []
    told = a.told(right, e="earlier", l="later") or [a.word("earlier")] * a.has("d")
    if a.codes[:1] == "y" and not a.has("mp"):  # "only A after B" may be about what else follows B
        only = replace(a.items[0], code="only_do", span=(a.span[0], a.sets[0].span[0] - 1))
        return [only, *a.listed, *told, *a.within]
    every = [a.word("every")] * (a.has("A") and not a.denied)
    act = [a.word("do")] * (not a.has("nFmpyG") and "y" not in how)
    return [*act, *every, *a.listed, *([] if act else [verb]), *told, *a.told(g="again"), *a.within]


def _beside(k: str, b: _Clause, how: str) -> Row:
    """Return the items of a clause of time or condition; none of one that says something else, too."""
    done = b.has("d") or any(one.outcome for item in b.sets for one in item.calls)
    if not b.only("dAelnKJ") or b.denied > 1 or (b.denied and (k not in "iwh" or not b.has("d"))):
        return []
    if "A" in b.codes.partition("S")[2]:
        return []
    verb = ("not_" if b.denied else "") + ("did_" if done else "") + "happens"
    told = b.told(e="earlier", l="later") or b.told(K="too") or [b.word("earlier")] * (k == "t" and done)
    verbs = [b.word(verb)] * (done or (k in "iwx" and not told))
    right = [b.word("right")] * ("r" in how)
    return [*right, b.word(_BESIDE[k]), *b.told(A="every"), *b.listed, *verbs, *told]


class _Sentence:
    """A sentence as a line of the grammar has it: its clauses, by the names of their groups."""

    def __init__(self, match: re.Match[str], items: Sequence[Item]) -> None:
        self.said = {name: words or "" for name, words in match.groupdict().items()}
        spans = {name: match.span(name) for name in self.said}
        self.parts = {name: _Clause(items[start:end]) for name, (start, end) in spans.items() if start >= 0}
        self.parts |= {"b": self.parts["c"]} if "b" not in self.parts and "c" in self.parts else {}
        self.parts |= {"c": self.parts["d"]} if "c" not in self.parts and "d" in self.parts else {}
        self.whole = _Clause(items)
        self.a, self.b = (self.parts.get(name, self.whole) for name in "ab")
        self.k, self.how = self.said.get("k", ""), self.said.get("how", "")

    def made(self, said: str) -> Row:
        """Return the items that the grammar says; none if "since that A" is about another call."""
        z = self.said.get("z") and self.parts["z"].listed[0]
        if z and [one.name for one in z.calls] != [one.name for one in self.b.sets[0].calls]:
            return []
        if " " not in said and hasattr(self, said):
            row: Row = getattr(self, said)()
            return row
        found: Row = []
        for word in said.split():
            if word == "cond":
                condition = self.parts["u" if "u" in self.parts else "cond"].items[0].condition
                found.append(replace(self.whole.word("COND"), condition=condition))
            elif word == "w":
                found.append(replace(self.parts["w"].items[0], code="WITHIN"))
            elif word == "k":
                found.append(self.b.word(_BESIDE[self.k]))
            else:
                found += self.parts[word].listed if word in self.parts else [self.whole.word(word)]
        return found

    def pair(self) -> Row:
        a, b, k, front = self.a, self.b, self.k, "front" in self.said
        if k == "t" and b.codes.endswith("F") and not a.denied:  # "A without an earlier B is a bug"
            a, b = _Clause([*a.items, b.items[-1]]), _Clause(b.items[:-1])
        a = _Clause([*a.items, *(self.parts["late"].items if "late" in self.parts else ())])
        if a.has("k"):
            own = k == "b" and b.only("A") and a.only("mkedA") and not self.how
            row = [b.word("before"), b.word("every"), *b.listed, b.word(","), a.word("own"), *a.listed]
            return row if own else []
        right = self.how + "r" * (a.codes[-1:] == "r")
        if (a.has("H") and "r" in right) or (k == "M" and not a.has("glW" if a.denied else "elW")):
            return []
        if front and k in "ao" and a.has("m") and a.has("l"):
            k = "i"  # "after A, B must come at some later point" is about each A
        main, beside = _main(a, self.how), _beside(k, b, right)
        row = [*beside, b.word(","), *main] if front else [*main, *beside]
        return row if main and beside else []

    def needs(self) -> Row:
        a, b = self.a, self.b
        right = b.has("r")
        if not a.only("AdmpK") or not b.only("AeldkWrKm") or (self.k == "Q" and not b.has("elWk")):
            return []
        if right and (not b.has("el") or b.has("kW")):
            return []
        told = b.told(right, e="earlier", l="later") or [b.word("earlier")] * b.has("d") or b.told(K="too")
        own = b.told(k="own")
        return [*a.listed, a.word("needs"), *own, *b.listed, *([] if own else told), *b.within]

    def follows(self) -> Row:
        a, b, v = self.a, self.b, self.k
        late = a.has("l") or b.has("l")
        if a.denied > 1 or not a.only("nFmArlyp" if v == ">" else "nFmArl"):
            return []
        if not b.only("AWlKde" if v == "P" else "AWlKd") or (late and v != "8"):
            return []
        if a.denied and a.has("A"):
            return []  # "all A are not followed by B"
        code = ("not_" if a.denied else "") + _FOLLOWING[v]
        if v == ">" and not a.denied:
            code = "may_only_follows" if a.has("y") else "must_follows" if a.has("m") else code
        always = a.told(A="always") if v == "8" and not a.denied else []
        later = [b.word("later")] * (late and not a.has("r") and not b.within)
        return [*a.listed, *always, *a.told(r="right"), a.word(code), *later, *b.listed, *b.within]

    def alone(self) -> Row:
        """Return what a clause alone says: that its calls never happen, or how often."""
        a, verb = self.a, self.a.verb()
        numbers = [one for one in a.items if one.code == "#" or (a.denied and one.code == "N")]
        nth = self.parts["nth"].items if "nth" in self.parts else ()
        most = [one.low if a.denied else one.high + 1 for one in numbers]
        wrong = any(one.low not in most for one in nth)
        if wrong or ("nth" in self.said and not a.has("R")):
            return []  # "two in a row; before a third, some other tool"
        several = len(a.sets) > 1 and (a.denied or not a.has("j"))
        if several or verb is None or len(numbers) > 1 or (a.has("L") and a.denied):
            return []
        if not set(a.codes) <= set("S|&j#nFmpyARLHJ" + "N" * a.denied) or (
            not numbers and (not a.denied or a.has("RLJ"))
        ):
            return []
        count = [
            replace(one, code="REPEAT", high=english.MANY)
            if one.code == "N"
            else replace(one, code="COUNT", low=0 if a.has("L") else one.low)
            for one in numbers
        ]
        return [*a.listed, verb, *count, *a.told(R="in_row")]


_TURNING = english.words(
    "except excluding instead rather nor neither below above under over less more fewer than"
)
_TURNED = frozenset("nF?pyixwht0_OLU=#")
"""Words and symbols without which a sentence says more, or the opposite: no suggestion leaves them out."""


def by_roles(scanner: Scanner, row: Sequence[Token], left: list[str] | None = None) -> list[Reading]:
    """Return the readings of a sentence of known tools by the roles of its words; none if a word has no role.
    ``left``: words without a role and what stands at the end may be left out, as a refusal suggests; it is filled with
    these."""
    if not scanner.tools or len(row) > MOST_TOKENS:
        return []
    symbols = _Symbols(scanner, row)
    items = symbols.read(left)
    per = next(iter(symbols.per), ((), ()))
    found = _readings(items, per)
    end = None
    while left is not None and items and not found and items[-1].code not in _TURNED:
        end = items.pop().span[0]
        found = _readings(items, per)
    if left is not None and end is not None:
        left.append(scanner.text[end : row[-1].end])
    return found


def _readings(items: Row, per: tuple[Paths, Paths]) -> list[Reading]:
    items = same(items, _NORMAL)
    codes = "".join(one.code for one in items)
    if re.search("[nF][mpd]*A|A[HG]*S[mp]*n[mp]*", codes):  # "must not always", "all must not"
        return []
    found: dict[object, Reading] = {}
    for said, pattern in _table() if "S" in codes else ():
        made = _Sentence(match, items).made(said) if (match := pattern.fullmatch(codes)) else []
        for ways in meanings(made) if made else ():
            reading = Reading(ways, per)
            found.setdefault(reading.key, reading)
    return list(found.values())
