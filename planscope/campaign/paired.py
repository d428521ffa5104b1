"""Compares two arms on the cases that both ran: is the new one better?"""

from __future__ import annotations

from planscope.campaign.result import ComparedArmsDocument
from planscope.campaign.store import CampaignError, Store
from planscope.frozen import frozen
from planscope.stats import mcnemar, needed, paired_interval

METHOD = (
    "McNemar's exact test (McNemar, 1947), two-sided; 95 % interval of the paired difference by Newcombe's method 10 "
    "(Newcombe, 1998)"
)


@frozen
class Pairs:
    """The outcomes of two arms on the same cases: right in both, in one only, in neither."""

    both: int
    only_a: int
    only_b: int
    neither: int

    @property
    def count(self) -> int:
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def difference(self) -> float:
        """The rate of B less the rate of A."""
        return (self.only_b - self.only_a) / self.count if self.count else 0.0

    @property
    def discordant(self) -> float:
        """The share of cases that only one of the two has right."""
        return (self.only_a + self.only_b) / self.count if self.count else 0.0


def compare(one: Store, a: str, other: Store, b: str, detect: float | None = None) -> ComparedArmsDocument:
    """Compare arm ``a`` with arm ``b``, which may be of another campaign with equal cases. Raises CampaignError."""
    if one is not other and one.knobs != other.knobs:
        raise CampaignError(
            "the campaigns have other cases (seed, language or the number of cases differ), so they cannot be paired"
        )
    first, second = one.outcomes(place_of(one, a)), other.outcomes(place_of(other, b))
    if one is not other:
        differ = next((c for c in first.keys() & second.keys() if one.printed(*c) != other.printed(*c)), None)
        if differ is not None:
            raise CampaignError(
                f"the campaigns have another case n{differ[0]}-{differ[1]} (other versions of planscope made them), "
                "so they cannot be paired"
            )
    both_ran = {n for n, _ in first} & {n for n, _ in second}
    counts, left_out = [0, 0, 0, 0], 0  # as Pairs has them
    for case in first.keys() & second.keys():
        if case[0] not in both_ran:
            continue
        (kind_a, helped_a), (kind_b, helped_b) = first[case], second[case]
        if helped_a or helped_b or {kind_a, kind_b} - {"right", "wrong"}:
            left_out += 1
            continue
        counts[2 * (kind_a == "wrong") + (kind_b == "wrong")] += 1
    pairs = Pairs(*counts)
    wanted = abs(pairs.difference) if detect is None else detect
    some = pairs.count > 0
    return ComparedArmsDocument(
        a=a,
        b=b,
        pairs=pairs.count,
        left_out=left_out,
        both=pairs.both,
        only_a=pairs.only_a,
        only_b=pairs.only_b,
        neither=pairs.neither,
        difference=pairs.difference if some else None,
        ci=paired_interval(*counts) if some else None,
        p=mcnemar(pairs.only_a, pairs.only_b) if some else None,
        method=METHOD,
        needed=needed(wanted, pairs.discordant or 0.5) if wanted else None,
    )


def place_of(store: Store, name: str) -> int:
    """Return the key of an arm, by its name or by the part of it that names no other. Raises CampaignError."""
    arms = {record.arm.name: record.place for record in store.arms()}
    if name in arms:
        return arms[name]
    near = [one for one in arms if name and name in one]
    if len(near) == 1:
        return arms[near[0]]
    known = ", ".join(near or arms) or "it has none"
    raise CampaignError(f"the campaign has no arm {name[:80]!r}{' alone' if near else ''}; its arms: {known}")
