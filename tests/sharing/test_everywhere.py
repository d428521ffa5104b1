"""Secrets of every kind in names, titles, notes, models, agents and paths: in nothing that leaves, pictures too."""

from __future__ import annotations

import html
import json
import re
from itertools import pairwise

import pytest

from planscope.compare import compare
from planscope.session.locations import bundled
from planscope.session.model import Session
from planscope.session.store import dumps, load
from planscope.sharing.formats import FORMATS, share
from planscope.sharing.redact import Redaction, Surroundings, look_through, redact, redact_two
from planscope.sharing.redact.scan import Scanner
from planscope.show.text import lines
from planscope.tui.picture import shared_svg
from planscope.views.comparison import comparison_blocks
from tests.hostile import in_turn
from tests.nightly import nightly
from tests.sharing.cases import plain_session, run_of, written
from tests.sharing.seeds import seeds

NOWHERE = Surroundings()
SEEDS = [seed for seed in seeds(7) if seed.text.startswith("please use") and "\n" not in seed.secret]
"""Those that tell by their own shape what they are, and that a name can hold."""

PIECE = 12


def letters(text: str) -> str:
    """Letters and digits alone: whatever a text is cut by (spans, line ends, escapes) does not part them."""
    return re.sub(r"[^A-Za-z0-9]", "", text)


def pieces(secret: str) -> set[str]:
    """All parts of a secret that are long enough to be of use. The name of the vendor, which stands first, is none."""
    bare = letters(secret)
    return {bare[i : i + PIECE] for i in range(6, max(7, len(bare) - PIECE + 1))}


def seen(svg: str) -> str:
    """What a picture shows, put together again, from left to right and line by line."""
    return letters(html.unescape(" ".join(re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL))))


def left(text: str) -> list[str]:
    """The kinds of the secrets of which a piece is in letters and digits."""
    return [seed.kind for seed in SEEDS if any(piece in text for piece in pieces(seed.secret))]


@pytest.fixture(scope="module")
def named() -> tuple[Session, Redaction]:
    """Every action is called after a secret, and so are their tools, the title, paths, models, agents and ids."""
    names = [f"rotate {seed.secret}" for seed in SEEDS]
    variant = written(" ".join(f"R{a[1:]} comes before {b}." for a, b in pairwise(names)), names)
    runs = [run_of(variant, tuple(reversed(range(len(names)))), id=f"r{n}") for n in (1, 2)]
    runs[1].events = run_of(variant, tuple(range(len(names)))).events
    runs[0].agent, runs[0].model = f"own:{SEEDS[0].secret}", f"openai:{SEEDS[1].secret}"
    runs[1].agent, runs[1].model = f"own:{SEEDS[2].secret}", f"openai:{SEEDS[3].secret}"
    session = Session(
        id="s",
        title=" ".join(seed.secret for seed in SEEDS),
        notes="\n".join(f"see /srv/keys/{seed.secret}.txt" for seed in SEEDS),
        variants=[variant],
        runs=runs,
        breakpoints=[f"call {variant.actions[5].tool}"],
        watches=[f"place({variant.actions[6].tool})"],
    )
    return session, look_through(session, NOWHERE)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("run", ["r1", *nightly("r2")])
def test_no_form_holds_a_piece_of_any(named: tuple[Session, Redaction], form: str, run: str) -> None:
    session, redaction = named
    assert left(letters(share(session, run, form, redaction=redaction))) == []


def test_no_piece_of_any_is_seen_in_a_picture(named: tuple[Session, Redaction]) -> None:
    """On a screen that shows all of them; and on a small one, where lines are cut anywhere."""
    session, redaction = named
    run = session.runs[0]

    def picture(size: tuple[int, int], what: Redaction | None) -> str:
        return shared_svg(session, run, what, size=size, theme="dark", step="2")

    open_ones = left(seen(picture((500, 300), None)))
    assert len(open_ones) == len(SEEDS) >= 60, "the picture shows them where nothing is replaced"
    assert left(seen(picture((500, 300), redaction))) == []
    assert left(seen(picture((80, 24), redaction))) == []


def test_no_piece_of_any_is_in_a_comparison(named: tuple[Session, Redaction]) -> None:
    session, _ = named

    def compared(one: Session, other: Session) -> str:
        found = compare(one, one.runs[0], other, other.runs[1])
        return letters("".join(lines(comparison_blocks(found, 5_000, everything=True), 5_000)))

    assert len(left(compared(session, session))) > 10
    again = session.model_copy(deep=True)
    again.title = "Another"
    safe, safe_again, _ = redact_two(session, again)
    assert left(compared(safe.session, safe_again.session)) == []


def test_the_end_of_a_sentence_is_no_part_of_a_secret() -> None:
    for seed in SEEDS:
        session = plain_session(notes=f"It is {seed.secret}. Or {seed.secret}, then ({seed.secret}).")
        redaction = look_through(session, NOWHERE)
        (finding,) = redaction.findings
        word = finding.replacement
        assert redact(session, redaction).notes == f"It is {word}. Or {word}, then ({word})."


LOGINS = {
    "postgresql://ada:tr0ub4dor&3@db-1:5432/app": ("tr0ub4dor&3",),
    "mongodb+srv://ada:s3cr3tMongo9@cluster0.x1.mongodb.net/app": ("s3cr3tMongo9",),
    "redis://:D0RN5Xs5rlxB@cache-2:6379/0": ("D0RN5Xs5rlxB",),
    "curl -u ada:pa55w0rd!x https://x.corp.internal": ("pa55w0rd!x",),
    "Cookie: theme=dark-blue-1; sessionid=szRw5abysYm5rPsX; csrf=q1w2e3r4t5": (
        "szRw5abysYm5rPsX",
        "q1w2e3r4t5",
    ),
    "Set-Cookie: sid=szRw5abysYm5rPsX; Path=/; Max-Age=3600; HttpOnly": ("szRw5abysYm5rPsX",),
    "password=Tr0ub4dor&3": ("Tr0ub4dor&3",),
    "GET /x?password=Tr0ub4dor&page=2": ("Tr0ub4dor",),
}


@pytest.mark.parametrize("text", LOGINS)
def test_a_password_is_known_again_by_itself(text: str) -> None:
    session = plain_session(notes=f"{text}\nI will use {', '.join(LOGINS[text])} next.")
    made = redact(session, look_through(session, NOWHERE))
    for secret in LOGINS[text]:
        assert secret not in dumps(made).decode()
    assert "REDACTED" in made.notes.splitlines()[1]
    if "ada:" in text:
        assert "ada" not in made.notes
    if "page=2" in text:
        assert made.notes.splitlines()[0].endswith("&page=2")
    if "Max-Age" in text:
        assert made.notes.splitlines()[0].endswith("; Path=/; Max-Age=3600; HttpOnly")


QUOTED = {
    "JSON": lambda text: json.dumps({"a": text}),
    "JSON in JSON": lambda text: json.dumps({"b": json.dumps({"a": text})}),
    "JSON in a text": lambda text: "raw " + json.dumps(json.dumps({"a": text})),
    "Python": lambda text: repr({"a": text}),
    "code": lambda text: f"`{text}`",
    "brackets": lambda text: f"({text})",
    "a sentence": lambda text: f"{text}.",
}


@pytest.mark.parametrize("turn,how", list(enumerate(QUOTED)))
def test_the_same_value_is_found_once_however_it_is_quoted(turn: int, how: str) -> None:
    for seed in in_turn(seeds(7), turn, len(QUOTED)):
        once = look_through(plain_session(notes=seed.text), NOWHERE).findings
        notes = f"{seed.text}\n{QUOTED[how](seed.text)}"
        twice = look_through(plain_session(notes=notes), NOWHERE).findings
        assert [f.text for f in twice] == [f.text for f in once], seed.kind


def test_a_cookie_is_one_value_however_deep_it_is_quoted() -> None:
    inner = json.dumps({"said": "Cookie: sid=szRw5abysYm5rPsX"})
    for text in (inner, json.dumps({"args": inner}), json.dumps(json.dumps({"args": inner}))):
        session = plain_session(notes=text)
        (finding,) = look_through(session, NOWHERE).findings
        assert finding.text == "szRw5abysYm5rPsX"
        assert json.loads(redact(session, look_through(session, NOWHERE)).notes)


def test_random_text_is_found_behind_a_sign() -> None:
    secret = "TeGjiIL1jRqYDAg9DFtDlCsrSbJbHA2SCiGrD7IDdshnLFHj"
    for text in (f"x={secret}", f"id={secret};", f"a={secret}&b=1", f'{{"x":"{secret}"}}'):
        (hit,) = Scanner(NOWHERE).find(text)
        assert text[hit.start : hit.end] == secret


@pytest.mark.parametrize("long", [False, *nightly(True)])
def test_nothing_in_the_bundled_sessions_is_private(long: bool) -> None:
    """The runs of a dissection are many and alike."""
    for path in bundled().values():
        session = load(path)
        if bool(session.dissections) is long:
            assert look_through(session, NOWHERE).findings == (), path
