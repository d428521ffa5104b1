"""Writes rules in plain words: the meaning of each kind in one sentence, and why a trace is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from planscope.language.calls import (
    COUNT,
    EACH,
    SUM,
    Calls,
    CallSet,
    Compare,
    Path,
    Relation,
    condition_text,
    path_text,
)
from planscope.language.english import FUNCTION, SOFT
from planscope.rules.kinds import KINDS
from planscope.rules.rule import Rule
from planscope.wording.phrases import listed, plural, step_name

if TYPE_CHECKING:
    from planscope.rules.letters import Letter
    from planscope.rules.repair import RulesRepair


def set_text(calls: CallSet) -> str:
    """Write a set of calls: ``get_order``, ``a or b``, ``any call``."""
    return " or ".join(calls_text(one) if one.is_said else one.text or calls_text(one) for one in calls)


def tool_text(name: str) -> str:
    """Write a tool's name as a sentence can have it: in backquotes if it could be a word or has other signs."""
    word = name.casefold()
    plain = _PLAIN.fullmatch(name) is not None and (word == "a" or word not in FUNCTION | SOFT)
    return name if plain else f"`{name}`"


_PLAIN = re.compile(r"[^\W\d]\w*")


def calls_text(calls: Calls) -> str:
    """Write a set of calls as a sentence can have it, with its conditions."""
    if calls.is_said:
        text = "a user message" if calls.is_user else "an assistant message"
    elif calls.is_glob:
        name = calls.name if _GLOB.fullmatch(calls.name) else f"`{calls.name}`"
        text = "any call" if name == "*" else f"any call of {name}"
        text += f" other than {' or '.join(map(tool_text, calls.but))}" if calls.but else ""
    else:
        text = tool_text(calls.name)
    if calls.condition is not None:
        text += f" with {condition_text(calls.condition)}"
    text += {"failed": " that failed", "succeeded": " that succeeded", None: ""}[calls.outcome]
    return text if calls.agent is None else f"{text} by {json.dumps(calls.agent, ensure_ascii=False)}"


_OF_MESSAGES = re.compile(r"\b(latest|own) an? (?=(?:user|assistant) message)")
_OF_TEXTS = re.compile(r"(?<=message )had text (?=contains |matches |has a word of )")
_GLOB = re.compile(r"[\w*]+")


def sentence_of(rule: Rule) -> str:
    """Write a rule as a sentence that can be read only as this rule."""
    a, b, c = (" or ".join(map(calls_text, some)) for some in (rule.first, rule.then, rule.until))
    text = KINDS[rule.kind].sentence
    if rule.against is not None and rule.against.relation in _ORDERING and len(rule.then) == 1:
        text = "{b}.{left} {latest}" if rule.then[0].plain and not rule.then[0].is_glob else text
    turned = -1 < text.find("{b}") < text.find("{a}")
    text = text.format(
        a=a,
        b=b,
        c=c,
        times="once"
        if rule.count == 1 and rule.kind != "in_row"
        else f"{rule.count} time{'s' * (rule.count > 1)}",
        limit=plural(rule.count, (rule.unit or "calls").removesuffix("s")).replace(",", ""),
        condition="" if rule.condition is None else condition_text(rule.condition),
        **compared_text(rule, a, " is" if ".{left}" in text else ""),
    )
    text = _OF_MESSAGES.sub(r"\1 ", text).replace("Every any call", "Every call", 1)
    if isinstance(rule.condition, Compare) and rule.condition.source == "text":
        text = _OF_TEXTS.sub("", text)
    if rule.per:
        names = [" and ".join(map(_path, some)) for some in (rule.per, rule.per_then) if some]
        text += f" for the same {' as '.join(names[::-1] if turned else names)}"
    return (
        text[:1].upper() + text[1:] + "."
        if text.startswith(("any call", "a user", "an assistant"))
        else f"{text}."
    )


def compared_text(rule: Rule, latest: str, is_: str = "") -> dict[str, str]:
    """Write how an argument is compared, and with what: ``amount at most``, ``the latest get_order's total``. Both are
    empty for rules that do not compare."""
    against = rule.against
    if against is None:
        return {"left": "", "latest": ""}
    unit = f" in {against.unit}" if against.unit else ""
    relation = _RELATIONS[against.relation]
    if against.pair:
        relation = f"and {_path(against.pair)} pairwise {relation}"
    if against.relation == "within":
        size, name = next(
            (size, name) for size, name in _SPANS.items() if not against.number % size or size == 1
        )
        relation = f"within {against.number / size:g} {name}s of"
    elif against.number != 1:
        relation += f" {against.number:g} times"
    (calls, *others), path = rule.first, _path(against.answer or ("answer",))
    latest = ("an earlier " if against.every else "the latest ") + _ARTICLE.sub("", latest, 1)
    where = "" if against.where is None else f" with {condition_text(against.where).replace('answer.', '')}"
    if against.answer == () and calls.is_said:
        return {"left": f"{_path(against.argument)}{unit}{is_} {relation}", "latest": latest}
    plain = calls.plain and not calls.is_glob and not others and against.answer[:1] not in ((COUNT,), (SUM,))
    answer = f"{latest}'s {path}{where}" if plain else f"{path}{where} of {latest}"
    return {"left": f"{_path(against.argument)}{unit}{is_} {relation}", "latest": answer}


_ORDERING = ("=", "!=", "<", "<=", ">", ">=", "within")
_SPANS = {86_400: "day", 3600: "hour", 60: "minute", 1: "second"}
_RELATIONS: Mapping[Relation, str] = {
    "=": "equal to",
    "!=": "other than",
    "<": "below",
    "<=": "at most",
    ">": "above",
    ">=": "at least",
    "among": "among",
    "not among": "not among",
    "within": "within",
    "part of": "part of",
}


def _path(path: Path) -> str:
    if path[:1] in ((COUNT,), (SUM,)):
        return path_text(path[:1]) + _path(path[1:])
    return "".join(
        f"[{step}]"
        if isinstance(step, int)
        else ("." if k else "") + (step if step == EACH or _PLAIN.fullmatch(step) else f"`{step}`")
        for k, step in enumerate(path)
    )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _each(calls: CallSet) -> str:
    """Write the set after "each": ``call of update_*`` for ``any call of update_*``."""
    parts = [(one.text or calls_text(one), one.is_said or one.is_glob) for one in calls]
    return " or ".join(_ARTICLE.sub("", text) if general else text for text, general in parts)


_ARTICLE = re.compile(r"\b(?:any|an?|the) ", re.IGNORECASE)


def meaning(rule: Rule) -> str:
    """Write what a rule asks for, in one sentence. Names in it are shown as the file has them."""
    a, b = set_text(rule.first), set_text(rule.then)
    each_a, each_b = _each(rule.first), _each(rule.then)
    limit = (
        f"within {plural(rule.count, 'second')}"
        if rule.seconds
        else f"among the next {plural(rule.count, 'call')}"
    )
    condition = condition_text(rule.condition).replace("answer.", "") if rule.condition is not None else ""
    text = KINDS[rule.kind].meaning.format(
        a=a,
        b=b,
        c=set_text(rule.until),
        each_a=each_a,
        each_b=each_b,
        times=_times(rule.count),
        limit=limit,
        condition=condition,
        **compared_text(rule, a),
    )
    if any(calls.is_said for calls in rule.first):
        text = text.replace("the answer to the latest", "the latest").replace("had text ", "had a text that ")
    if rule.per:
        names = " and ".join(map(path_text, rule.per))
        other = f" ({' and '.join(map(path_text, rule.per_then))} in {b})" if rule.per_then else ""
        text = f"for each {names}{other} on its own: {text}"
    return text[0].upper() + text[1:] + "."


def needed(letter: Letter, *, strictly: bool = False) -> str | None:
    """Write the conditions that a call must meet; None if any call of the tool will do. ``strictly``: the letter says
    only what is needed, so what must not be is written, too."""
    from planscope.rules.satisfiable import ABSENT
    from planscope.rules.values import plain_value

    parts = []
    for formula, truth in letter.truths:
        said = [condition_text(formula.condition)] if formula.condition is not None else []
        said += [formula.outcome] if formula.outcome else []
        said += [f"agent {formula.agent}"] if formula.agent else []
        text = " and ".join(said)
        if truth:
            parts.append(text)
        elif strictly:
            parts.append(f"not ({text})" if " and " in text or " or " in text else f"not {text}")
    for path, value in letter.values:
        if value is not ABSENT:
            parts.append(f"{path_text(path)} = {json.dumps(plain_value(value), ensure_ascii=False)}")
        elif strictly:
            parts.append(f"no {path_text(path)}")
    return " and ".join(filter(None, dict.fromkeys(parts))) or None


def repair_parts(fixed: RulesRepair) -> list[str]:
    """Describe each change of a repair."""
    from planscope.rules.repair import Moved

    parts = []
    for one in fixed.placed:
        place = f"before {step_name(one.before)}"
        if one.turns:
            said = "user message" if one.turns == 1 else f"{one.turns} user messages"
            said = f"last {said}" if one.before == "end" else f"{said} right before {step_name(one.before)}"
            place = f"in front of the {said}"
        if not isinstance(one, Moved):
            what = needed(one.letter, strictly=True)
            parts.append(f"insert {one.tool}{f' with {what}' if what else ''} {place}")
        elif one.alone:
            parts.append(f"make step {one.step} ({one.tool}) in a message of its own")
        else:
            place = "to the end" if one.before == "end" and not one.turns else place
            parts.append(f"move step {one.step} ({one.tool}) {place}")
    return parts + [f"remove step {r.step} ({r.tool})" for r in fixed.removed]


def repair_text(fixed: RulesRepair) -> str:
    """Describe a repair in one sentence, or say why there is none."""
    if fixed.reason:
        return f"Repair: none ({fixed.reason})." if fixed.sought else f"Repair: {fixed.reason}."
    parts = repair_parts(fixed)
    if not parts:
        return "Nothing needs to change."
    answers = " Moved calls keep their answers." if fixed.moved else ""
    exact = "" if fixed.exact else " A cheaper change may exist."
    return f"Nearest repair: {listed(parts)}.{answers}{exact}"
