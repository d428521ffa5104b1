"""The simulated profiles: what each plants, and which parameters it takes."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field

from planscope.errors import UserError

Value = int | float


class BadParameter(UserError):
    """A profile or a parameter that does not exist, or a value out of range. One line."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that a profile takes, with its bounds (inclusive)."""

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


@dataclass(frozen=True, slots=True)
class Profile:
    """``plants``: the type of error that it is made to cause, or the cause of failing (paper, 4.5); None for none."""

    name: str
    about: str
    plants: str | None = None
    parameters: tuple[Parameter, ...] = ()


_FIRES = Parameter("fires", 1.0, 0.0, 1.0, "how often the planted fault fires where it applies")
_NOISE = Parameter("noise", 0.0, 0.0, 1.0, "how often it fails for no reason at all")
_TRAIT = Parameter("trait", 0, 0, 10**9, "draws what it is blind to; the seed draws only its luck")

PROFILES: dict[str, Profile] = {
    p.name: p
    for p in (
        Profile("careful", "plans from what it read, replans on tool answers, asks for a restart when lost"),
        Profile("literal", "does the actions in the order in which the text mentions them", "order_error"),
        Profile(
            "flaky",
            "careful, but right with probability p only, whatever the wording",
            "Probability",
            (Parameter("p", 0.6, 0.0, 1.0, "the probability of being right"),),
        ),
        Profile(
            "word-blind",
            "takes certain words of the lexicon for their opposites",
            "Terminal",
            (Parameter("share", 0.25, 0.0, 1.0, "of the words that it misreads"), _TRAIT, _FIRES, _NOISE),
        ),
        Profile(
            "topic-blind",
            "takes two actions for one another in certain topics",
            "Topic",
            (Parameter("share", 0.5, 0.0, 1.0, "of the topics that confuse it"), _TRAIT, _FIRES, _NOISE),
        ),
        Profile(
            "clause-blind",
            "skips relative clauses, or fronted ones",
            "Structure",
            (Parameter("fronted", 0, 0, 1, "0: skips relative clauses, 1: fronted ones"), _FIRES, _NOISE),
        ),
        Profile(
            "constraint-blind",
            "fails where the constraints have a certain shape, however they are said",
            "Constraint",
            (
                Parameter(
                    "shape",
                    1,
                    1,
                    3,
                    "1: waits for two unrelated ones, 2: two unrelated ones wait, 3: chain of 4",
                ),
                _FIRES,
                _NOISE,
            ),
        ),
        Profile("forgetful", "careful, but leaves one action out", "action_lost"),
        Profile(
            "clumsy",
            "careful, but one call goes wrong and it does not notice",
            "act_error",
            (
                Parameter(
                    "kind",
                    0,
                    0,
                    3,
                    "0: drawn, 1: a tool that does not exist, 2: wrong arguments, 3: unreadable",
                ),
            ),
        ),
        Profile(
            "slow",
            "careful, but takes its time for every answer",
            "timeout",
            (Parameter("seconds", 60.0, 0.0, 3600.0, "that each of its answers takes"),),
        ),
        Profile(
            "time-blind",
            "chooses hours that are right on paper and calls in the order of mention, blind to the clock",
            "parameter_error",
            (Parameter("day", 8, 0, 23, "the hour at which its day begins"),),
        ),
    )
}

MAX_SEED = 2**63 - 1
SEED = Parameter("seed", 0, 0, MAX_SEED, "draws what the profile draws")


@dataclass(frozen=True, slots=True)
class Character:
    """A profile with its parameters, ready to decide."""

    profile: str
    seed: int = 0
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Value:
        return self.parameters[name]


def make_character(profile: str, given: Mapping[str, str], seed: int | None = None) -> Character:
    """Check a profile's name and parameters; ``given["seed"]`` outranks ``seed``. Raises :class:`BadParameter`."""
    known = PROFILES.get(profile)
    if known is None:
        raise BadParameter(f"there is no profile {profile!r}: the profiles are {', '.join(PROFILES)}")
    takes = {p.name: p for p in (*known.parameters, SEED)}
    for name in given:
        if name not in takes:
            near = difflib.get_close_matches(name, takes, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise BadParameter(f"sim:{profile} takes no {name!r}{hint}: it takes {', '.join(takes)}")
    values = {n: p.read(given[n]) if n in given else p.default for n, p in takes.items()}
    drawn = int(values.pop("seed"))
    return Character(profile, seed if seed is not None and "seed" not in given else drawn, values)
