"""Says a sentence again with its tools in backquotes, which it names in other words: "a ship may be berthed" becomes
"`berth_ship` may be called". So a sentence in natural words is read as one that spells its tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from planscope.language import english
from planscope.language.cuts import Cuts, Scanner, Token, full
from planscope.language.inflection import forms, singular
from planscope.language.mentions import Mention

_LIGHT = english.words(
    """take place arrange send post issue book set hand give put lay impose carry conduct schedule submit file log
    record register raise draw write print produce generate create prepare publish grant obtain serve assign order
    hold deliver"""
)
"""Verbs that say of a tool's noun only that the tool is called: "a loaner is handed out"."""
_HELPING = english.words(
    "be is are was were been being gets get got not never ever only also already always first has have had"
)
_BEFORE = english.words(
    "to must should shall may can could will not never only please always and then you we it agent or , "
)
_UP = english.words("out over up")
_LEADING = english.COUNTING | english.words(
    """a an the any another second third fourth fifth precisely no more than at least most exactly single new fresh own
    further every each its their such"""
)
"""Words between a verb and its object."""


@cache
def _light() -> Mapping[str, frozenset[str]]:
    """Return the forms of light verbs, with their kinds."""
    return {form: kinds for verb in _LIGHT for form, kinds in forms(verb).items()}


def spelt(scanner: Scanner, row: Sequence[Token]) -> list[Token]:
    """Return a sentence with its tools in backquotes and a plain verb beside them. A tool is named only where all its
    words stand together, in whatever form, and fit no other tool."""
    row = full(row, scanner.names.known)
    cuts = scanner.cuts([one for k, one in enumerate(row) if not _joins(row, k)], inflected=True)
    found: list[Token] = []
    done = 0
    for at, width, tool, mention in cuts.mentioned():
        some = cuts.row[at : at + width]
        if at < done:
            continue
        if counted := _counted(cuts, at):
            done, words = counted
            found += words
        elif mention is not None and _is_whole(some, mention):
            found += _in_backquotes(cuts.keys[at - 1] if at else "", some, mention)
        elif mention is None and width > 1:
            found.append(Token("quoted", f"`{tool}`", some[0].start, some[-1].end))
        else:
            found += some
    return list(_plain_verbs(scanner, found))


def _joins(row: Sequence[Token], k: int) -> bool:
    """Return whether a token is a hyphen inside a word: "sign-off", but not "no-show"."""
    if row[k].text != "-" or not 0 < k < len(row) - 1 or {row[k - 1].kind, row[k + 1].kind} != {"word"}:
        return False
    glued = row[k - 1].end == row[k].start and row[k].end == row[k + 1].start
    return glued and row[k - 1].key not in english.FUNCTION


def _is_whole(some: Sequence[Token], mention: Mention) -> bool:
    """Return whether a mention has all words of its tool."""
    keys = {one.key for one in some}
    same = keys | set(map(singular, keys))
    action = mention.action
    wanted = [*map(singular, action.rest), *filter(None, [action.particle])]
    single = len(some) == 1 and some[0].key in english.FUNCTION | english.SOFT
    return not (mention.elliptic or single or same.isdisjoint(forms(action.verb))) and same.issuperset(wanted)


def _in_backquotes(before: str, some: Sequence[Token], mention: Mention) -> Iterator[Token]:
    """Yield the tokens of a mention: an article before it, the tool, and its verb: "send a notice" calls a tool."""
    for one in some:
        if one.start < mention.tokens[0].start:
            yield one
    kinds = forms(mention.action.verb).get(some[0].key, frozenset())
    if len(some) > 1 and "base" in kinds and (before in (*_BEFORE, "that")):
        yield Token("word", "call", some[0].start, some[0].end)
    for said in mention.tokens:
        if said.action:
            yield Token("quoted", f"`{said.action}`", said.start, said.end)
        for word in said.words.split():
            yield Token("word", word, said.start, said.end)


def _counted(cuts: Cuts, at: int) -> tuple[int, list[Token]] | None:
    """Read "send more than two notices" as "call more than two `send_notice`". Return where it ends, and its tokens."""
    end = at + 1
    while end < len(cuts.row) and cuts.keys[end] in _LEADING:
        end += 1
    fits = {
        action.id: action
        for action in cuts.scanner.mentions.verbs.get(cuts.keys[at], ())
        if end > at + 1 and not action.particle and not action.whole and action.rest
        if [*map(singular, cuts.keys[end : end + len(action.rest)])] == [*map(singular, action.rest)]
    }
    action = next(iter(fits.values())) if len(fits) == 1 else None
    kinds = forms(action.verb)[cuts.keys[at]] if action else ()
    if action is None or not {"base", "ing"} & set(kinds):
        return None
    stop = end + len(action.rest)
    verb = Token("word", "call" if "base" in kinds else "calling", *cuts.span(at, at + 1))
    return stop, [verb, *cuts.row[at + 1 : end], Token("quoted", f"`{action.id}`", *cuts.span(end, stop))]


def _plain_verbs(scanner: Scanner, row: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens with "call" for each light verb, unless it belongs to a tool's name."""
    light = False
    for k, token in enumerate(row):
        before = row[k - 1].key if k else ""
        if light and token.key in _UP:
            continue
        own = token.key in scanner.mentions.verbs or singular(token.key) in scanner.mentions.objects
        kinds = frozenset() if own else _light().get(token.key, frozenset())
        tool = next((one for one in row[k + 1 :] if one.key not in _LEADING | _UP), token)
        form = ""
        if "done" in kinds and before in _HELPING and not english.is_called(token.key):
            form = "called"
        elif tool.kind == "quoted" and {"ing", "base"} & kinds:
            form = "calling" if "ing" in kinds else "call" if before in _BEFORE else ""
        light = bool(form)
        yield replace(token, kind="word", text=form) if form else token
