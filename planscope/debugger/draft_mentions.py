"""Where a text names its actions, and an action's new name everywhere at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from planscope.debugger.draft import Draft, DraftError, checked_name, tool_for, with_action
from planscope.debugger.errors import shown
from planscope.language.names import Names
from planscope.language.pieces import cut, phrase_key
from planscope.language.problem import Action, Span
from planscope.language.reading import ActionNameError, PartReading, read_partly
from planscope.language.scan import Scanner
from planscope.language.tree import ActionRef, walk
from planscope.oracle.words import listed

MOST_SCANNED = 50_000
"""Code points of broken sentences that are looked through for words that are known."""


class Known(NamedTuple):
    """Words of a text that mean something. ``action``: the id of the action that they name, else "" (a relation)."""

    span: Span
    action: str


def words_known(draft: Draft, found: PartReading) -> tuple[Known, ...]:
    """Names and relations by their place: of a sentence that was read those meant, of a broken one all there are."""
    made: list[Known] = []
    if found.reading is not None:
        for _, node in walk(found.reading.tree):
            if isinstance(node, ActionRef):
                made.append(Known(node.span, node.action))
        made += [Known(c.spans[1], "") for c in found.reading.problem.said if len(c.spans) > 1]
    made += _scanned(draft, found)
    return tuple(sorted(set(made)))


def _scanned(draft: Draft, found: PartReading) -> Iterator[Known]:
    """The same for sentences that could not be read, as far as they are not too long."""
    wrong = sorted(error.span[0] for error in found.errors)
    broken = [s for s in found.sentences if any(s[0] <= at <= s[1] for at in wrong)] if wrong else []
    scanner = Scanner(Names(draft.actions), draft.timed) if broken else None
    room = MOST_SCANNED
    for start, end in broken:
        room -= end - start
        if room < 0 or scanner is None:
            return
        sentence = draft.text[start:end]
        for token in scanner.stream(sentence, list(cut(sentence))):
            if token.type == "ACTION" or token.meaning.relation:
                yield Known((start + token.start, start + token.end), token.action)


def mentions(draft: Draft, id: str, found: PartReading | None = None) -> tuple[Span, ...]:
    """Where the text names an action. ``found``: what reading the draft gave, if it was read already."""
    if found is None:
        found = read_partly(draft.text, draft.actions, timed=draft.timed)
    return tuple(known.span for known in words_known(draft, found) if known.action == id)


def where_named(spans: Sequence[Span], sentences: Sequence[Span], most: int = 4) -> str:
    """Places of a text for people: ``sentence 1 and sentence 3``."""
    numbers = sorted(
        {next((i for i, (a, b) in enumerate(sentences, 1) if a <= at[0] <= b), 0) for at in spans}
    )
    said = [f"sentence {number}" for number in numbers[:most]]
    if len(numbers) > most:
        said.append(f"{len(numbers) - most} more")
    return listed(said)


def rename_action(draft: Draft, id: str, name: str) -> Draft:
    """Another name for an action, in the text too; its tool follows.

    Where a plain name would make the text mean something else (because of a word of the language in it), it stands
    in backquotes there. Raises :class:`DraftError` for a name that cannot be had.
    """
    old = draft.action(id)
    name = checked_name(draft, name, besides=id)
    if name == old.name:
        return draft
    new = replace(old, name=name, tool=tool_for(draft, name, besides=id))
    try:
        before = read_partly(draft.text, draft.actions, timed=draft.timed)
    except ActionNameError:  # two names are equal: it is renamed to tell them apart
        return with_action(draft, id, name=new.name, tool=new.tool)
    spans = mentions(draft, id, before)
    for quote in ("", "`"):
        made = _renamed(draft, old, new, spans, quote)
        if _reads_alike(made, before):
            return made
    raise DraftError(f"the text would mean something else with {shown(name)} in it")


def _reads_alike(draft: Draft, before: PartReading) -> bool:
    """Whether a renamed draft says what it said before, with errors in the same sentences."""
    try:
        now = read_partly(draft.text, draft.actions, timed=draft.timed)
    except ActionNameError:
        return False
    if len(now.errors) != len(before.errors) or len(now.sentences) != len(before.sentences):
        return False
    one, other = (part.reading.problem.constraints if part.reading else () for part in (before, now))
    return [(c.meaning, c.sentence) for c in one] == [(c.meaning, c.sentence) for c in other]


def _renamed(draft: Draft, old: Action, new: Action, spans: Sequence[Span], quote: str) -> Draft:
    text = draft.text
    tool = phrase_key(old.tool)
    parts: list[str] = []
    end = 0
    for a, b in spans:
        said = text[a:b]
        by_tool = phrase_key(said) == tool and phrase_key(old.name) != tool
        word = new.tool if by_tool else _cased(new.name, said, old.name)
        quoted = text[a - 1 : a] == "`" and text[b : b + 1] == "`"
        parts += [text[end:a], word if quoted or by_tool else f"{quote}{word}{quote}"]
        end = b
    renamed = with_action(draft, old.id, name=new.name, tool=new.tool)
    return replace(renamed, text="".join([*parts, text[end:]]))


def _cased(name: str, said: str, old: str) -> str:
    """The new name with a capital where the text gave the old one a capital that it has not by itself."""
    if said[:1].isupper() and not old[:1].isupper():
        return name[:1].upper() + name[1:]
    return name
