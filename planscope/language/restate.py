"""Says a sentence about actions again in plainer words, for what people write: names in other forms of their words and
in any order ("the cash also has to be counted"), short names of what was named before, and words that say nothing.

Only what is certain is replaced. All words that are left must still be read by the table of constructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from planscope.language import english
from planscope.language.cuts import Scanner, Token, full
from planscope.language.inflection import forms, singular
from planscope.language.problem import Action
from planscope.language.resolve import plainer

LONGEST_GAP = 6
"""Limit of words between those of a name: "the cash also has to be counted"."""


class _Name(NamedTuple):
    name: str
    words: tuple[str, ...]


class Mentioned(NamedTuple):
    """An action that some words name, up to a place. ``inside``: other words among them. ``whole``: none is missing."""

    name: str
    end: int
    inside: tuple[str, ...]
    whole: bool


def _content(name: str) -> tuple[str, ...]:
    said = re.findall(r"[^\W_]+", name.casefold())
    return tuple(word for word in said if word not in _LITTLE) or tuple(said)


@cache
def kin(one: str, other: str) -> bool:
    """Return whether two words are forms of one: "inspect" and "inspection", "file" and "files"."""
    if singular(one) == singular(other):
        return True
    short, long = sorted((one, other), key=len)
    if long.endswith(("tion", "sion")) and len(short) > 6 and long.startswith(short[:-2]):
        return True
    return any({one, other} <= forms(base).keys() for base in {*_bases(one), *_bases(other)})


def _bases(word: str) -> Iterator[str]:
    yield word
    for end in ("ing", "ed", "ion", "ation", "ment", "al", "s", "es"):
        stem = word.removesuffix(end)
        if stem != word and len(stem) > 2:
            yield from (stem, f"{stem}e", f"{stem[:-1]}y" if stem.endswith("i") else stem)
            if stem[-1] == stem[-2]:
                yield stem[:-1]


def _match(wanted: Sequence[str], keys: Sequence[str], start: int) -> tuple[list[str], int, list[str]]:
    """Return which words of a name stand at a place, in any order and with little words between them; where they end;
    and those little words."""
    left, used, inside, skipped = list(wanted), list[str](), list[str](), list[str]()
    at = end = start
    while left and at < min(end + LONGEST_GAP, len(keys)):
        key = keys[at].removesuffix("'s")
        word = next((one for one in left if kin(key, one)), None)
        if word in wanted[1:-1] and (key == f"{word}s" or word == f"{key}s"):
            break  # only the first and the last word may be in another number
        if word is not None:
            left.remove(word)
            used.append(key)
            inside += skipped
            skipped = []
            at = end = at + 1
        elif not used or key not in _BETWEEN:
            break
        else:
            skipped.append(key)
            at += 1
    return used, end, inside


class Restated:
    """Says sentences again that are about some actions."""

    def __init__(self, actions: Sequence[Action]) -> None:
        self.known = [_Name(action.name, _content(action.name)) for action in actions]

    def row(self, scanner: Scanner, row: Sequence[Token], named: dict[str, None]) -> list[Token]:
        """Return the tokens of a sentence in plainer words. ``named``: the actions named so far, in full words."""
        row = [one for one in full(row, scanner.names.known) if one.text not in ("'", "\u2019")]
        keys = [token.key for token in row]
        found: list[Token] = []
        at = 0
        while at < len(row):
            one = self.mention(keys, at, named)
            if one is None:
                end = self._reason(keys, at)
                found += row[at : at + 1] if end == at else []
                at = max(end, at + 1)
                continue
            named[one.name] = None
            light = _LIGHT.search(" ".join(token.key for token in found)) if one.whole else None
            if light is not None:
                del found[len(found) - len(light[0].split()) :]
            start, end = row[at].start, row[one.end - 1].end
            found.append(Token("quoted", f"`{one.name}`", start, end))
            aux = [word for word in one.inside if word in _AUXILIARY]
            if not {"not", "may", "can", "could", "only", "been"}.isdisjoint(aux):
                found += [Token("word", word, end, end) for word in (*aux, "done")]
            at = one.end
        return plainer(scanner, found, LOOSE)

    def _reason(self, keys: Sequence[str], at: int) -> int:
        """Return the place after a reason that begins here and names no action, or ``at``."""
        if keys[at] in ("as", "so") and _SPEAKING.isdisjoint(keys[at + 1 : at + 2]):
            return at
        if keys[at] not in _REASONS or (at and keys[at] == "or" and keys[at - 1] != ","):
            return at
        end = at + 1
        while end < len(keys) and keys[end] not in _MARKS:
            then = "until then" in " ".join(keys[end - 1 : end + 2]) or keys[end : end + 2] == ["then"]
            if (keys[end] in _NO_REASON and not then) or keys[end][0].isdigit() or self._names(keys[end]):
                return at
            end += 1
        return end if end - at > 2 else at

    def _names(self, key: str) -> bool:
        return any(kin(key, word) for name in self.known for word in name.words)

    def mention(self, keys: Sequence[str], at: int, named: Mapping[str, None]) -> Mentioned | None:
        """Return the action that is certainly named at a place, or None."""
        start = at
        while start < len(keys) and keys[start] in _ARTICLES:
            start += 1
        if start == len(keys) or keys[start][0] == "`":
            return None
        ways = [(name, *_match(name.words, keys, start)) for name in self.known]
        whole = [way for way in ways if len(way[1]) == len(way[0].words)]
        most = max((len(way[1]) for way in whole or ways), default=0)
        ways = [way for way in whole or ways if len(way[1]) == most]
        if len(ways) != 1 or not most:
            return None
        name, said, end, inside = ways[0]
        bare = _DEFINITE.isdisjoint(keys[at:start])
        verb = any(kin(one, name.words[0]) for one in said)
        if not whole and not verb and at and keys[at - 1] not in _BESIDE:
            return None  # "use the pipettes" is no order of them
        if not whole and not self._short(name, said, name.name in named, bare):
            return None
        if "not" in inside and not {"need", "needs"}.isdisjoint(inside):
            return None
        return Mentioned(name.name, end, tuple(inside), bool(whole))

    def _short(self, name: _Name, said: Sequence[str], named: bool, bare: bool) -> bool:
        """Return whether some words of a name are certain to mean it: all behind its verb, of which no other name has
        any; or what only this name has, if it was named before."""
        shared = [
            sum(any(kin(one, word) for word in other.words) for one in said)
            for other in self.known
            if other is not name
        ]
        behind = len(said) > 1 and len(said) == len(name.words) - 1
        if behind and not any(shared) and not any(kin(one, name.words[0]) for one in said):
            return True
        vague = len(said) == 1 and (said[0] in _VAGUE or (bare and not _NOMINAL.search(said[0])))
        return named and not vague and len(said) not in shared


_VAGUE = english.words(
    "order step task action thing rest time day end start list call tool job back up first last"
)
"""One word of these is no short name."""
_AUXILIARY = english.words(
    "must should shall would will may can could is are be been has have had not also only to"
)
_BETWEEN = _AUXILIARY | english.words(
    "a an the my your our their his her of for with from in on get gets got need needs all both up out off that those"
)
"""Words that may stand between those of a name."""
_DEFINITE = english.words("the this that these those my your our their his her")
_ARTICLES = _DEFINITE | english.words("a an")
_LITTLE = english.words("a an the of for with from to in on at by and")
_REASONS = english.words("because since as so otherwise or")
_NO_REASON = english.words(
    """if unless except before after only when once first last until till then never no without while provided noon
    midnight midday soon well"""
)
_BESIDE = english.words(
    """, ; : ( and but then before after once until till when only no not nor both by with for on is than finally next
    first last get have want"""
)
"""Behind these an object may stand for its action."""
_SPEAKING = english.words(
    "the a an it we you they i there he she people this that our their nobody somebody everyone"
)
_MARKS = english.words(", ; : ( )")
_NOMINAL = re.compile(r"(?:ing|ings|ion|ions|ment|s)$")
_LIGHT = re.compile(
    "(?:^| )(?:make|makes|making|made|take|takes|taking|taken|take care of|taking care of|carry out|do|doing|"
    "write|writing|draw|draw up|deal with|dealing with|turn to|work on|fill in|pull|put in|get to|get on with|"
    "get round to|go over|go through|work through|go for|go on|going on|go on to|visit|conduct|perform|set up|"
    "assemble|compile|compose|produce|create|host|chair|undertake|sit down with|attend to|see to|drive out to|"
    "issue|send out|finalise|run|hold|handle|tackle|write up|continue with|move on to|proceed to)$"
)
"""Verbs that say no more than "do" before a name of which no word is missing."""
_N = r"`\S+"
_LIST = rf"{_N}(?:(?: ,)? (?:, |and |, and ){_N}|(?: ,)? and {_N})*"
_BE = "(?:is|are|has been|have been|must be|has to be|have to be|should be|needs to be|need to be|be|to be)"
_DONE = (
    "(?:done|finished|over|complete|ready|through|sorted|in place|up to date|settled|concluded|set up|out of the way|"
    "taken|drawn up|written up)"
)
_WE = "(?:you|we|i)"
_MARK = "[,;:]"
LOOSE = rf"""
    (?:please|kindly|today|itself|properly|strictly|though|moreover|besides|honestly|quickly|in turn|as well(?! as)|\
      too|by the way|in any case|in the day|besides that|for today) =>
    (?:can|could|will|would) you (.*) [?]$ => 1
    , (?:will|would|could|can) you(?: [?])?$ =>
    ^(?:also|oh|hey|hi|hello|so|now|next up)(?: {_MARK})?(?= \S) =>
    ^(?:and|but)(?: ,)? =>
    ^(?:just |there is |here is |so |only )*(?:one|a|the|two|three|my|our|today's|just one|this is the|\
      that is the) (?:thing|rule|plan|list|schedule|request|note)s?(?: (?:to watch|to note|for the day))* : =>
    {_MARK}(?= {_MARK}) =>
    ^{_MARK} =>
    {_MARK}$ =>
    (?:whenever|wherever|where|when|as) (?:(?:it|that|they|this) (?:suits?|fits?)(?: you)?|suits(?: you)?|\
      {_WE} (?:like|want|please|wish|find (?:the )?time|have (?:the )?time)|there is (?:time|room|space)|\
      convenient) => at any time
    at any (?:quiet|free|convenient) (?:time|moment)|no matter when|(?:it )?does not matter when|\
      no fixed (?:place|time)|freely|flexible|independent of (?:all )?(?:this|that)|at some point|somewhere|\
      any time will do|when you do (?:it|that|those|them) is (?:your choice|up to you) => at any time
    (?:i do not (?:mind|care) )?(?:in )?(?:whatever|whichever|any|either|what|which|no particular) (?:order|\
      sequence)(?: (?:suits(?: you)?|{_WE} (?:like|prefer|want|please)))? => in any order
    (?:i do not (?:mind|care) )?(?:which|whichever|either)(?: one)?(?: of (?:the |those |these )?(?:two|three|\
      four|them))?(?: you (?:take|prefer|do|like))?(?: (?:comes|goes))? (?:first|\
      to begin with)(?: (?:is up to you|does not matter))? => in any order
    (?:the )?order of (?:these|those|the) (?:two|three|four)(?: is free| is up to you|\
       does not matter) => in any order
    (?:, )?in any order(?: (?:is fine|will do|in any order))+ => in any order
    ^in any order : (.*)$ => both 1 at any time
    ({_LIST})(?: ,)? in any order(?=$| {_MARK}) => both 1
    both both => both
    (?:once|when) (?:that|it) is {_DONE}(?: {_MARK})? => then
    when you are (?:done|through|finished) with (?:that|it)(?: ,)? => then
    (?:after|once) (?:that|it|this) {_MARK} => then
    only then => then
    after which => then
    (?:and|, and) finish with|(?:and|, and|and ,) last of all(?: ,)? => , finally
    ({_N})(?: {_BE} done)? at the (?:very )?end => 1 comes last
    ^when ({_LIST}) {_BE} {_DONE} => once 1
    only when (?={_N}) => only once
    (once|after|until|before|only once|wait for|wait until) ({_LIST}) {_BE} {_DONE} => 1 2
    (before|after|once|until|then|and|,) {_WE}(?: (?:will|have to|need to|want to|would like to|get to|do|\
      go into|go out to|go on to|drive out to))?(?= {_N}) => 1
    ^(?:i|we) (?:would like|want|need|also need)(?= {_N}) =>
    ^{_WE} (?:will )?(?:need to|have to)(?= {_N}) =>
    ^(?:i|we) will only ({_N}) => 1 only
    ^(?:get|have|make sure)(?= {_N}) =>
    (?:you|we) (?:may|can|are free to)(?= both) =>
    ({_N}) (?:done|out of the way|behind us|go out|goes out|go ahead|goes ahead|get done|\
      gets done)(?= (?:before|after)) => 1
    (?:leave|save|keep) ({_N}) (?:for|until|till|to) (?:the )?(?:very )?(?:end|last) => 1 comes last
    (?:leave|hold|keep|hold off(?: on| with)?) ({_N})(?: back)?(?= until) => do not do 1
    ({_N}) back(?= until) => do not do 1
    ({_N}) (?:concludes|closes|ends) the day => 1 comes last
    , (?:two|three|four) things (?:must|have to) be {_DONE} : => ,
    (until|before|for|after) (?:two|three|four) things(?: {_BE} {_DONE})?(?: :)? => 1
    ^(?:two|three|four) things (?:must|have to) be {_DONE} (before {_N}) : (.*)$ => both 2 come 1
    ^for ({_N}) we need (?:both )?(.*?) (?:done )?beforehand$ => 1 needs both 2
    (?:may|must|should|can) not (?:run|go) past => must end by
    is not possible before => must not start before
    (?:goes|go|comes|come) ahead of => comes before
    (?:before|ahead of) all other (?:work|jobs|tasks) => before everything else
    (?:nobody|no one) (?:is to |may |must |should )?(?:start |begin )?({_N})(?= (?:before|\
      until)) => 1 must not start
    ^no ({_N})(?= until (?:[0-9]|noon)) => 1 must not start
    do not (?:start |begin )?({_N}) (?:earlier than|before|until)(?= (?:[0-9]|noon)) => 1 must not start before
    ({_N}) (?:may|can|should) not (?:start|begin|be started|be done)(?= (?:before|earlier)) => 1 must not start
    ^(?:the )?(?:sequence|order)(?: for today)?(?: is)? : (.*)$ => 1 , in that order
    {_MARK}(?= {_MARK}) =>
    ^{_MARK} =>
    {_MARK}$ =>
"""
"""How a sentence whose actions stand in backquotes is said in plainer words (see ``english.PLAINER``)."""
