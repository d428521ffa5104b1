"""The tables that make reading quick: they say what the grammar and the phrases say, and cost only what is used."""

from __future__ import annotations

import subprocess
import sys

from planscope.language.free_words import free_vocabulary
from planscope.language.grammar import known_patterns, parsed_clause
from planscope.language.scan import Phrases, cut, load_hints, phrase_key, surfaces, vocabulary
from tests.language.make_patterns import FILE, clauses, made


def test_the_known_patterns_are_those_that_the_grammar_has() -> None:
    assert FILE.read_text(encoding="utf-8") == made(), "run python -m tests.language.make_patterns"
    assert set(known_patterns()) == set(clauses())
    for types, patterns in known_patterns().items():
        assert patterns == parsed_clause(tuple(types.split()))


def test_every_phrase_is_found() -> None:
    for words in (vocabulary(), free_vocabulary()):
        for phrase in {**surfaces(), **load_hints()}:
            assert words.longest(list(cut(phrase)), 0)[0] == len(phrase_key(phrase)), phrase
            assert words.has(phrase_key(phrase))


def test_the_first_meaning_of_a_phrase_counts() -> None:
    phrases = Phrases([("is done", 1), ("is", 2), ("is done", 3), ("don't", 4)])
    assert phrases.add(("is", " done"), 5) == 1
    assert phrases.add(("is", " over"), 6) == 6
    assert phrases.add(("on",), 7) == 7
    found = [phrases.longest(list(cut(text)), 0) for text in ("is done", "is gone", "is over", "don't", "on")]
    assert found == [(2, 1), (1, 2), (2, 6), (3, 4), (1, 7)]


def test_a_plain_sentence_is_read_without_the_parser() -> None:
    code = (
        "import sys\n"
        "from planscope.language import reading, problem\n"
        "reading.read_query('a, b and c come before d; e follows d.', problem.make_actions('abcde'))\n"
        "print('lark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
