"""The search for all cores and corrections, on questions that are nothing but a list of cores."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from planscope.oracle import marco
from planscope.oracle.marco import HittingSets, HittingSetsByZ3, Marco, hitting_sets
from planscope.oracle.plan import Answered
from tests.nightly import rounds


class Listed:
    """``n`` members that cannot hold together where all of one of ``cores`` are there.

    ``generous``: it answers with more than it was asked for, as the oracle's own questions do.
    """

    def __init__(self, n: int, cores: list[int], *, generous: bool = False) -> None:
        self.names = tuple(f"m{k}" for k in range(n))
        self.cores, self.generous = cores, generous
        self.asked: list[int] = []
        self.unknown_after = 10**9

    def ask(self, chosen: int) -> Answered:
        self.asked.append(chosen)
        if len(self.asked) > self.unknown_after:
            return "unknown", 0
        for core in reversed(self.cores):
            if core & chosen == core:
                return "unsat", core if self.generous else chosen
        if self.generous:
            for k in reversed(range(len(self.names))):
                wider = chosen | 1 << k
                if not any(core & wider == core for core in self.cores):
                    chosen = wider
        return "sat", chosen


def truth(question: Listed) -> tuple[set[int], set[int]]:
    """All minimal cores and corrections, by trying every subset."""
    n = len(question.names)
    whole = (1 << n) - 1
    bad = [any(core & s == core for core in question.cores) for s in range(1 << n)]
    cores = {s for s in range(1 << n) if bad[s] and not any(bad[s ^ 1 << k] for k in range(n) if s >> k & 1)}
    kept = {
        s for s in range(1 << n) if not bad[s] and all(bad[s | 1 << k] for k in range(n) if not s >> k & 1)
    }
    return cores, {whole & ~s for s in kept} - {0}


class Told:
    """A search, and what it told."""

    def __init__(
        self, question: Listed, most: int = 1000, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        self.cores: list[int] = []
        self.corrections: list[int] = []
        self.search = Marco(question, most, self.cores.append, self.corrections.append, stopped)

    def run(self, first: int | None = None) -> str:
        return self.search.run(first)


def drawn(seed: int, *, generous: bool = False) -> Listed:
    rng = random.Random(seed)
    n = rng.randint(3, 9)
    cores = [
        sum(1 << k for k in rng.sample(range(n), rng.randint(1, min(4, n)))) for _ in range(rng.randint(1, 7))
    ]
    return Listed(n, cores, generous=generous)


@pytest.fixture(params=["python-sat", "z3"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "python-sat":
        pytest.importorskip("pysat")
        monkeypatch.setattr(marco, "hitting_sets", hitting_sets)
    else:
        monkeypatch.setattr(marco, "hitting_sets", HittingSetsByZ3)
    return str(request.param)


@pytest.mark.parametrize("generous", [False, True])
def test_all_of_both_each_once(way: str, generous: bool) -> None:
    for seed in range(rounds(14, 40)):
        question = drawn(seed, generous=generous)
        told = Told(question)
        assert told.run() == "all", seed
        cores, corrections = truth(question)
        assert sorted(told.cores) == sorted(cores), seed
        assert sorted(told.corrections) == sorted(corrections), seed
        assert told.search.cores == told.cores and sorted(told.search.corrections) == sorted(told.corrections)
        sizes = [c.bit_count() for c in told.corrections]
        assert way == "z3" or sizes == sorted(sizes), seed


def test_with_a_limit_the_smallest_corrections_come(way: str) -> None:
    """Pairs of which one has to go each, and one member that is enough for all of some: many sizes."""
    capped = 0
    for seed in range(rounds(14, 40)):
        question = drawn(seed)
        cores, corrections = truth(question)
        for most in (1, 2, 5):
            told = Told(question, most)
            ended = told.run()
            assert set(told.cores) <= cores and set(told.corrections) <= corrections
            assert len(told.cores) == len(set(told.cores)) and len(set(told.corrections)) == len(
                told.corrections
            )
            assert 0 < len(told.cores) <= most and 0 < len(told.corrections) <= most
            if len(cores) < most and len(corrections) < most:
                assert ended == "all"
            if ended == "all":
                assert set(told.cores) == cores and set(told.corrections) == corrections
            else:
                assert ended == "most" and max(len(told.cores), len(told.corrections)) == most
                capped += 1
            if len(told.corrections) == most and ended == "most" and len(told.search.cores) < 2 * most:
                smallest = sorted(c.bit_count() for c in corrections)[:most]
                assert [c.bit_count() for c in told.corrections] == smallest or way == "z3", (seed, most)
    assert capped > 20


def test_exactly_as_many_as_wanted_are_all(way: str) -> None:
    question = Listed(4, [0b0011, 0b1100])
    told = Told(question, 4)
    assert told.run() == "all" and len(told.corrections) == 4 and len(told.cores) == 2
    assert Told(question, 3).run() == "most"


def test_a_known_core_is_told_first_and_not_asked_about() -> None:
    question = Listed(6, [0b000011, 0b001100, 0b110000])
    told = Told(question)
    assert told.run(0b001100) == "all" and told.cores[0] == 0b001100
    assert (1 << 6) - 1 not in question.asked and sorted(told.cores) == [0b000011, 0b001100, 0b110000]


def test_where_everything_holds_there_is_nothing() -> None:
    question = Listed(3, [])
    told = Told(question)
    assert told.run() == "all" and not told.cores and not told.corrections
    assert question.asked == [0b111]


def test_a_core_is_shrunk_from_the_last_member_to_the_first() -> None:
    """Of the cores within what is impossible, the one that stays when members are dropped from the end."""
    question = Listed(6, [0b000011, 0b110000])
    told = Told(question, 1)
    told.run()
    assert told.cores == [0b000011]


def test_a_large_part_is_shrunk_in_few_questions() -> None:
    question = Listed(400, [0b101])
    told = Told(question, 1)
    told.run()
    assert told.cores == [0b101]
    assert len(question.asked) < 40


def test_unknown_and_stopped_are_told_apart_and_what_was_found_is_told() -> None:
    question = Listed(8, [0b11, 0b1100, 0b110000, 0b11000000])
    question.unknown_after = 14
    told = Told(question)
    assert told.run() == "unknown"
    assert told.cores and len(question.asked) == 15
    assert sorted(told.corrections) == sorted(told.search.corrections)
    question = Listed(8, [0b11, 0b1100, 0b110000, 0b11000000])
    told = Told(question, stopped=lambda: len(question.asked) >= 14)
    assert told.run() == "stopped" and len(question.asked) == 14
    assert told.cores and sorted(told.corrections) == sorted(told.search.corrections)


def test_an_interrupt_between_questions_ends_the_search() -> None:
    pytest.importorskip("pysat")
    question = Listed(8, [0b11, 0b1100, 0b110000])
    halted = False
    told = Told(question, stopped=lambda: False)
    told.search.stopped = lambda: halted
    told.search.on_core = lambda mask: told.cores.append(mask)
    told.search.interrupt()
    assert told.run() == "unknown", "nobody said that it was stopped"
    halted = True
    told = Told(question, stopped=lambda: halted)
    told.search.interrupt()
    assert told.run() == "stopped"


def test_where_one_kind_has_no_end_the_search_has() -> None:
    """One core of many members each time, and more corrections than anyone wants."""
    cores = [0b11 << 2 * k for k in range(9)]
    question = Listed(18, cores)
    told = Told(question, 20)
    assert told.run() == "most"
    assert len(told.corrections) == 20 and sorted(told.cores) == sorted(cores)
    assert len(told.search.corrections) == 3 * 20 and len(question.asked) < 600
    triples = [1 << a | 1 << b | 1 << c for a in range(9) for b in range(a) for c in range(b)]
    told = Told(Listed(9, triples), 5)
    assert told.run() == "most" and len(told.cores) == 5 and 0 < len(told.corrections) <= 5
    assert len(told.search.cores) <= 10


def pairs(n: int) -> Listed:
    return Listed(2 * n, [0b11 << 2 * k for k in range(n)])


def test_the_two_take_turns_until_there_is_enough_of_one(way: str) -> None:
    for most in (2, 4, 7):
        told = Told(pairs(5), most)
        search, turns = told.search, list[str]()

        def noted(sets: HittingSets, name: str, search: Marco = search, turns: list[str] = turns) -> None:
            real = sets.next

            def following() -> int | None:
                enough = (len(search.cores) >= search.most, search.told >= search.most)
                assert name == "correction" if enough[0] else name == "core" or not enough[1]
                if not any(enough):
                    turns.append(name)
                return real()

            sets.next = following

        noted(search.kept_back, "correction")
        noted(search.taken, "core")
        assert told.run() == "most"
        assert turns == (["correction", "core"] * len(turns))[: len(turns)]


def test_a_correction_is_told_as_soon_as_none_that_is_smaller_can_come(way: str) -> None:
    for seed in range(rounds(5, 15)):
        told = Told(drawn(seed))
        search = told.search
        search._begin(None)
        for turn in range(60):
            done = search._next_core() if turn % 3 == 0 else search._next_correction()
            if done:
                break
            if turn % 3:
                assert not any(c.bit_count() <= search.kept_back.floor for c in search.untold), (seed, turn)
        assert len(told.corrections) == search.told


def test_what_is_known_already_is_not_asked() -> None:
    """Neither a set around a known core nor one within what a known correction leaves."""
    for seed in range(rounds(10, 30)):
        question = drawn(seed)
        told = Told(question)
        search, real = told.search, question.ask

        def ask(chosen: int, search: Marco = search, real: Callable[[int], Answered] = real) -> Answered:
            assert not any(core & chosen == core for core in search.cores)
            assert all(correction & chosen for correction in search.corrections)
            return real(chosen)

        question.ask = ask
        assert told.run() == "all"


def test_what_an_answer_shows_beyond_the_question_is_not_asked_again() -> None:
    """A satisfiable set that the question widened is taken as it is: one more member, one more question."""
    question = Listed(40, [0b11], generous=True)
    told = Told(question)
    told.search.cores.append(0b11)
    assert told.search._grown(0) == (1 << 40) - 1 - 0b10
    assert len(question.asked) == 1
