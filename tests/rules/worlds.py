"""Random small worlds: rules, the calls that there can be, and traces of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from random import Random

from planscope.language.calls import Against, Calls, Compare
from planscope.language.constructions import Kind
from planscope.rules.kinds import KINDS
from planscope.rules.rule import Rule
from planscope.rules.rule import RuleFile as RuleFile
from planscope.rules.values import OTHER
from tests.rules.table import Event

TOOLS = ("a", "b", "c")
UNARY = ("existence", "absence", "exactly", "in_row", "in_message", "never", "first", "last", "init", "end")
NEWER = ("compared", "in_message", "together")
"""Kinds that have modes of their own."""
SCOPED = ("since", "after_until", "not_between")


@dataclass
class World:
    """``letters``: every call that there can be, without its message. ``late``: do messages matter?"""

    rules: list[Rule]
    letters: list[Event]
    late: bool

    def trace(self, random: Random, longest: int = 6) -> list[Event]:
        found: list[Event] = []
        message = 0
        for _ in range(random.randint(0, longest)):
            letter = random.choice(self.letters)
            joins = self.late and found and found[-1].tool and letter.tool and random.random() < 0.4
            message += 0 if joins else 1
            found.append(letter._replace(message=message))
        return found

    def next_ones(self, trace: list[Event], over: bool = False) -> list[Event]:
        """Every event that can follow. ``over``: none of them is in the last event's message."""
        message = trace[-1].message if trace else 0
        found = [letter._replace(message=message + 1) for letter in self.letters]
        if self.late and trace and trace[-1].tool and not over:
            found += [letter._replace(message=message) for letter in self.letters if letter.tool]
        return found


def over(happened: list[Event], size: int) -> bool:
    """Is the message of the last of these first events over? Without a next event, it is if its answer is there."""
    if not size or size == len(happened):
        return not size or not happened[-1].tool or happened[-1].failed is not None
    return happened[size].message != happened[size - 1].message


X = (
    Compare("argument", ("x",), "=", 1),
    Compare("argument", ("x",), "!=", 1),
    Compare("argument", ("x",), ">", 1),
    Compare("argument", ("x",), "is missing"),
)
TEXTS = (
    Compare("argument", ("x",), "matches", "^[0-9]$"),
    Compare("argument", ("x",), "matches", "^1"),
    Compare("argument", ("x",), "does not match", "^[0-9]$"),
    Compare("argument", ("x",), "=", "1"),
    Compare("argument", ("x",), "is set"),
    Compare("argument", ("x",), "is missing"),
)
OK = Compare("answer", ("status",), "=", "ok")
ANSWERS = (OK, OK, Compare("answer", ("status",), "!=", "ok"), Compare("answer", ("status",), "is missing"))
IDS = (Compare("argument", ("id",), "=", "u"), Compare("argument", ("id",), "!=", "u"))
MODES = ("plain", "plain", "condition", "value", "outcome", "user", "latest", "answer", "both", "glob")


TEXT_MODES = ("text",)
"""Conditions that regular expressions are."""
MORE_MODES = (*MODES, *("latest", "outcome", "answer") * 3, "asked", "as")
"""More rules that look at answers; and what the table does not know: conditions on values that rules are judged by, and
two names for one value."""


def make_world(random: Random, most_rules: int = 3, modes: tuple[str, ...] = MODES) -> World:
    mode = random.choice(modes)
    tools = TOOLS[: random.choice((2, 3))]
    globs = ("a*", "*b", "*") if mode == "glob" else ("*",)

    def calls() -> tuple[Calls, ...]:
        name = random.choice(tools)
        if random.random() < (0.6 if mode == "glob" else 0.1):
            name = random.choice(globs)
        one = Calls(name, text=name)
        if mode in ("condition", "both") and random.random() < 0.5:
            one = Calls(name, condition=random.choice(X), text=f"{name} with x ...")
        if mode == "text" and random.random() < 0.7:
            one = Calls(name, condition=random.choice(TEXTS), text=f"{name} with x ...")
        if mode in ("outcome", "both") and random.random() < 0.5:
            one = replace(one, outcome=random.choice(("failed", "succeeded")), text=f"{name} that ...")
        if mode == "asked" and random.random() < 0.5:
            one = Calls(name, condition=random.choice(IDS), text=f"{name} with id ...")
        if mode == "answer" and random.random() < 0.5:
            one = Calls(name, condition=random.choice(ANSWERS), text=f"{name} with answer ...")
        if mode == "user" and random.random() < 0.35:
            return (Calls("", text="a user message"),)
        if random.random() < 0.15:
            return (one, Calls(random.choice(tools)))
        return (one,)

    rules = []
    for k in range(random.randint(1, most_rules)):
        kinds = [kind for kind in KINDS if kind not in ("latest", "not_within", *NEWER)] + {
            "latest": ["latest"] * 8,
            "compared": ["compared"] * 12,
            "message": ["in_message", "together"] * 6,
        }.get(mode, [])
        kind: Kind = random.choice(kinds)
        near = kind == "not_succession" and k > 0
        if kind == "compared":
            every = random.random() < 0.3
            against = Against(("x",), random.choice(("=", "!=")), ("status",), every=every)
        first = calls()
        while kind in ("init", "end", "latest", "compared", "in_message") and first[0].is_user:
            first = calls()
        then = () if kind in UNARY else calls()
        count = k if near else int(kind == "compared" and against.every)
        if kind in ("existence", "absence", "exactly", "in_row", "in_message", "within") and not near:
            count = random.choice((1, 2))
        keyed = mode in ("value", "asked", "as", "compared") and random.random() < 0.7
        other = mode == "as" and then and kind not in SCOPED and random.random() < 0.7
        rules.append(
            Rule(
                f"c{k + 1}",
                "not_within" if near else kind,
                first,
                then,
                count=count,
                unit="calls" if kind == "within" or near else "",
                per=(("id",),) if keyed else (),
                per_then=(("ref",),) if keyed and other else (),
                condition=OK if kind == "latest" else None,
                against=against if kind == "compared" else None,
                until=calls() if kind in SCOPED else (),
            )
        )
    letters = [Event(tool) for tool in tools]
    if random.random() < 0.5:
        letters.append(Event("other"))
    if mode == "glob":
        letters += [Event(tool) for tool in ("ab", "xb")]
    if mode in ("condition", "both"):
        some = [e._replace(arguments=(("x", x),)) for e, x in product(letters, (0, 1, 2))]
        letters = [*some, *letters]
    if mode == "text":
        some = [e._replace(arguments=(("x", x),)) for e, x in product(letters, ("1", "2", "12", "a"))]
        letters = [*some, *letters]
    if mode == "as":
        pairs = product((None, "u", "v"), repeat=2)
        given = [tuple((name, v) for name, v in zip(("id", "ref"), pair, strict=True) if v) for pair in pairs]
        letters = [e._replace(arguments=some) for e, some in product(letters, given)]
    if mode in ("value", "asked"):
        some = [
            e._replace(arguments=(("id", v),))
            for e, v in product(letters, ("u", "v", OTHER)[: 3 if mode == "asked" else 2])
        ]
        letters = [*some, *letters]
    if mode in ("outcome", "both"):
        letters = [e._replace(failed=f) for e, f in product(letters, (True, False, None))]
    if mode == "compared":
        some = [e._replace(arguments=(("x", x),)) for e, x in product(letters, ("ok", "no"))]
        if any(rule.per for rule in rules):
            some = [e._replace(arguments=(*e.arguments, ("id", v))) for e, v in product(some, ("u", "v"))]
        letters = [*some, *letters]
    if mode in ("latest", "answer", "compared", "message"):
        letters = [e._replace(status=s) for e, s in product(letters, ("ok", "no"))]
        letters += [Event(tool, failed=None) for tool in tools]
    if any(rule.hears_users for rule in rules):
        letters.append(Event(""))
    return World(rules, letters, any(rule.late for rule in rules))
