"""Random small worlds: rules, the calls that there can be, and traces of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from random import Random

from planscope.rules.rule import KINDS, Calls, Compare, Kind, Rule
from planscope.rules.rule import RuleFile as RuleFile
from tests.rules.table import Event

TOOLS = ("a", "b", "c")
UNARY = ("existence", "absence", "exactly", "never", "first", "last", "init", "end")


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

    def next_ones(self, trace: list[Event]) -> list[Event]:
        """Every event that can follow."""
        message = trace[-1].message if trace else 0
        found = [letter._replace(message=message + 1) for letter in self.letters]
        if self.late and trace and trace[-1].tool:
            found += [letter._replace(message=message) for letter in self.letters if letter.tool]
        return found


def make_world(random: Random, most_rules: int = 3) -> World:
    mode = random.choice(("plain", "plain", "condition", "value", "outcome", "user", "latest"))
    tools = TOOLS[: random.choice((2, 3))]

    def calls() -> tuple[Calls, ...]:
        name = random.choice((*tools, *tools, "*") if random.random() < 0.3 else tools)
        one = Calls(name, text=name)
        if mode == "condition" and random.random() < 0.5:
            one = Calls(name, condition=Compare("argument", ("x",), "=", 1), text=f"{name} with x = 1")
        if mode == "outcome" and random.random() < 0.5:
            one = Calls(name, outcome=random.choice(("failed", "succeeded")), text=f"{name} that ...")
        if mode == "user" and random.random() < 0.35:
            return (Calls("", text="a user message"),)
        if random.random() < 0.15:
            return (one, Calls(random.choice(tools)))
        return (one,)

    rules = []
    for k in range(random.randint(1, most_rules)):
        kinds = [kind for kind in KINDS if kind != "latest"] + (["latest"] * 8 if mode == "latest" else [])
        kind: Kind = random.choice(kinds)  # type: ignore[assignment]
        first = calls()
        while kind in ("init", "end", "latest") and first[0].is_user:
            first = calls()
        then = () if kind in UNARY else calls()
        rules.append(
            Rule(
                f"c{k + 1}",
                kind,
                first,
                then,
                count=random.choice((1, 2)) if kind in ("existence", "absence", "exactly", "within") else 0,
                unit="calls" if kind == "within" else "",
                per=(("id",),) if mode == "value" and random.random() < 0.7 else (),
                condition=Compare("answer", ("status",), "=", "ok") if kind == "latest" else None,
            )
        )
    letters = [Event(tool) for tool in tools]
    if random.random() < 0.5:
        letters.append(Event("other"))
    if mode == "condition":
        letters = [e._replace(arguments=(("x", x),)) for e, x in product(letters, (1, 2))]
    if mode == "value":
        some = [e._replace(arguments=(("id", v),)) for e, v in product(letters, ("u", "v"))]
        letters = [*some, *letters]
    if mode == "outcome":
        letters = [e._replace(failed=f) for e, f in product(letters, (True, False, None))]
    if mode == "latest":
        letters = [e._replace(status=s) for e, s in product(letters, ("ok", "no"))]
    if any(rule.hears_users for rule in rules):
        letters.append(Event(""))
    return World(rules, letters, any(rule.late for rule in rules))
