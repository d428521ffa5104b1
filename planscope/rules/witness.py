"""Writes down a call that a letter stands for: arguments and an answer that meet its truth values and its values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from planscope.language.calls import Path
from planscope.oracle.arguments import START
from planscope.oracle.trace import Said, ToolCall
from planscope.oracle.verdict_types import Move, SafeCall
from planscope.rules.core import feed
from planscope.rules.future import Future
from planscope.rules.judge import Judge, key_in
from planscope.rules.letters import Alphabet, Letter
from planscope.rules.satisfiable import ABSENT, TooMany, example
from planscope.rules.values import MISSING, read_answer, suiting


def safe_call(alphabet: Alphabet, letter: Letter, move: Move) -> SafeCall:
    """Return a safe move with the call and the answer that a letter stands for."""
    rules = [alphabet.book.rules[i] for i in alphabet.book.seeing(letter.tool)]
    paths = {path for rule in rules for path in (*rule.per, *rule.per_then)}
    made = witness(letter, tuple(sorted(paths, key=repr)))
    if made is None:
        return SafeCall(move.action, move.hours, letter.tool)
    arguments = dict(made.arguments or {}) | ({START: move.hours[0]} if move.hours else {})
    return SafeCall(
        move.action, move.hours, made.tool, arguments, made.answer, made.answered, made.failed, made.agent
    )


@lru_cache(maxsize=4096)
def witness(letter: Letter, paths: tuple[Path, ...]) -> ToolCall | None:
    """Return a call that the letter stands for, or None. ``paths``: the arguments by whose values rules judge its tool.

    If no condition looks at the answer, the call has none: any will do (``answer`` and ``failed`` are None).
    """
    values = dict(letter.values)
    try:
        parts = example(letter.truths, {path: values.get(path, ABSENT) for path in paths})
    except TooMany:
        return None
    if parts is None:
        return None
    arguments, agent = parts.get("argument", {}), parts.get("agent")
    assert isinstance(arguments, dict) and isinstance(agent, str | None)
    call = ToolCall(letter.tool, arguments, agent=agent, answered=True)
    outcome = parts.get("outcome")
    if outcome is not None:
        call.answered = outcome is not MISSING
        call.failed = outcome == "failed" if call.answered else None
        call.answer = _text(parts["answer"]) if call.answered else None
    return call


def _text(answer: object) -> str:
    """Write an answer as a tool gives it."""
    if isinstance(answer, str) and read_answer(answer) == answer:
        return answer
    return json.dumps(None if answer is MISSING else answer)


def safe_moves(future: Future, judge: Judge, moves: Mapping[str, Move]) -> tuple[SafeCall, ...]:
    """Return the safe ones of these moves, which are given by tool, with their witnesses."""
    found = zip(moves.values(), future.each(judge, list(moves)), strict=True)
    made = (
        (safe_call(future.alphabet, one.plan[0], move), one)
        for move, one in found
        if one.possible or (one.possible is None and one.plan)
    )
    agreeing = (call if one.possible else _agreeing(future, judge, call) for call, one in made)
    return tuple(call for call in agreeing if call is not None)


def _agreeing(future: Future, judge: Judge, safe: SafeCall) -> SafeCall | None:
    """Return a call with arguments that agree with the answers that rules compare them with, if it is safe."""
    arguments = dict(safe.arguments or {})
    for i in judge.book.seeing(safe.tool):
        against, touch = judge.book.rules[i].against, judge.book.touch(i, safe.tool)
        if against is None or touch is None or not touch.then:
            continue
        key = key_in(touch, arguments)
        k = i if key is None else judge.index.get((i, key), i)
        suits = suiting(judge.answers.get(k, (0, (), ()))[2], against)
        if suits is None:
            return None
        arguments |= suits
    after, message = judge.copy(), judge.message + 1
    call = ToolCall(
        safe.tool, arguments, agent=safe.agent, answer=safe.answer, answered=True, failed=safe.failed
    )
    call.step, call.message = judge.last_step + 1, message
    feed(after, [(call, call.step), (Said("model", "", message + 1), call.step)])
    return replace(safe, arguments=arguments) if future.of(after).possible else None
