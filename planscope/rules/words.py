"""Writes rules in plain words: the meaning of each kind in one sentence, and why a trace is lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planscope.rules.rule import Calls, CallSet, Rule, path_text
from planscope.wording.phrases import plural

if TYPE_CHECKING:
    from planscope.rules.core import Core
    from planscope.rules.letters import Letter
    from planscope.rules.repair import RulesRepair
    from planscope.traces.shape import Trace


def set_text(calls: CallSet) -> str:
    """Write a set of calls: ``get_order``, ``a or b``, ``any call``."""
    return " or ".join(one.text or _own_text(one) for one in calls)


def _own_text(calls: Calls) -> str:
    if calls.is_user:
        return "a user message"
    if calls.name == "*":
        return "any call"
    return f"any call of {calls.name}" if calls.is_glob else calls.name


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _each(calls: CallSet) -> str:
    """Write the set after "each": ``call of update_*`` for ``any call of update_*``."""
    parts = [one.text or _own_text(one) for one in calls]
    return " or ".join(part.removeprefix("any ").removeprefix("a ") for part in parts)


def meaning(rule: Rule) -> str:
    """Write what a rule asks for, in one sentence. Names in it are shown as the file has them."""
    a, b = set_text(rule.first), set_text(rule.then)
    each_a, each_b = _each(rule.first), _each(rule.then)
    match rule.kind:
        case "precedence":
            text = f"each {each_b} needs {a} before it; kept if there is none"
        case "alternate_precedence":
            text = f"each {each_b} needs {a} before it, and another one after the {each_b} before"
        case "response":
            text = f"each {each_a} needs {b} after it"
        case "chain_precedence":
            text = f"the call just before each {each_b} must be {a}; a {each_b} that comes first breaks it"
        case "chain_response":
            text = f"the call just after each {each_a} must be {b}"
        case "within":
            limit = (
                f"among the next {plural(rule.count, 'call')}"
                if rule.unit == "calls"
                else f"within {plural(rule.count, 'second')}"
            )
            text = f"each {each_a} needs {b} {limit}; a deadline that still runs at the end is broken"
        case "existence":
            text = f"there must be {a} at least {_times(rule.count)}"
        case "absence":
            text = f"there may be {a} at most {_times(rule.count)}"
        case "exactly":
            text = f"there must be {a} exactly {_times(rule.count)}"
        case "never":
            text = f"there must be no {each_a}"
        case "not_succession":
            text = f"after {a} there must be no {each_b}"
        case "not_coexistence":
            text = f"there must not be both {a} and {b}, in any order"
        case "responded_existence":
            text = f"if there is {a}, there must be {b} too, before or after it"
        case "first":
            text = f"no other call may come before {a}; kept if there is none"
        case "last":
            text = f"no other call may come after {a}; kept if there is none"
        case "init":
            text = f"the first call must be {a}; a trace without calls breaks it"
        case "end":
            text = f"the last call must be {a}; a trace without calls breaks it"
        case "latest":
            text = (
                f"each {each_b} needs {a} before it, and the answer to the latest one must have had "
                f"{condition_text(rule.condition).replace('answer.', '')}"
            )
    if rule.per:
        names = " and ".join(map(path_text, rule.per))
        other = f" ({' and '.join(map(path_text, rule.per_then))} in {b})" if rule.per_then else ""
        text = f"for each {names}{other} on its own: {text}"
    return text[0].upper() + text[1:] + "."


def title(rule: Rule) -> str:
    """Return a rule's name, or else its id."""
    return rule.name or rule.id


def quoted(rule: Rule) -> str:
    return f"{title(rule)} (“{rule.text or meaning(rule)}”)"


def explanation(trace: Trace, core: Core, rules: Sequence[Rule], broken: Sequence[str]) -> str:
    """Explain in one or two sentences why a trace is lost. ``broken``: ids of the rules that are broken at that
    step."""
    calls = {call.step: call.tool for call in trace.calls}
    members = [rule for rule in rules if rule.id in core.rules]
    others = [step for step in core.steps if step != core.step]
    since = f", with {_steps(others, calls)}" if others else ""
    names = _list([quoted(rule) for rule in members])
    if core.step == "end":
        last = f" after {_steps(core.steps, calls)}" if core.steps else ""
        text = f"The trace ends and does not keep {names}{last}."
    elif core.step == 0:
        text = f"Before the first call no sequence of calls can keep these rules together: {names}."
    elif any(rule.id in broken for rule in members):
        text = f"Step {core.step} ({calls.get(int(core.step), '?')}){since} breaks {names}."
    else:
        at = f"step {core.step} ({calls.get(int(core.step), '?')})"
        text = f"After {at}{since} no continuation keeps {names}."
    return text if len(members) > 1 else f"{text} {meaning(members[0])}" if members else text


def _steps(steps: Sequence[int], calls: dict[int, str]) -> str:
    shown = [f"step {step} ({calls.get(step, '?')})" for step in steps[:6]]
    more = [f"{len(steps) - 6} more calls"] if len(steps) > 6 else []
    return _list([*shown, *more])


def _list(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def needed(letter: Letter) -> str | None:
    """Write the conditions that an inserted call must meet; None if any call of the tool will do."""
    parts = []
    for formula, truth in letter.truths:
        if truth:
            parts.append(formula_text(formula.condition, formula.outcome, formula.agent))
    for path, value in letter.values:
        parts.append(f"{path_text(path)} = {value_text(value)}")
    return " and ".join(filter(None, dict.fromkeys(parts))) or None


def value_text(value: object) -> str:
    """Write a canonical value (see ``values.key_part``) as JSON."""
    import json

    if isinstance(value, tuple):
        return str(value[1]) if value[0] == "json" else json.dumps(value[1])
    return json.dumps(value, ensure_ascii=False)


def formula_text(condition: object, outcome: str | None, agent: str | None) -> str:
    """Write a condition with outcome and agent."""
    parts = [condition_text(condition)] if condition is not None else []
    parts += [outcome] if outcome else []
    parts += [f"agent {agent}"] if agent else []
    return " and ".join(parts)


def condition_text(condition: object) -> str:
    """Write a condition as it can be written in a rule."""
    import json

    from planscope.rules.rule import Combined, Compare

    if isinstance(condition, Combined):
        word = " and " if condition.all else " or "
        parts = [
            f"({condition_text(part)})" if isinstance(part, Combined) else condition_text(part)
            for part in condition.parts
        ]
        return word.join(parts)
    assert isinstance(condition, Compare)
    path = path_text(condition.path)
    if condition.source == "answer":
        path = f"answer.{path}" if path else "answer"
    elif condition.source == "text":
        path = "text"
    if condition.operator == "is missing":
        return f"{path} is missing"
    value = list(condition.value) if isinstance(condition.value, tuple) else condition.value
    return f"{path} {condition.operator} {json.dumps(value, ensure_ascii=False)}"


def repair_parts(fixed: RulesRepair) -> list[str]:
    """Describe each change of a repair."""
    from planscope.rules.repair import Moved

    parts = []
    for one in fixed.placed:
        place = _place(one.before)
        if isinstance(one, Moved):
            parts.append(f"move step {one.step} ({one.tool}) before {place}")
        else:
            what = needed(one.letter)
            parts.append(f"insert {one.tool}{f' with {what}' if what else ''} before {place}")
    return parts + [f"remove step {r.step} ({r.tool})" for r in fixed.removed]


def repair_text(fixed: RulesRepair) -> str:
    """Describe a repair in one sentence."""
    parts = repair_parts(fixed)
    if not parts:
        return "Nothing needs to change."
    answers = " Moved calls keep their answers." if fixed.moved else ""
    exact = "" if fixed.exact else " A cheaper change may exist."
    return f"Nearest repair: {_list(parts)}.{answers}{exact}"


def _place(before: int | str) -> str:
    return "the end" if before == "end" else f"step {before}"
