"""The profiles of simulated models: the fault of each, and its parameters."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import field

from planscope.errors import UserError
from planscope.frozen import frozen

Value = int | float


class BadParameter(UserError):
    """A profile or parameter does not exist, or a value is out of range. The message is one line."""


@frozen
class Parameter:
    """A numeric parameter of a profile, with inclusive bounds."""

    name: str
    default: Value
    low: Value
    high: Value
    about: str

    def read(self, text: str) -> Value:
        whole = isinstance(self.default, int)
        try:
            value: Value = int(text) if whole else float(text)
        except ValueError:
            value = self.high + 1
        if not self.low <= value <= self.high:
            kind = "a whole number" if whole else "a number"
            raise BadParameter(f"{self.name} must be {kind} from {self.low} to {self.high}, not {text!r}")
        return value


@frozen
class Profile:
    """A kind of simulated model. ``plants`` is the type of error or the cause (paper, 4.5) that it produces, or
    None."""

    name: str
    about: str
    plants: str | None = None
    parameters: tuple[Parameter, ...] = ()


_FIRES = Parameter("fires", 1.0, 0.0, 1.0, "the share of possible times at which its fault occurs")
_NOISE = Parameter("noise", 0.0, 0.0, 1.0, "the share of runs that fail without a reason")
_TRAIT = Parameter("trait", 0, 0, 10**9, "chooses what it misreads; the seed only chooses when")

PROFILES: dict[str, Profile] = {
    p.name: p
    for p in (
        Profile("careful", "plans, replans after tool answers, asks for a restart when lost"),
        Profile("literal", "does the actions in the order in which the query mentions them", "order_error"),
        Profile(
            "flaky",
            "careful, but right only with probability p, for any wording",
            "Probability",
            (Parameter("p", 0.6, 0.0, 1.0, "the probability of being right"),),
        ),
        Profile(
            "word-blind",
            "reads some words of the lexicon as their opposites",
            "Terminal",
            (
                Parameter("share", 0.25, 0.0, 1.0, "share of the words that it misreads"),
                _TRAIT,
                _FIRES,
                _NOISE,
            ),
        ),
        Profile(
            "topic-blind",
            "confuses two actions in some topics",
            "Topic",
            (
                Parameter("share", 0.5, 0.0, 1.0, "share of the topics that confuse it"),
                _TRAIT,
                _FIRES,
                _NOISE,
            ),
        ),
        Profile(
            "clause-blind",
            "skips relative clauses, or fronted ones",
            "Structure",
            (Parameter("fronted", 0, 0, 1, "0: skips relative clauses, 1: fronted ones"), _FIRES, _NOISE),
        ),
        Profile(
            "constraint-blind",
            "fails if the constraints have a certain shape, for any wording",
            "Constraint",
            (
                Parameter(
                    "shape",
                    1,
                    1,
                    3,
                    "1: an action after two unrelated ones, 2: before two unrelated ones, 3: a chain of 4",
                ),
                _FIRES,
                _NOISE,
            ),
        ),
        Profile("forgetful", "careful, but leaves one action out", "action_lost"),
        Profile(
            "clumsy",
            "careful, but one call fails and it does not notice",
            "act_error",
            (
                Parameter(
                    "kind",
                    0,
                    0,
                    3,
                    "0: random, 1: a tool that does not exist, 2: wrong arguments, 3: unreadable",
                ),
            ),
        ),
        Profile(
            "slow",
            "careful, but slow: every answer takes time",
            "timeout",
            (Parameter("seconds", 60.0, 0.0, 3600.0, "seconds for each answer"),),
        ),
        Profile(
            "time-blind",
            "chooses correct hours but calls in the order of mention, without a clock",
            "parameter_error",
            (Parameter("day", 8, 0, 23, "the hour at which its day begins"),),
        ),
    )
}

MAX_SEED = 2**63 - 1
SEED = Parameter("seed", 0, 0, MAX_SEED, "seed of its random choices")


@frozen
class Character:
    """A profile with values for its parameters and a seed."""

    profile: str
    seed: int = 0
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Value:
        return self.parameters[name]


def make_character(profile: str, given: Mapping[str, str], seed: int | None = None) -> Character:
    """Check a profile's name and parameters. ``given["seed"]`` wins over ``seed``. Raises :class:`BadParameter`."""
    known = PROFILES.get(profile)
    if known is None:
        raise BadParameter(f"there is no profile {profile!r}; the profiles are {', '.join(PROFILES)}")
    takes = {p.name: p for p in (*known.parameters, SEED)}
    for name in given:
        if name not in takes:
            near = difflib.get_close_matches(name, takes, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise BadParameter(f"sim:{profile} has no parameter {name!r}{hint}; it has {', '.join(takes)}")
    values = {n: p.read(given[n]) if n in given else p.default for n, p in takes.items()}
    drawn = int(values.pop("seed"))
    return Character(profile, seed if seed is not None and "seed" not in given else drawn, values)
