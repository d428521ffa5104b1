"""What holds of every query: thousands of them, base and timed, small and large."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.language.derive import derive
from planscope.language.lexicon import load_lexicon
from planscope.language.problem import DAY, rules
from planscope.language.reading import read_query
from planscope.language.render import render
from planscope.language.tree import FORMS, Query, Time, Word, walk
from planscope.oracle.precedence import topological
from planscope.oracle.satisfiable import Certifier
from planscope.oracle.timed import schedule_of
from planscope.synthesis.generate import Synthesized, Synthesizer, synthesize
from planscope.synthesis.request import Request, SynthesisError
from tests.nightly import examples, nightly
from tests.synthesis.support import clauses, hours, mentioned


def check(made: Synthesized, request: Request) -> None:
    """Every rule that can be seen in the result."""
    problem = made.problem
    n = request.count
    names = [a.name for a in problem.actions]
    assert len(names) == len(set(names)) == n
    assert {a for c in problem.said for a in c.actions} == {a.id for a in problem.actions}
    assert made.certified is True
    assert problem.text == made.text and problem.timed == request.timed
    assert problem.constraints == derive(made.tree, timed=request.timed) + rules(request.timed)
    assert render(made.tree, problem.actions) == (made.text, made.tree)
    if request.sentences is not None:
        assert len(made.tree.sentences) == request.sentences
    check_sentences(made.tree)
    check_words(made.tree)
    check_feasible(made)


def check_sentences(tree: Query) -> None:
    for clause in clauses(tree):
        named = mentioned(clause)
        assert len(named) == len(set(named)), "an action stands twice in a clause"
    for sentence in tree.sentences:
        assert (sentence.conj is None) == (len(sentence.clauses) == 1)
        alone = derive(Query((sentence,)))
        pairs = [frozenset(c.actions) for c in alone if c.kind == "order"]
        assert len(pairs) == len(set(pairs)), "a sentence compares two actions twice"
        bounds = [(c.action, c.kind) for c in alone if c.kind != "order"]
        assert len(bounds) == len(set(bounds)), "a sentence gives an action two times of a kind"


def check_words(tree: Query) -> None:
    lexicon = load_lexicon()
    modals = {"", *lexicon.written_modals()}
    for clause in clauses(tree):
        for at, word in enumerate(clause.words):
            clock = isinstance(clause.object, Time)
            fronted = "fronted" in clause.form and at == 0
            plain = Word(word.terminal, word.entry)
            assert plain in lexicon.written(word.terminal, fronted=fronted, clock=clock)
        subordinate = {"compound": 2, "fronted_compound": 1}.get(clause.form)
        assert subordinate is None or clause.words[subordinate].modal == ""
    for _, node in walk(tree):
        if isinstance(node, Word):
            assert node.modal in modals
            assert not lexicon.entries[node.terminal][node.entry].parse_only


def check_feasible(made: Synthesized) -> None:
    problem = made.problem
    number = {a.id: i for i, a in enumerate(problem.actions)}
    edges = [(number[c.before], number[c.after]) for c in problem.said if c.before and c.after]
    assert topological(len(number), edges) is not None
    if not problem.timed:
        assert all(a.duration is None for a in problem.actions)
        return
    takes = [a.duration or 0 for a in problem.actions]
    assert min(takes) >= 1 and sum(takes) <= DAY
    assert all(1 <= hour <= DAY - 1 for hour in hours(made.tree))
    if len(takes) <= 12:
        orders = schedule_of(problem).completions((1 << len(takes)) - 1, 0)
        assert made.valid_orders == orders >= 1


@pytest.mark.parametrize("part", [0, *nightly(1, 2, 3)])
@pytest.mark.parametrize("timed", [False, True], ids=["base", "timed"])
def test_thousands_of_small_queries(timed: bool, part: int) -> None:
    for n, count in ((2, 150), (3, 150), (4, 150), (5, 600), (6, 150), (8, 100)):
        request = Request(actions=n, timed=timed)
        synthesizer = Synthesizer(request)
        for seed in range(part, count, 4):
            check(synthesizer.case(seed), request)


@pytest.mark.parametrize("part", [0, *nightly(1)])
@pytest.mark.parametrize("n", range(9, 21))
def test_larger_queries(n: int, part: int) -> None:
    request = Request(actions=n)
    for seed in range(part, 8, 2):
        made = synthesize(Request(actions=n, seed=seed))
        check(made, request)
        assert made.valid_orders is not None and made.valid_orders >= 1
        assert ", " not in made.topic


@pytest.mark.parametrize("seed", [0, *nightly(1, 2)])
@pytest.mark.parametrize("n", [9, 12, 15, 20, 22, 24])
def test_larger_timed_queries(n: int, seed: int) -> None:
    request = Request(actions=n, timed=True, seed=seed)
    check(synthesize(request), request)


@pytest.mark.parametrize("n", [21, 23, 30, 40, 41, 60])
def test_many_actions_take_several_topics(n: int) -> None:
    for seed in range(3):
        request = Request(actions=n, seed=seed)
        made = synthesize(request)
        check(made, request)
        assert made.valid_orders is None
        assert made.topic.count(", ") == (n - 1) // 20


@pytest.mark.parametrize("part", [0, *nightly(1, 2, 3)])
@pytest.mark.parametrize("timed", [False, True], ids=["base", "timed"])
def test_read_back_as_it_was_meant(timed: bool, part: int) -> None:
    """Not only the constraints: the reader finds the very same tree, words and spans."""
    kinds = (
        Request(timed=timed),
        Request(timed=timed, relatives=1.0, lists=0.9),
        Request(timed=timed, modals=0.9, lists=0.5),
    )
    for request in kinds:
        synthesizer = Synthesizer(request)
        for seed in range(part, 350, 4):
            made = synthesizer.case(seed)
            read = read_query(made.text, made.problem.actions, timed=timed)
            assert read.problem == made.problem
            assert read.tree == made.tree


def test_read_back_with_many_actions() -> None:
    for request in (Request(actions=20), Request(actions=45), Request(actions=24, timed=True)):
        made = synthesize(request)
        assert read_query(made.text, made.problem.actions, timed=request.timed).problem == made.problem


shares = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])


@st.composite
def requests(draw: st.DrawFn) -> Request:
    timed = draw(st.booleans())
    n = draw(st.integers(2, 12))
    forms = st.dictionaries(st.sampled_from(FORMS), st.sampled_from([0.0, 0.5, 3.0]), min_size=1)
    orders = st.tuples(st.integers(1, 30), st.integers(0, 200)).map(lambda ab: (ab[0], ab[0] + ab[1]))
    return Request(
        actions=n,
        seed=draw(st.integers(0, 10**9)),
        timed=timed,
        sentences=draw(st.none() | st.integers(1, n)),
        relatives=draw(shares),
        lists=draw(shares),
        list_length=draw(st.integers(1, 5)),
        second_clauses=draw(shares),
        clock_times=draw(shares),
        modals=draw(shares),
        redundant=draw(st.none() | shares),
        forms=draw(st.none() | forms),
        valid_orders=draw(st.none() | orders) if n <= 8 else None,
    )


@given(requests())
@settings(max_examples=examples(100), deadline=None)
def test_whatever_is_asked_for(request: Request) -> None:
    """A query that keeps the rules and what was asked for, or one line that says why not."""
    try:
        made = synthesize(request)
    except SynthesisError as error:
        assert str(error) and "\n" not in str(error)
        nothing_special = request.valid_orders is None and request.sentences is None
        assert not nothing_special or not any(request.weights())
        return
    check(made, request)
    if request.valid_orders is not None:
        least, most = request.valid_orders
        assert made.valid_orders is not None and least <= made.valid_orders <= most


def test_the_certificate_is_about_the_problem() -> None:
    """Z3, asked anew without the synthesizer's plan, says the same."""
    fresh = Certifier()
    for request in (Request(), Request(timed=True), Request(actions=9, timed=True)):
        for seed in range(30):
            made = Synthesizer(request).case(seed)
            assert fresh.certify(made.problem)
