"""Tools whose bug is behind several checks in a row, each on something computed from the argument.

No constant in the source is a valid argument, and a value that passes all checks at once is rarely drawn: it is reached
step by step, from inputs that passed the checks before. All raise RuntimeError.
"""

from __future__ import annotations

import shlex
from itertools import pairwise
from typing import Any

NESTED: list[Any] = []


def nested(target: Any) -> Any:
    NESTED.append(target)
    return target


@nested
def licence(key: str) -> str:
    """Check a licence key."""
    if len(key) < 6:
        return "short"
    total = sum(ord(c) for c in key)
    if total % 5 != 0:
        return "wrong sum"
    if sum(c.isdigit() for c in key) * 3 < len(key):
        return "too few digits"
    if len(set(key)) < 6:
        return "too uniform"
    if ord(key[0]) * ord(key[-1]) % 7 != 1:
        return "wrong ends"
    raise RuntimeError("an old key")


@nested
def stack_machine(program: str) -> int:
    """Run a program of words: push, add, dup, drop, swap."""
    stack: list[int] = []
    for word in program.split():
        if word == "push":
            stack.append(1)
        elif word == "dup" and stack:
            stack.append(stack[-1])
        elif word == "add" and len(stack) > 1:
            stack.append(stack.pop() + stack.pop())
        elif word == "drop" and stack:
            stack.pop()
        elif word == "swap" and len(stack) > 1:
            stack[-1], stack[-2] = stack[-2], stack[-1]
        else:
            return -1
        if len(stack) == 3:
            if stack[-1] <= 2:
                continue
            if stack[0] < stack[1]:
                raise RuntimeError("overflow")
    return len(stack)


@nested
def brackets(text: str) -> int:
    """The deepest nesting of brackets."""
    depth = deepest = 0
    for c in text:
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        else:
            continue
        if depth < 0:
            return -1
        deepest = max(deepest, depth)
    if depth:
        return -2
    if deepest < 2:
        return deepest
    if not text.find("[") > text.find("(") >= 0:
        return deepest
    if text.count("[") == 2:
        raise RuntimeError("mixed brackets")
    return deepest


@nested
def command(line: str) -> str:
    """Run a command line with options."""
    try:
        words = shlex.split(line)
    except ValueError:
        return "unbalanced quotes"
    if len(words) < 3:
        return "usage"
    flags = {w[2:] for w in words if w.startswith("--")}
    if not flags:
        return "no options"
    if len(flags) * 2 < len(words):
        return "too few options"
    if max(map(len, flags)) <= 3:
        return "ran"
    if any(len(f) == 1 for f in flags):
        raise RuntimeError("short and long")
    return "ran"


@nested
def checksum(number: int) -> bool:
    """Check a customer's number by its digits."""
    digits = [int(c) for c in str(abs(number))]
    if len(digits) < 5:
        return False
    if sum(digits) % 10 != 0:
        return False
    if digits[0] == digits[-1]:
        return False
    if sum(digits[::2]) % 3 != 1:
        return False
    if len(set(digits)) >= 4:
        raise RuntimeError("a blocked customer")
    return True


@nested
def schedule(starts: list[int], length: int) -> int:
    """Count overlaps of slots of the same length."""
    if length < 2 or len(starts) < 3:
        return 0
    ordered = sorted(starts)
    gaps = [b - a for a, b in pairwise(ordered)]
    if min(gaps) <= 0:
        return 0
    tight = [g for g in gaps if g < length]
    if not tight:
        return 0
    if len(tight) == len(gaps):
        return len(tight)
    if sum(gaps) % length != 0:
        return len(tight)
    if len(set(gaps)) == len(gaps):
        raise RuntimeError("no slot is free")
    return len(tight)


@nested
def palette(colours: list[str]) -> str:
    """Check a palette of colours such as '#a0b1c2'."""
    values = []
    for one in colours:
        if len(one) != 7 or not one.startswith("#"):
            continue
        try:
            values.append(int(one[1:], 16))
        except ValueError:
            continue
    if len(values) < 2:
        return "too few"
    dark = [v for v in values if (v >> 16) + (v >> 8 & 255) + (v & 255) < 200]
    if not dark:
        return "bright"
    if len(dark) == len(values):
        return "dark"
    if values[0] not in dark:
        raise RuntimeError("a bright beginning")
    return "fine"


@nested
def maze(moves: str) -> str:
    """Walk through a maze: n, e, s, w."""
    x = y = 0
    for move in moves[:40]:
        if move == "n":
            y += 1
        elif move == "s":
            y -= 1
        elif move == "e":
            x += 1
        elif move == "w":
            x -= 1
        else:
            return "no such move"
        if x < 0 or y < 0:
            return "a wall"
        if (x, y, move) == (1, 2, "e"):
            return "a door"
        if x != 3:
            continue
        if y == 1 and move == "s":
            raise RuntimeError("a trap")
    return f"{x},{y}"
