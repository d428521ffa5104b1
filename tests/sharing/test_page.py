"""The shared page in a real browser: stepping, linking, both themes, on paper; silent, and asking nobody."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from planscope.case import judge
from planscope.cli import main
from planscope.debugger.linked import Links
from planscope.debugger.run_index import RunIndex
from planscope.debugger.selection import SelectedConstraint, SelectedNode, SelectedStep
from planscope.oracle.replay import replay
from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.session.locations import bundled
from planscope.session.model import CallEvent, Cell, Dissection, PromptEvent, Session
from planscope.session.oracle_input import reading_of
from planscope.session.store import load, loads
from planscope.session.traces import session_of, trace_of
from planscope.sharing.formats import share
from planscope.sharing.page import _view
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.bench.big_session import big_session
from tests.sharing.browser import CHROMIUM, Browser
from tests.sharing.cases import planted, run_of, written

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


@pytest.fixture(scope="module")
def figure(tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, Path]:
    """Figure 10's session, and its page."""
    session = load(bundled()["figure-10"])
    return session, page_of(session, tmp_path_factory.mktemp("page"))


def page_of(session: Session, folder: Path, run: str | None = None) -> Path:
    path = folder / "page.html"
    path.write_text(share(session, run, "html", redaction=None), encoding="utf-8")
    return path


@pytest.fixture
def page(browser: Browser, figure: tuple[Session, Path]) -> Iterator[Browser]:
    """The page opened; at the end of a test its console must have been silent, and nobody asked for anything."""
    browser.size(1280, 800)
    browser.open(figure[1])
    yield browser
    assert browser.value("1 + 1") == 2
    assert browser.messages == []
    assert [url for url in browser.requests if url != figure[1].as_uri()] == []


def lit(page: Browser, pane: str) -> list[str]:
    texts = page.texts(f".rows.{pane} .lit")
    return [" ".join(text.split()) for text in texts]


def focused(page: Browser) -> str:
    return page.value("document.activeElement.closest('section').className")


def choose(page: Browser, number: int) -> None:
    run = "document.getElementById('run-list')"
    page.value(f"{run}.value = '{number}'; {run}.dispatchEvent(new Event('change'))")


def headline(page: Browser) -> str:
    return page.text(".verdict h2")


def place(page: Browser) -> str:
    return page.text("#place")


def test_it_opens_where_the_plan_was_lost(page: Browser) -> None:
    assert headline(page) == "✗ WRONG: parameter error · lost at step 1, shows at step 2"
    assert place(page) == "step 1 of 3"
    assert "sentence 2 says" in page.text(".verdict")
    assert [" ".join(t.split()) for t in page.texts(".rows.steps li")] == [
        "0✓before any callpossible",
        "1●attending_training_sessions(10)LOST HERE10:00-12:00",
        "2✗applying_hair_color(8)parameter error8:00-10:00violated",
        "3✗sanitizing_tools(18)18:00-19:00violated",
        "end✗the agent ended the runviolated",
    ]


def test_it_steps_by_key_and_by_mouse(page: Browser) -> None:
    seen = []
    for key in ("n", "ArrowRight", "N", "ArrowLeft", "g", "G", "f", "Home", "End"):
        page.press(key)
        seen.append(place(page))
    assert seen == [
        "step 2 of 3", "step 3 of 3", "step 2 of 3", "step 1 of 3", "before any call", "the end", "step 1 of 3",
        "before any call", "the end",
    ]  # fmt: skip
    page.click("#first")
    page.click("#next")
    assert place(page) == "step 2 of 3" and page.text(".step h3") == "Step 2 ✗ violated"
    page.click(".rows.steps li:last-child")
    assert place(page) == "the end"
    page.press("n")
    assert place(page) == "the end"


def test_constraints_tell_their_state_at_every_step(page: Browser, figure: tuple[Session, Path]) -> None:
    session, _ = figure
    judged = replay(reading_of(session.variants[0]).problem, trace_of(session.runs[-1]))
    words = {"holds": "✓ holds", "open": "○ open", "broken": "✗ violated"}
    page.press("g")
    for index, view in enumerate(judged.steps):
        core = view.core.constraints if view.core else ()
        expected = [
            "● conflict" if c.id in core else words[judged.status(c.id, index)]
            for c in judged.problem.constraints
        ]
        assert [text.strip() for text in page.texts(".rows.constraints li > :first-child")] == expected
        page.press("n")


def test_what_is_lit_is_what_the_debugger_lights(page: Browser, figure: tuple[Session, Path]) -> None:
    session, _ = figure
    reading = reading_of(session.variants[0])
    index = RunIndex(replay(reading.problem, trace_of(session.runs[-1])))
    links = Links(reading.text, reading.problem, reading.outline)

    def check(selection: SelectedConstraint | SelectedNode | SelectedStep) -> None:
        wanted = links.lit(selection, index)
        assert [text.strip() for text in page.texts(".rows.constraints .lit > :nth-child(2)")] == [
            c.id for c in reading.problem.constraints if c.id in wanted.constraints
        ]
        assert page.texts(".rows.tree .lit > :first-child") == [
            page.texts(".rows.tree li > :first-child")[n]
            for n, node in enumerate(reading.outline)
            if node.path in wanted.nodes
        ]
        assert [text.strip() for text in page.texts(".rows.steps .lit > :nth-child(2)")] == [
            str(index.steps[i].step) for i in sorted(wanted.steps)
        ]
        shown = "".join(page.texts(".rows.text .lit"))
        assert re.sub(r"\s", "", shown) == re.sub(
            r"\s", "", "".join(reading.text[a:b] for a, b in _merged(wanted.spans))
        )

    check(SelectedStep(1))
    page.press("n")
    check(SelectedStep(2))
    for number, c in enumerate(reading.problem.constraints):
        page.value(f"document.querySelectorAll('.rows.constraints li')[{number}].click()")
        check(SelectedConstraint(c.id))
    for number in (0, 1, 5, len(reading.outline) - 1):
        page.value(f"document.querySelectorAll('.rows.tree li')[{number}].click()")
        check(SelectedNode(reading.outline[number].path))


def _merged(spans: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    made: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], max(end, made[-1][1]))
        else:
            made.append((start, end))
    return made


def test_words_are_clicked_and_dropped_again(page: Browser) -> None:
    assert "." not in page.texts(".rows.text [role=option]"), "only words are to be clicked"
    page.value("document.querySelectorAll('.rows.text [role=option]')[3].id = 'word'")
    page.click("#word")
    assert page.value("document.getElementById('word').getAttribute('aria-selected')") == "true"
    assert len(page.texts(".rows.text .picked")) == 1 and lit(page, "constraints") and lit(page, "tree")
    assert page.text("#said").startswith("lit: ")
    page.press("Escape")
    assert page.texts(".rows.text .picked") == []


def test_panes_are_reached_by_digits_and_walked_by_arrows(page: Browser) -> None:
    page.press("3")
    page.press("ArrowDown")
    page.press("ArrowDown")
    assert len(page.texts(".rows.constraints .picked")) == 1
    assert focused(page) == "pane p3"
    page.press("4")
    page.press("ArrowDown")
    assert place(page) == "step 2 of 3"
    for digit in "125":
        page.press(digit)
        assert focused(page) == f"pane p{digit}"
    page.press("?")
    assert page.value("document.getElementById('help').open") is True
    page.press("n")
    assert place(page) == "step 2 of 3", "keys rest while help is open"
    page.press("?")
    assert page.value("document.getElementById('help').open") is False


def test_light_and_dark_follow_the_system_and_the_button(page: Browser) -> None:
    def ground() -> str:
        return page.value("getComputedStyle(document.documentElement).backgroundColor")

    dark = ground()
    page.size(1280, 800, dark=False)
    light = ground()
    assert dark != light
    page.press("t")
    assert ground() == dark
    page.click("header button:nth-of-type(2)")
    assert ground() == light


def test_runs_are_chosen(page: Browser) -> None:
    assert page.texts("#run-list option") == [
        "r1: tools, sim:careful · right",
        "r2: tools, sim:time-blind · parameter error · lost at step 1",
    ]
    choose(page, 0)
    assert headline(page) == "✓ RIGHT" and place(page) == "the end"
    page.press("N")
    assert place(page) == "step 3 of 3" and page.text(".step h3") == "Step 3 ✓ possible"
    choose(page, 1)
    assert headline(page).startswith("✗ WRONG") and place(page) == "step 1 of 3"
    assert len(page.texts("main > .run")) == len(page.texts("main > .query")) == 1


@pytest.mark.parametrize("width,height,phone", [(390, 844, True), (1280, 800, False), (1920, 1080, False)])
def test_nothing_sticks_out(page: Browser, width: int, height: int, phone: bool) -> None:
    page.size(width, height, phone=phone)
    assert page.value("document.documentElement.scrollWidth") <= width
    outside = page.value(
        "[...document.querySelectorAll('header *, nav *, .pane')].filter((e) => e.getClientRects().length &&"
        f" (e.getBoundingClientRect().right > {width} + 1 || e.getBoundingClientRect().left < -1)).length"
    )
    assert outside == 0
    words = page.texts("header button")
    assert words == ["/ search", "◐ theme", "? keys"], "each sign has its word"
    seen = page.value("document.querySelector('nav').getBoundingClientRect().bottom")
    assert seen <= height + 1, "the buttons are always in reach"


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of 1,000 calls over twelve actions, with arguments that no line has room for, and notes."""
    problem = synthesize(Request(actions=12, seed=3)).problem
    variant = written(problem.text, [a.name for a in problem.actions])
    draw = random.Random(1)
    run = run_of(variant, [draw.randrange(12) for _ in range(1000)])
    for n, event in enumerate(run.events):
        if isinstance(event, CallEvent):
            run.events[n] = event.model_copy(
                update={"arguments": {"note": "many words " * 40, "more": "x" * 300}}
            )
    session = Session(id="s", title="A long run", notes="Ran for\na night.", variants=[variant], runs=[run])
    return page_of(session, tmp_path_factory.mktemp("long"))


@pytest.mark.parametrize("width,height,phone", [(360, 640, True), (390, 844, True), (1280, 900, False)])
def test_a_long_run_is_stepped_through(
    browser: Browser, long_run: Path, width: int, height: int, phone: bool
) -> None:
    browser.size(width, height, phone=phone)
    browser.open(long_run)
    assert "Ran for" in browser.text(".verdict details:last-child") and "<br>a night." in long_run.read_text()
    heights = browser.value(
        "[...document.querySelectorAll('.rows.steps li')].map((e) => e.getBoundingClientRect().height)"
    )
    assert len(heights) == 1002 and max(heights) < (100 if phone else 30), "a call is one line"
    left = "document.querySelector('#next').getBoundingClientRect().left"
    lefts = set()
    for key in ("g", "n", "n", "G", "N"):
        browser.press(key)
        lefts.add(round(browser.value(left)))
        assert browser.value("document.documentElement.scrollWidth") <= width
        bottom = browser.value("document.querySelector('nav').getBoundingClientRect().bottom")
        assert bottom <= height + 1
    assert len(lefts) == 1, "the button stays where it was pressed"
    assert place(browser) == "step 1000 of 1000"
    assert browser.messages == []


_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_GAPS = """(pane) => { const body = document.querySelector(`.${pane} .body`), box = body.getBoundingClientRect();
    const rows = [...body.querySelectorAll("li")].filter((e) => e.checkVisibility({contentVisibilityAuto: true}))
      .map((e) => e.getBoundingClientRect()).filter((r) => r.bottom > box.top && r.top < box.bottom);
    const edges = [Math.min(...rows.map((r) => r.top)) - box.top, box.bottom - Math.max(...rows.map((r) => r.bottom))];
    return [rows.length, Math.max(...edges)]; }"""
"""How many rows of a pane are in its window, and how much of it holds none, above or below them."""


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of 300 steps under 400 constraints; step 150 loses the plan."""
    folder = tmp_path_factory.mktemp("big")
    big_session(folder / "big.json", steps=300, constraints=400, wrong=150)
    return page_of(load(folder / "big.json"), folder)


@pytest.mark.parametrize("width,height,phone", [(390, 844, True), (1280, 900, False)])
def test_the_windows_of_a_big_page_are_full(
    browser: Browser, big: Path, width: int, height: int, phone: bool
) -> None:
    """Wherever one goes, by key or by the scroll bar; and the current row is in sight."""
    browser.size(width, height, phone=phone)
    browser.open(big)
    assert place(browser) == "step 150 of 300"
    for key in ("n", "N", "N", "g", "n", "G", "N", "f"):
        browser.press(key)
        (row,) = browser.texts(".rows.steps [aria-current] > :nth-child(2)")
        assert row.strip() in (place(browser).split()[1], "0", "end")
        if not phone:  # elsewhere the panes are below the window
            browser.value(_FRAME)
            for pane in ("p2", "p3", "p4"):
                rows, gap = browser.value(f"({_GAPS})('{pane}')")
                assert rows > 3 and gap < 60, (key, pane)
    for pane, share_of in (("p4", 0.1), ("p4", 0.77), ("p3", 0.5), ("p2", 0.31), ("p2", 1)):
        body = f"document.querySelector('.{pane} .body')"
        browser.value(f"{body}.scrollIntoView(); {body}.scrollTop = {share_of} * {body}.scrollHeight")
        browser.value(_FRAME)
        rows, gap = browser.value(f"({_GAPS})('{pane}')")
        assert rows > 3 and gap < 60, (pane, share_of)
    assert browser.messages == []


def test_the_page_has_a_search_of_its_own(browser: Browser, big: Path) -> None:
    browser.size(1280, 900)
    browser.open(big)
    browser.press("g")
    browser.press("/")
    assert browser.value("document.activeElement.id") == "wanted"
    for letter in browser.text(".rows.text [role=option]"):
        browser.press(letter)
    assert place(browser).startswith("step "), "the first step that says so, while one types"
    name = browser.value("document.getElementById('wanted').value").lower()
    assert browser.text("#hits").startswith("1 of ")
    assert name in browser.text(".step").lower().replace("_", " ")
    hits = int(browser.text("#hits").split()[-1])
    picked = "[...document.querySelectorAll('.rows.text .picked')].map((e) => [e.textContent, e.offsetTop])"
    seen = []
    for _ in range(hits):
        words = map(tuple, browser.value(picked))
        seen.append((place(browser), *browser.texts(".rows.constraints .picked > :nth-child(2)"), *words))
        browser.press("Enter")
    assert len(set(seen)) == hits and browser.text("#hits") == f"1 of {hits}"
    assert any(more[-1][0].lower() == name for _, *more in seen if more), "the words of the query"
    browser.press("Escape")
    assert browser.value("document.getElementById('search').hidden") is True
    before = place(browser)
    browser.press("n")
    assert place(browser) != before, "keys are keys again"


def test_a_search_that_finds_nothing_says_so(page: Browser) -> None:
    page.press("/")
    for letter in "zzz":
        page.press(letter)
    assert page.text("#hits") == "not found" and place(page) == "step 1 of 3"
    page.press("Enter")
    assert page.text("#hits") == "not found"


def test_what_a_step_is_about_is_in_sight(browser: Browser, tmp_path: Path) -> None:
    """At every step each pane shows something of what is lit in it, and the constraints one of the core."""
    session = load(bundled()["cause-topic"])
    path = page_of(session, tmp_path)
    browser.size(1280, 800)
    browser.open(path)
    unseen = """(() => { const gone = [];
        const panes = [["p1", ".text .lit"], ["p2", ".lit"], ["p3", ".lit"], ["p3", ".lit:has(.core)"],
          ["p4", "[aria-current]"]];
        const box = (e) => e.getBoundingClientRect();
        for (const [pane, what] of panes) {
          const body = box(document.querySelector(`.${pane} .body`));
          const all = [...document.querySelectorAll(`.${pane} ${what}`)].map(box);
          const seen = all.some((r) => r.top >= body.top - 1 && r.bottom <= body.bottom + 1);
          if (all.length && !seen) gone.push(`${pane} ${what}`);
        }
        return gone; })()"""
    browser.press("g")
    cores = 0
    for _ in range(7):
        assert browser.value(unseen) == []
        cores += len(browser.texts(".rows.constraints .lit .core"))
        browser.press("n")
    assert cores > 1


def test_a_finger_finds_everything(page: Browser) -> None:
    page.size(390, 844, phone=True)
    small = page.value(
        "[...document.querySelectorAll('button, select, summary, main li')]"
        ".filter((e) => e.getClientRects().length && !e.closest('dialog, .actions, .text'))"
        ".map((e) => [e.textContent, e.getBoundingClientRect().height, e.getBoundingClientRect().width])"
        ".filter(([, height, width]) => height < 32 || width < 40)"
    )
    assert small == []


def test_on_paper_it_is_the_whole_run(page: Browser) -> None:
    assert page.paper().startswith(b"%PDF")
    page.size(800, 1000, medium="print")
    page.value("window.dispatchEvent(new Event('beforeprint'))")
    text = page.text("main")
    for words in (
        "Query",
        "Constraints",
        "Before any call",
        "Step 1",
        "Step 3",
        "The end",
        "A correct plan",
        "Attending",
    ):
        assert words in text
    assert page.value("getComputedStyle(document.querySelector('footer')).display") == "none"
    page.value("window.dispatchEvent(new Event('afterprint'))")
    assert len(page.texts(".step")) == 1


def test_everything_has_a_name_and_a_role(page: Browser) -> None:
    unnamed = page.value(
        "[...document.querySelectorAll('button, select, [role=option]')]"
        ".filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label'))).length"
    )
    assert unnamed == 0
    assert page.value("document.querySelectorAll('main [tabindex=\"0\"]').length") == 4, "one stop a list"
    assert page.value("document.documentElement.lang") == "en"
    assert page.value("document.querySelector('.rows.steps [aria-current=step]') !== null")


def contrast(one: str, other: str) -> float:
    """WCAG 2: of two colours as a browser tells them."""

    def light(colour: str) -> float:
        parts = [int(n) / 255 for n in re.findall(r"[0-9]+", colour)[:3]]
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    a, b = sorted((light(one), light(other)), reverse=True)
    return (a + 0.05) / (b + 0.05)


@pytest.mark.parametrize("dark", [True, False])
def test_text_stands_out(page: Browser, dark: bool) -> None:
    page.size(1280, 800, dark=dark)
    page.press("n")
    pairs = page.value(
        """[...document.querySelectorAll('body *')].filter((e) => e.getClientRects().length && !e.disabled
             && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
           .map((e) => { let g = e; while (g && getComputedStyle(g).backgroundColor === 'rgba(0, 0, 0, 0)')
               g = g.parentElement;
             return [getComputedStyle(e).color, getComputedStyle(g || document.documentElement).backgroundColor,
               e.closest(':disabled') ? '' : e.textContent.slice(0, 20)]; })"""
    )
    low = [(text, contrast(a, b)) for a, b, text in pairs if text and contrast(a, b) < 4.5]
    assert len(pairs) > 60 and low == []


HOSTILE = (
    "</script><script>document.title='pwned'</script>",
    "<img src=x onerror=\"document.title='pwned'\">",
    "<!-- <script>document.title='pwned'",
    "javascript:document.title='pwned'",
    "${document.title='pwned'} {{view}} \u2028 \u202e \x1b[31m \x00",
    "<style>*{display:none}</style><base href='https://acme-corp.com/'>",
)


def test_hostile_text_is_text(browser: Browser, tmp_path: Path) -> None:
    session = planted(HOSTILE)
    session.title = HOSTILE[0]
    path = page_of(session, tmp_path)
    browser.size(1280, 800)
    browser.open(path)
    for key in "gnnnGf12345":
        browser.press(key)
    browser.paper()
    assert browser.value("document.title").startswith("</script>")
    assert "pwned'</script>" in browser.text("h1")
    assert browser.value("document.querySelectorAll('img, base, script:not([type])').length") == 1
    assert browser.messages == [] and browser.requests == [path.as_uri()]
    assert load(path) == session


def test_the_policy_lets_nothing_else_run(browser: Browser, tmp_path: Path) -> None:
    """Even a page that somebody changed: the sum of its script is no longer the one that is named."""
    path = page_of(planted([]), tmp_path)
    text = path.read_text(encoding="utf-8")
    assert "default-src &#x27;none&#x27;" in text and "unsafe" not in text
    path.write_text(
        text.replace('"use strict";\n', '"use strict";document.title = "changed";\n', 1), encoding="utf-8"
    )
    browser.open(path)
    assert browser.value("document.title") != "changed"
    assert any("Content Security Policy" in message for message in browser.messages)


def test_a_request_without_a_run(browser: Browser, tmp_path: Path) -> None:
    session = Session(id="s", title="Only asked", variants=[written()])
    path = page_of(session, tmp_path)
    browser.open(path)
    browser.press("n")
    assert headline(browser) == "· not run yet" and place(browser) == "before any call"
    assert browser.messages == [] and load(path) == session


def test_what_the_model_saw_is_there_and_folds(page: Browser, figure: tuple[Session, Path]) -> None:
    page.press("g")
    prompt = figure[0].runs[-1].events[0]
    assert isinstance(prompt, PromptEvent) and prompt.tools
    assert prompt.text in page.text(".step") and prompt.tools[0].description in page.text(".step")
    shut = "[...document.querySelectorAll('.step details:not([open]) > summary')].map((e) => e.textContent)"
    assert page.value(shut) == ["Tools", "The plan"]
    page.press("n")
    assert "words read" not in page.text(".step") and "tokens read" in page.text(".step")
    assert page.value(shut) == ["Raw message", "The plan"]
    page.click(".step summary")
    page.press("n")
    assert page.value(shut) == ["The plan"], "what was opened stays open"


def test_the_plan_is_drawn_and_moves_with_the_steps(page: Browser, figure: tuple[Session, Path]) -> None:
    labels = "[...document.querySelectorAll('.step svg text')].map((e) => e.textContent)"
    cores = "document.querySelectorAll('.step .edge.core').length"
    page.press("V")
    page.press("g")
    assert page.value(labels)[0] == "→ applying hair color" and page.value(cores) == 0
    assert page.texts(".step figcaption") == ["Order of the actions", "Hours of the actions"]
    page.press("n")
    assert "✗ attending training sessions" in page.value(labels) and page.value(cores) == 1
    colour = "getComputedStyle(document.querySelector('.step svg text')).fill"
    dark = page.value(colour)
    page.press("t")
    assert page.value(colour) != dark, "a picture has the colours of the page"
    page.press("V")
    assert page.value("document.querySelector('.step svg').checkVisibility()") is False


def test_several_requests_and_a_run_that_cannot_be_read(browser: Browser, tmp_path: Path) -> None:
    first, second, broken = written(), written(id="v2"), written(id="v3")
    broken = broken.model_copy(
        update={"query": broken.query.model_copy(update={"text": "Nobody reads this."})}
    )
    runs = [run_of(first, (0, 1, 2)), run_of(broken, (0,), id="r2"), run_of(second, (2, 1, 0), id="r3")]
    session = Session(id="s", title="Several", variants=[first, second, broken], runs=runs)
    path = page_of(session, tmp_path, "r1")
    browser.open(path)
    assert headline(browser) == "✓ RIGHT"
    assert len(browser.texts("#run-list option")) == 2 and "1 more run in the session" in browser.text("main")
    assert browser.messages == [] and load(path) == session


def test_the_runs_of_a_dissection_are_carried_and_not_listed() -> None:
    variant = written()
    runs = [run_of(variant, (0, 1, 2), id=f"r{n}") for n in range(1, 6)]
    cells = [Cell(kind="Repeat", number=1, variant="v1", runs=["r3", "r4"])]
    dissection = Dissection(id="d1", variant="v1", run="r1", agent="tools", model="sim:x", cells=cells)
    session = Session(id="s", title="t", variants=[variant], runs=runs, dissections=[dissection])
    for chosen, listed in ((None, ["r1", "r2", "r5"]), ("r4", ["r1", "r2", "r4", "r5"])):
        text = share(session, chosen, "html", redaction=None)
        view = numbers_of(text)
        assert [title.partition(":")[0] for title in view["titles"]] == listed
        assert f"{5 - len(listed)} more run" in text
        assert view["titles"][view["show"]].startswith(chosen or "r5")
        assert loads(text.encode()) == session


def test_it_carries_hours_and_the_words_of_each_action() -> None:
    text = "Alpha review is before beta review. Gamma review is after beta review."
    variant = written(text, durations=(2, 3, 4))
    run = run_of(variant, (0, 1, 2), hours=(1, 4, 20))
    page = share(Session(id="s", title="t", variants=[variant], runs=[run]), None, "html", redaction=None)
    pieces = re.findall("<li>(.*?)</li>", page.partition('class="rows text"')[2].partition("</ul>")[0])
    assert "".join(pieces) == text
    lit = [
        [pieces[n] for n in touched] for touched, _, _ in numbers_of(page)["queries"][0]["constraints"][:2]
    ]
    assert lit == [["Alpha review", "is before", "beta review"], ["Gamma review", "is after", "beta review"]]
    for words in ("2 h", "3 h", "4 h", "1:00-3:00", "4:00-7:00", "20:00-24:00"):
        assert words in page


def numbers_of(page: str) -> Any:
    """The numbers of the page's script."""
    found = re.search(r'id="steps">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_it_is_a_text_without_a_script(figure: tuple[Session, Path]) -> None:
    """All of the run that it opens with: verdict, query, constraints, and every step."""
    text = figure[1].read_text(encoding="utf-8")
    shown = unescape(re.sub("<template.*?</template>|<script.*?</script>", "", text, flags=re.DOTALL))
    for words in (
        "WRONG: parameter error",
        "A correct plan",
        "Step 3",
        "The end",
        "● conflict",
        "2 h",
        "r2: tools",
    ):
        assert words in shown, words
    assert "r1: tools, sim:careful</span>" not in shown


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    """The page of two traces under one rule: one breaks it, and does not call one of the tools."""
    call = {"id": "1", "type": "function", "function": {"name": "refund", "arguments": '{"order": 7}'}}
    look = {"id": "0", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    good = [
        {"role": "user", "content": "Pay the good one back"},
        {"role": "assistant", "tool_calls": [look]},
        {"role": "tool", "tool_call_id": "0", "content": "7"},
        {"role": "user", "content": "Go on\n\nthen"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "paid"},
        {"role": "assistant", "content": "Done."},
    ]
    bad = [{"role": "user", "content": "Pay <b>it</b> back"}, *good[4:]]
    file, rules, session = tmp_path / "two.jsonl", tmp_path / "rules.txt", tmp_path / "s.planscope.json"
    file.write_text("\n".join(json.dumps({"messages": one}) for one in (good, bad)))
    rules.write_text("look_up only reads.\nrefund writes.\nlook first: look_up comes before refund.\n")
    assert main(["import", str(file), "--all", "--rules", str(rules), "-o", str(session)]) == 0
    return page_of(load(session), tmp_path)


def test_the_page_of_a_trace_has_its_task_and_tools(browser: Browser, imported: Path) -> None:
    browser.size(1280, 800)
    browser.open(imported)
    assert browser.text(".p1 h2").startswith("1 Task") and "Pay <b>it</b> back" in browser.text(".p1")
    tools = browser.texts(".rows.actions li")
    assert any("refund" in one and "writes" in one and "✓ step 1" in one for one in tools)
    assert any("look_up" in one and "reads" in one for one in tools)
    assert not any("to do" in one for one in tools), "nobody asked for these calls"
    assert "What to change" in browser.texts("summary") and "A correct plan" not in browser.text("main")
    assert browser.texts(".rows.tree li")[-1].count("look first") == 1, "a rule is named once"
    good, bad = browser.texts("#run-list option")
    assert good.endswith(" · right") and "violated" in bad and bad.endswith("lost at step 1")
    loud = browser.texts(".rows.steps li .broken"), browser.texts(".rows.steps li .core")
    assert loud == (["✗"], ["LOST HERE, rule violated"]), "the loss is the loud row"
    choose(browser, 0)
    assert "Pay the good one back" in browser.text(".p1"), "each trace has its own task"
    assert any(one.startswith("user: Go on then") for one in browser.texts(".rows.steps li"))
    browser.press("N")
    assert browser.texts(".step dt")[0] == "user" and browser.texts(".step dd")[0].startswith("Go on")
    assert "time not recorded" in browser.text(".step") and " 0 s" not in browser.text(".step")
    assert browser.messages == []


def test_a_page_opens_at_the_likely_cause_where_nothing_is_lost() -> None:
    calls = [
        ToolCall("refund", {"order": 7}, answer="Error: no such order", answered=True, failed=True),
        ToolCall("look", {"order": 7}, answer="ok", answered=True, failed=False),
    ]
    session = session_of([Trace([Said("user", "Refund order 7."), *calls], id="t", reward=0.0)])
    run = session.runs[0]
    _, numbers = _view(session, judge(session, run))
    assert numbers["runs"][0]["at"] == 1
