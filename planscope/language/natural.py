"""Natural sentences, which people write and the paper's grammar does not have: "First A, then B", "A must wait for
B".

They are read and never written. Their words are in ``data/natural.toml``, their grammar is in ``data/natural.lark``,
and in the syntax tree each is a ``Natural`` clause.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise, product
from typing import Any, NamedTuple

from planscope.language.lexicon import LexiconError, load_lexicon
from planscope.language.scan import Meaning, Phrases, Token, bundled_phrases
from planscope.language.tree import Link, NaturalKind, Relation

BEGIN, END = "begin", "end"
"""Values of verbs about the beginning or the end of an action, instead of the whole action."""

_JOINTS = ("AND", "BUT", "COMMA")
_AFTER_JOINTS = ("P", "PSC", "SC", "VP", "VP0")
_VERBS = ("VP", "VP0")
_NEGATIONS = ("NEG", "DONT", "DONTNEG", "NEGVP")
_BEFORE_OBJECTS = ("P", "PSC", "SC")


@cache
def _data() -> Mapping[str, Any]:
    text = (files("planscope.language") / "data" / "natural.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _inflected(key: str) -> tuple[str, str]:
    """Return singular and plural of a verb phrase in its base form."""
    head, _, rest = key.partition(" ")
    lexicon = load_lexicon()
    singular, plural = {**lexicon.heads, **_data()["heads"]}[head]
    tail = f" {rest}" if rest else ""
    return singular + tail, plural + tail


def _with_modals(key: str) -> Iterator[str]:
    yield from _inflected(key)
    for modal in load_lexicon().modals:
        yield f"{modal.singular} {key}"
        yield f"{modal.plural} {key}"


@cache
def natural_phrases() -> Mapping[str, Meaning]:
    """Return every phrase of natural sentences with its meaning. "Finish" and "don't start" are an instruction or a
    verb."""
    found: dict[str, Meaning] = {}
    for phrase, meaning in _phrases():
        before = found.setdefault(phrase, meaning)
        if before != meaning:
            both = _TWOFOLD.get((before.type, meaning.type))
            if both is None or before.value != meaning.value:
                raise LexiconError(f"{phrase!r} has two meanings: {before} and {meaning}")
            found[phrase] = before._replace(type=both)
    return found


_TWOFOLD = {("DO", "NV"): "DONV", ("DONT", "NEG"): "DONTNEG"}


def _phrases() -> Iterator[tuple[str, Meaning]]:
    data = _data()
    for kind, phrases in data["words"].items():
        for phrase in phrases:
            yield phrase, Meaning(kind)
    for phrase in data["filler"]["lead"]:
        yield phrase, Meaning("LEAD")
    for phrase in data["filler"]["nothing"]:
        yield phrase, Meaning("FREE")
    for noun, before in product(data["lists"]["nouns"], ("", "the ", "our ", "your ")):
        for behind in (":", " is:", " is as follows:", " goes like this:"):
            yield before + noun + behind, Meaning("LEAD")
    for noun, of, before in product(
        data["needed"]["nouns"], data["needed"]["of"], ("", "a ", "the ", "one ")
    ):
        yield f"{before}{noun} {of}", Meaning("NEEDED", "", ">")
    for phrase in data["phases"]["past"]:
        yield phrase, Meaning("PAST")
    for phrase in data["lists"]["in_order"]:
        yield f"{phrase}:", Meaning("ORDER")
    for relation in "<>":
        for kind in ("PT", "WHEN", "BOUND"):
            for phrase in data[kind + relation]["phrases"]:
                yield phrase, Meaning(kind, "", relation)
        for verb in data[f"WAIT{relation}"]["verbs"]:
            for phrase in _with_modals(verb):
                yield phrase, Meaning("WAIT", "", relation)
        for verb in data["negations"][f"VP{relation}"]:
            for phrase in _negated(verb, data["negations"]):
                yield phrase, Meaning("NEGVP", "", relation)
    yield from _orders(data["order"])
    yield from _instructions(data["do"])
    yield from _verbs(data)
    yield from _places(data["place"])


def _orders(data: Mapping[str, Any]) -> Iterator[tuple[str, Meaning]]:
    for phrase in data["behind"]:
        yield phrase, Meaning("ORDER")
        for mark in data["marks"]:
            yield f"{mark} {phrase}", Meaning("ORDER")
        yield f"({phrase})", Meaning("ORDER")
    for phrase in data["before"]:
        yield phrase, Meaning("ORDER")
    for phrase in (*data["behind"], *data["before"], *data["titles"]):
        yield f"{phrase}:", Meaning("ORDER")


_PHASES = {"start": BEGIN, "begin": BEGIN, "finish": END, "complete": END, "be done with": END}
"""Verbs of instructions about a beginning or an end."""


def _instructions(data: Mapping[str, Any]) -> Iterator[tuple[str, Meaning]]:
    for kind, phrases in (("DO", data["before"]), ("DONT", data["not"]), ("MAYDO", data["turned"])):
        for before in phrases:
            yield before, Meaning(kind)
    for verb in data["verbs"]:
        yield verb, Meaning("DO", _PHASES.get(verb, ""))
    for verb, value in _PHASES.items():
        for before in data["not"]:  # "Don't start A"; but "A and B don't start"
            yield f"{before} {verb}", Meaning("DONT", value)
    for it in ("it is", "it's"):
        for adjective in data["matters"]:
            yield f"{it} {adjective} that", Meaning("LEAD")
            yield f"{it} {adjective} to", Meaning("DO")
    for subject in _data()["words"]["YOU"]:
        for have in (" have", "'ve", " are done", "'re done", " have finished", "'ve finished"):
            for behind in ("", " with"):
                yield subject + have + behind, Meaning("DOING")


def _verbs(data: Mapping[str, Any]) -> Iterator[tuple[str, Meaning]]:
    phases = dict.fromkeys(data["phases"]["begin"], BEGIN) | dict.fromkeys(data["phases"]["end"], END)
    own = phases | dict.fromkeys(data["phases"]["whole"], "")
    for phrase in data["phases"]["other"]:
        yield phrase, Meaning("NV", END)
    only, negations = data["only"], data["negations"]
    for verb, value in (*dict.fromkeys(load_lexicon().entries["VP0"], "").items(), *own.items()):
        if verb in own:
            for phrase in _with_modals(verb):
                yield phrase, Meaning("NV", value)
        for form in _inflected(verb):
            yield f"only {form}", Meaning("NV", value)
        for modal in only["modals"]:
            yield f"{modal} {verb}", Meaning("NV", value)
        for modal in only["may"]:
            yield f"{modal} {verb}", Meaning("MAY", value)
        for phrase in _negated(verb, negations):
            yield phrase, Meaning("NEG", value)
    for phrase in negations["other"]:
        yield phrase, Meaning("NEG")
    for phrase in negations["not_yet"]:
        yield phrase, Meaning("NOTYET")
    for have in negations["yet"]:
        for done in negations["had"]:
            yield f"{have} {done}", Meaning("NOTYET")


def _places(data: Mapping[str, Any]) -> Iterator[tuple[str, Meaning]]:
    for verb in data["verbs"]:
        for phrase in _with_modals(verb):
            yield phrase, Meaning("COME")
    for place in ("first", "last"):
        for phrase in data[f"with_{place}"]:
            yield phrase, Meaning("WITH", place)
        for word in data[place]:
            for noun in data["nouns"]:
                yield f"the {word} {noun}", Meaning("NTH", place)
                yield f"as the {word} {noun}", Meaning(place.upper())
                for verb in data["is"]:
                    yield f"the {word} {noun} {verb}", Meaning("WITH", place)


def _negated(verb: str, negations: Mapping[str, Any]) -> Iterator[str]:
    for modal in negations["base"]:
        yield f"{modal} {verb}"
    head, _, rest = verb.partition(" ")
    for forms in negations["be" if head == "be" else "do"]:
        for form in forms:
            if form == "never":
                yield from (f"never {word}" for word in _inflected(verb))
            else:
                yield f"{form} {rest if head == 'be' else verb}"


@cache
def natural_vocabulary() -> Phrases[Meaning]:
    """Return all phrases of ``vocabulary``, and those of natural sentences, which win over hints."""
    return Phrases(bundled_phrases(natural_phrases().items(), unhinted=("and then",)))


@cache
def natural_types() -> frozenset[str]:
    """Return the types of tokens that only natural sentences have."""
    return frozenset(meaning.type for meaning in natural_phrases().values()) | {"STEP"}


@cache
def fillers(kind: str = "words") -> frozenset[str]:
    """Return the words that say nothing about order and may stand anywhere, or another list of ``[filler]``."""
    return frozenset(_data()["filler"][kind])


def may_be_natural(tokens: Sequence[Token]) -> bool:
    """Return after a quick look whether natural.lark may read more in these tokens than the other grammars."""
    types = [token.type for token in tokens]
    if any(kind in natural_types() for kind in types) or not any(kind in _VERBS for kind in types):
        return True
    if types[0] in _BEFORE_OBJECTS:  # "After b happens, a."
        return True
    return any(
        (one in _JOINTS and other in _AFTER_JOINTS) or (one == "ACTION" and other in _BEFORE_OBJECTS)
        for one, other in pairwise(types)
    )


class Step(NamedTuple):
    """An item or a cue of a natural clause. ``kind``: "item", or the cue's type. ``place``: among items or among
    cues. A mark or a joining word has kind "mark" and place -1.

    ``value``: "begin" or "end" for a verb about a beginning or an end, "first" or "last" for "start with". ``clock``:
    it is a time.
    """

    kind: str
    place: int
    relation: str = ""
    value: str = ""
    clock: bool = False


def links_of(kind: NaturalKind, steps: Sequence[Step]) -> Iterator[Link]:
    """Yield the relations of a natural clause, whose items and cues are given in the order of the text."""
    if kind == "chain":
        return _chain(steps)
    return _place(steps) if kind == "place" else _related(steps, fronted=kind == "fronted")


_SAYING = ("THEN", "ORDINAL", "LAST", "AFTERWARDS", "STEP", "ORDER")


def _chain(steps: Sequence[Step]) -> Iterator[Link]:
    """Each item comes before the next. The cue stands between them, or behind both in "A, B, then C". In "A, but B
    first" it turns their order."""
    end = steps[-1]
    if end.kind in ("BEFOREHAND", "FIRST"):
        yield Link(0, ">", end.place, 1)
        return
    cue, said = -1, False
    waiting: list[int] = []
    for step in steps:
        if step.kind in _SAYING:
            yield from (Link(place - 1, "<", step.place, place) for place in waiting)
            cue, said, waiting = step.place, True, []
        elif step.kind == "item":
            if step.place and said:
                yield Link(step.place - 1, "<", cue, step.place)
            elif step.place:
                waiting.append(step.place)
            said = False
    yield from (Link(place - 1, "<", cue, place) for place in waiting)


def _place(steps: Sequence[Step]) -> Iterator[Link]:
    """Yield the relation of "A comes first" and "Everything else comes after A": the last item is ``Rest``."""
    cues = [step for step in steps if step.kind not in ("item", "mark")]
    kinds = [step.kind for step in cues]
    if not {"REST", "NOTHING"} & set(kinds):
        last = any(step.kind == "LAST" or step.value == "last" for step in cues)
        yield Link(0, ">" if last else "<", cues[-2 if len(cues) > 1 else -1].place, 1)
        return
    said = next(step for step in cues if step.relation or step.kind == "UNTIL")
    relation = ">" if said.kind == "UNTIL" else said.relation
    if said.kind != "UNTIL" and {"NOTHING", *_NEGATIONS} & set(kinds):
        relation = _turned(relation)
    rest = kinds.index("REST" if "REST" in kinds else "NOTHING")
    if rest < cues.index(said):  # the rest is the subject
        relation = _turned(relation)
    yield Link(0, "<" if relation == "<" else ">", said.place, 1)


def _related(steps: Sequence[Step], *, fronted: bool) -> Iterator[Link]:
    negated = any(step.kind in _NEGATIONS for step in steps)
    items = [step.place for step in steps if step.kind == "item"]
    subject = items[-1] if fronted else items[0]
    cue, relations = -1, [""]
    for step in steps:
        if step.kind == "BETWEEN":
            cue, relations = step.place, [">", "<"]
        elif step.kind in _UNTIL:
            cue, relations = step.place, [">"]
        elif step.relation:
            cue, relations = step.place, [_turned(step.relation) if negated else step.relation]
        elif step.kind == "item" and step.place != subject:
            relation: Relation = "<" if relations[0] == "<" else ">"
            relations = relations[1:] or relations
            yield Link(subject, relation, cue, step.place)


_UNTIL = ("UNTIL", "UNLESS", "ASLONG", "WITHOUT", "HAVING", "NOTBEFORE")


def _turned(relation: str) -> str:
    """Return the opposite relation. Calls come one by one, so an action that is not before another is after it."""
    return "<" if relation == ">" else ">"


def impossible_phase(kind: NaturalKind, steps: Sequence[Step]) -> tuple[Step, Step, str] | None:
    """Return verb, time and relation if a verb such as "starts" has a clock time that no constraint can state, or
    None.

    ``steps`` contain the marks too, of kind "mark": a verb after a mark belongs to the subject.
    """
    if kind not in ("order", "fronted"):
        return None
    items = [step for step in steps if step.kind == "item"]
    subject = items[-1] if kind == "fronted" else items[0]
    relations = {link.object: link.relation for link in links_of(kind, steps)}
    verb: Step | None = None
    met: list[tuple[Step | None, Step]] = []
    for before, step in pairwise((_MARK, *steps)):
        if step.kind in ("DO", *_NEGATIONS) or (step.kind in _PREDICATES and before in (subject, _MARK)):
            verb = step
        elif step.clock:
            met.append((verb, step))
    for told, time in met:
        own = verb if kind == "fronted" else told
        relation = relations[time.place]
        if own is not None and (own.value, relation) in ((BEGIN, "<"), (END, ">")):
            return own, time, "before" if relation == "<" else "after"
    return None


_PREDICATES = ("NV", "DONV", "VP0", "VP", "WAIT")
_MARK = Step("mark", -1)


@cache
def list_headings() -> dict[str, bool]:
    """Return the lines that announce a list, in lower case and without colon, each with whether it says "in order"."""
    lists = _data()["lists"]
    titles = (f"{title}{more}" for title in _data()["order"]["titles"] for more in ("", " is as follows"))
    headings = (the + noun for noun in (*lists["heading"], *lists["nouns"]) for the in ("", "the ", "our "))
    return dict.fromkeys(headings, False) | dict.fromkeys((*lists["in_order"], *titles), True)
