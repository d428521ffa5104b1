"""The shared page in a real browser: stepping, linking, both themes, on paper; silent, and asking nobody."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from planscope.debugger.linked import Links
from planscope.debugger.run_index import RunIndex
from planscope.debugger.selection import SelectedConstraint, SelectedNode, SelectedStep
from planscope.oracle.replay import replay
from planscope.session.locations import bundled
from planscope.session.model import CallEvent, Cell, Dissection, PromptEvent, Session
from planscope.session.oracle_input import reading_of
from planscope.session.store import load, loads
from planscope.session.traces import trace_of
from planscope.sharing.formats import share
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
    texts = page.texts(f"#{pane} .lit")
    return [" ".join(text.split()) for text in texts]


def place(page: Browser) -> str:
    return page.text("#place .long")


def test_it_opens_where_the_plan_was_lost(page: Browser) -> None:
    assert page.text("#headline") == "✗ WRONG: parameter error"
    assert page.text("#where") == "· lost at step 1"
    assert place(page) == "step 1 of 3"
    assert "sentence 2 says" in page.text("#why")
    assert [" ".join(t.split()) for t in page.texts("#timeline .line")] == [
        "0✓before any callpossible",
        "1●attending_training_sessions(10)LOST HERE10:00-12:00lost",
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
    page.click('[data-do="first"]')
    page.click('[data-do="next"]')
    assert place(page) == "step 2 of 3" and page.text("#step-name") == "Step 2"
    page.click("#timeline .line:last-child")
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
        assert [text.strip() for text in page.texts("#constraints .status")] == expected
        page.press("n")


def test_what_is_lit_is_what_the_debugger_lights(page: Browser, figure: tuple[Session, Path]) -> None:
    session, _ = figure
    reading = reading_of(session.variants[0])
    index = RunIndex(replay(reading.problem, trace_of(session.runs[-1])))
    links = Links(reading.text, reading.problem, reading.outline)

    def check(selection: SelectedConstraint | SelectedNode | SelectedStep) -> None:
        wanted = links.lit(selection, index)
        assert [text.strip() for text in page.texts("#constraints .lit .id")] == [
            c.id for c in reading.problem.constraints if c.id in wanted.constraints
        ]
        assert page.texts("#tree .lit .grow") == [
            page.texts("#tree .grow")[n]
            for n, node in enumerate(reading.outline)
            if node.path in wanted.nodes
        ]
        assert [text.strip() for text in page.texts("#timeline .lit > .fixed.dim")] == [
            str(index.steps[i].step) for i in sorted(wanted.steps)
        ]
        shown = "".join(page.texts("#text .lit"))
        assert re.sub(r"\s", "", shown) == re.sub(
            r"\s", "", "".join(reading.text[a:b] for a, b in _merged(wanted.spans))
        )

    check(SelectedStep(1))
    page.press("n")
    check(SelectedStep(2))
    for number, c in enumerate(reading.problem.constraints):
        page.value(f"document.querySelectorAll('#constraints .line')[{number}].click()")
        check(SelectedConstraint(c.id))
    for number in (0, 1, 5, len(reading.outline) - 1):
        page.value(f"document.querySelectorAll('#tree .line')[{number}].click()")
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
    assert "." not in page.texts("#text [role=button]"), "only words are to be clicked"
    page.value("document.querySelectorAll('#text [role=button]')[3].id = 'word'")
    page.click("#word")
    assert page.value("document.getElementById('word').getAttribute('aria-pressed')") == "true"
    assert len(page.texts("#text .picked")) == 1 and lit(page, "constraints") and lit(page, "tree")
    assert page.text("#said").startswith("lit: ")
    page.press("Escape")
    assert page.texts("#text .picked") == []


def test_panes_are_reached_by_digits_and_walked_by_arrows(page: Browser) -> None:
    page.press("3")
    page.press("ArrowDown")
    page.press("ArrowDown")
    assert len(page.texts("#constraints .picked")) == 1
    assert page.value("document.activeElement.closest('section').id") == "pane-3"
    page.press("4")
    page.press("ArrowDown")
    assert place(page) == "step 2 of 3"
    for digit in "125":
        page.press(digit)
        assert page.value("document.activeElement.closest('section').id") == f"pane-{digit}"
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
    page.click("#theme")
    assert ground() == light


def test_runs_are_chosen(page: Browser) -> None:
    assert page.texts("#run option") == ["r1: tools, sim:careful", "r2: tools, sim:time-blind"]
    page.value(
        "(() => { const s = document.getElementById('run'); s.value = '0'; s.dispatchEvent(new Event('change')); })()"
    )
    assert page.text("#headline") == "✓ RIGHT" and place(page) == "the end"


@pytest.mark.parametrize("width,height,phone", [(390, 844, True), (1280, 800, False), (1920, 1080, False)])
def test_nothing_sticks_out(page: Browser, width: int, height: int, phone: bool) -> None:
    page.size(width, height, phone=phone)
    assert page.value("document.documentElement.scrollWidth") <= width
    outside = page.value(
        "[...document.querySelectorAll('header *, nav *, .pane')].filter((e) => e.getClientRects().length &&"
        f" (e.getBoundingClientRect().right > {width} + 1 || e.getBoundingClientRect().left < -1)).length"
    )
    assert outside == 0
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
    assert browser.text("#notes p") == "Ran for\na night."
    heights = browser.value(
        "[...document.querySelectorAll('#timeline .line')].map((e) => e.getBoundingClientRect().height)"
    )
    assert 10 < len(heights) <= 150 and max(heights) < (100 if phone else 30), "a call is one line"
    left = "document.querySelector('[data-do=next]').getBoundingClientRect().left"
    lefts = set()
    for key in ("g", "n", "n", "G", "N"):
        browser.press(key)
        lefts.add(round(browser.value(left)))
        assert browser.value("document.documentElement.scrollWidth") <= width
        bottom = browser.value("document.querySelector('nav').getBoundingClientRect().bottom")
        assert bottom <= height + 1
    assert len(lefts) == 1, "the button stays where it was pressed"
    shown = browser.texts("#place .short" if phone else "#place .long")
    assert shown == ["1000/1000" if phone else "step 1000 of 1000"]
    assert browser.messages == []


_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_GAPS = """(pane) => { const body = document.querySelector(`#${pane} .body`), box = body.getBoundingClientRect();
    const rows = [...body.querySelectorAll(".line")].map((e) => e.getBoundingClientRect())
      .filter((r) => r.bottom > box.top && r.top < box.bottom);
    const edges = [Math.min(...rows.map((r) => r.top)) - box.top, box.bottom - Math.max(...rows.map((r) => r.bottom))];
    return [rows.length, Math.max(...edges)]; }"""
"""How many rows of a pane are in its window, and how much of it holds none, above or below them."""


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of 600 steps under 1,000 constraints; step 300 loses the plan."""
    folder = tmp_path_factory.mktemp("big")
    big_session(folder / "big.json", steps=600, constraints=1000, wrong=300)
    return page_of(load(folder / "big.json"), folder)


@pytest.mark.parametrize("width,height,phone", [(390, 844, True), (1280, 900, False)])
def test_only_the_rows_near_the_window_are_drawn(
    browser: Browser, big: Path, width: int, height: int, phone: bool
) -> None:
    """Wherever one goes, by key, by wheel or by the scroll bar, the windows are full, and the page stays small."""
    browser.size(width, height, phone=phone)
    browser.open(big)

    def check() -> None:
        assert browser.value("document.querySelectorAll('*').length") < 3_500
        for pane in ("pane-2", "pane-3", "pane-4"):
            rows, gap = browser.value(f"({_GAPS})('{pane}')")
            assert rows > 3 and gap < 160, pane

    check()
    assert place(browser) == "step 300 of 600"
    for key in ("n", "N", "N", "g", "n", "G", "N", "f"):
        browser.press(key)
        check()
        (row,) = browser.texts("#timeline .current > .fixed.dim")
        assert row.strip() in (place(browser).split()[1], "0", "end")
    for pane, share_of in (
        ("pane-4", 0.1),
        ("pane-4", 0.77),
        ("pane-3", 0.5),
        ("pane-2", 0.31),
        ("pane-2", 1),
    ):
        body = f"document.querySelector('#{pane} .body')"
        browser.value(f"{body}.scrollTop = {share_of} * {body}.scrollHeight")
        browser.value(_FRAME)
        rows, gap = browser.value(f"({_GAPS})('{pane}')")
        assert rows > 3 and (gap < 30 or share_of == 1), (pane, share_of)
    assert browser.messages == []


def test_a_drawn_row_says_where_it_is_among_all(browser: Browser, big: Path) -> None:
    browser.size(1280, 900)
    browser.open(big)

    def place_among_all(pane: str) -> list[int]:
        row = f"document.querySelector('{pane} .picked')"
        return [int(browser.value(f"{row}.getAttribute('{a}')")) for a in ("aria-posinset", "aria-setsize")]

    assert place_among_all("#timeline") == [301, 602]
    browser.press("3")
    browser.press("ArrowDown")
    assert place_among_all("#constraints") == [1001, 1003], "the constraint of the core"
    for _ in range(60):
        browser.press("ArrowUp")
    assert place_among_all("#constraints") == [941, 1003]
    assert browser.value("document.activeElement.classList.contains('picked')") is True


def test_what_is_seen_stays_in_its_place_while_rows_are_drawn(browser: Browser, big: Path) -> None:
    """Constraints are one line or two: no guess of a height is right, and none may move what one reads."""
    browser.size(1280, 900)
    browser.open(big)
    step = """(() => { const b = document.querySelector("#pane-3 .body"), box = b.getBoundingClientRect();
        const row = [...b.querySelectorAll(".line")].find((e) => e.getBoundingClientRect().top > box.top + 20);
        const before = row.getBoundingClientRect().top; b.scrollTop -= 15;
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
          done(row.getBoundingClientRect().top - before)))); })()"""
    browser.value("document.querySelector('#pane-3 .body').scrollTop = 9000")
    browser.value(_FRAME)
    assert {round(browser.value(step)) for _ in range(60)} == {15}


def test_the_page_has_a_search_of_its_own(browser: Browser, big: Path) -> None:
    browser.size(1280, 900)
    browser.open(big)
    browser.press("g")
    browser.press("/")
    assert browser.value("document.activeElement.id") == "wanted"
    for letter in browser.text("#text [role=button]"):
        browser.press(letter)
    assert place(browser).startswith("step "), "the first step that says so, while one types"
    name = browser.value("document.getElementById('wanted').value").lower()
    assert browser.text("#hits").startswith("1 of ")
    assert name in " ".join(browser.texts("#detail dd")).lower().replace("_", " ")
    hits = int(browser.text("#hits").split()[-1])
    picked = "[...document.querySelectorAll('#text .picked')].map((e) => [e.textContent, e.offsetTop])"
    seen = []
    for _ in range(hits):
        words = map(tuple, browser.value(picked))
        seen.append((place(browser), *browser.texts("#constraints .picked .id"), *words))
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
        const panes = [["pane-1", "#text .lit"], ["pane-2", ".lit"], ["pane-3", ".lit"], ["pane-3", ".lit:has(.k)"],
          ["pane-4", ".picked"]];
        const box = (e) => e.getBoundingClientRect();
        for (const [pane, what] of panes) {
          const body = box(document.querySelector(`#${pane} .body`));
          const all = [...document.querySelectorAll(`#${pane} ${what}`)].map(box);
          const seen = all.some((r) => r.top >= body.top - 1 && r.bottom <= body.bottom + 1);
          if (all.length && !seen) gone.push(`${pane} ${what}`);
        }
        return gone; })()"""
    browser.press("g")
    cores = 0
    for _ in range(7):
        assert browser.value(unseen) == []
        cores += len(browser.texts("#constraints .lit .k"))
        browser.press("n")
    assert cores > 1


def test_a_finger_finds_everything(page: Browser) -> None:
    page.size(390, 844, phone=True)
    small = page.value(
        "[...document.querySelectorAll('button, select, summary, main .line')]"
        ".filter((e) => e.getClientRects().length && !e.closest('dialog, #actions'))"
        ".map((e) => [e.textContent, e.getBoundingClientRect().height, e.getBoundingClientRect().width])"
        ".filter(([, height, width]) => height < 32 || width < 40)"
    )
    assert small == []


def test_on_paper_it_is_the_whole_run(page: Browser) -> None:
    assert page.paper().startswith(b"%PDF")
    page.size(800, 1000, medium="print")
    text = page.text("#report")
    for words in (
        "Query",
        "Constraints at the end",
        "step 3",
        "A correct plan",
        "Attending",
    ):
        assert words in text
    assert page.value("getComputedStyle(document.getElementById('screen')).display") == "none"
    assert page.value("getComputedStyle(document.getElementById('report')).display") == "block"
    assert "object" not in text.casefold().replace("objects", "") or "[object" not in text


def test_everything_has_a_name_and_a_role(page: Browser) -> None:
    unnamed = page.value(
        "[...document.querySelectorAll('button, select, [role=option], [role=treeitem]')]"
        ".filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label'))).length"
    )
    assert unnamed == 0
    assert page.value("document.querySelectorAll('main [tabindex=\"0\"]').length") == 4, "one stop a list"
    assert page.value("document.documentElement.lang") == "en"
    assert page.value("document.querySelector('#timeline [aria-current=step]') !== null")


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
             && ![...e.classList].includes('twig') && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
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
    assert "pwned'</script>" in browser.text("#title")
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
    assert browser.text("#headline") == "· not run yet" and place(browser) == "before any call"
    assert browser.messages == [] and load(path) == session


def test_what_the_model_saw_is_there_and_folds(page: Browser, figure: tuple[Session, Path]) -> None:
    page.press("g")
    prompt = figure[0].runs[-1].events[0]
    assert isinstance(prompt, PromptEvent) and prompt.tools
    whole = "[...document.querySelectorAll('.seen .whole')].map((e) => e.textContent)"
    assert prompt.text in page.value(whole) and prompt.tools[0].description in page.value(whole)
    shut = "[...document.querySelectorAll('.seen > details:not([open]) > summary')].map((e) => e.textContent)"
    assert page.value(shut) == ["tools 4 items"]
    page.press("n")
    assert "words read" not in page.text("#detail") and "tokens read" in page.text("#detail")
    assert page.value(shut) == ["raw message ai"]


def test_the_plan_is_drawn_and_moves_with_the_steps(page: Browser, figure: tuple[Session, Path]) -> None:
    labels = "[...document.querySelectorAll('#drawing .thing text')].map((e) => e.textContent)"
    page.press("V")
    assert page.text("#name-2") == "2 Order"
    page.press("g")
    assert page.value(labels)[0] == "→ applying hair color"
    lines = "document.querySelectorAll('#drawing .line-of').length"
    cores = "document.querySelectorAll('#drawing .line-of.core').length"
    assert (page.value(lines), page.value(cores)) == (2, 0)
    page.press("n")
    assert "✗ attending training sessions" in page.value(labels) and page.value(cores) == 1
    page.value("document.querySelector('#drawing .line-of.core').dispatchEvent(new MouseEvent('click'))")
    assert page.text("#words").startswith("c3 ")
    page.press("Escape")
    page.press("V")
    assert page.text("#name-2") == "2 Hours"
    assert "✗ applying hair color · no hours left" in page.value(labels)
    page.press("V")
    assert page.text("#name-2") == "2 Tree" and page.value("document.querySelector('#drawing').hidden")


def test_several_requests_and_a_run_that_cannot_be_read(browser: Browser, tmp_path: Path) -> None:
    first, second, broken = written(), written(id="v2"), written(id="v3")
    broken = broken.model_copy(
        update={"query": broken.query.model_copy(update={"text": "Nobody reads this."})}
    )
    runs = [run_of(first, (0, 1, 2)), run_of(broken, (0,), id="r2"), run_of(second, (2, 1, 0), id="r3")]
    session = Session(id="s", title="Several", variants=[first, second, broken], runs=runs)
    path = page_of(session, tmp_path, "r1")
    browser.open(path)
    assert browser.text("#headline") == "✓ RIGHT"
    assert len(browser.texts("#run option")) == 2 and browser.text("#more").startswith("1 more run ")
    assert browser.messages == [] and load(path) == session


def test_the_runs_of_a_dissection_are_carried_and_not_listed() -> None:
    variant = written()
    runs = [run_of(variant, (0, 1, 2), id=f"r{n}") for n in range(1, 6)]
    cells = [Cell(kind="Repeat", number=1, variant="v1", runs=["r3", "r4"])]
    dissection = Dissection(id="d1", variant="v1", run="r1", agent="tools", model="sim:x", cells=cells)
    session = Session(id="s", title="t", variants=[variant], runs=runs, dissections=[dissection])
    for chosen, listed in ((None, ["r1", "r2", "r5"]), ("r4", ["r1", "r2", "r4", "r5"])):
        text = share(session, chosen, "html", redaction=None)
        view = json.loads(re.search(r'id="planscope-view">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
        assert [run["id"] for run in view["runs"]] == listed and view["left_out"] == 5 - len(listed)
        assert view["runs"][view["show"]]["id"] == (chosen or "r5")
        assert loads(text.encode()) == session


def test_it_carries_hours_and_the_words_of_each_action() -> None:
    text = "Alpha review is before beta review. Gamma review is after beta review."
    variant = written(text, durations=(2, 3, 4))
    run = run_of(variant, (0, 1, 2), hours=(1, 4, 20))
    page = share(Session(id="s", title="t", variants=[variant], runs=[run]), None, "html", redaction=None)
    view = json.loads(re.search(r'id="planscope-view">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    (request,) = view["requests"]
    pieces = request["pieces"]
    assert "".join(pieces) == text
    said = {one["name"]: [pieces[n] for n in one["pieces"]] for one in request["actions"]}
    assert said == {
        "alpha review": ["Alpha review"],
        "beta review": ["beta review", "beta review"],
        "gamma review": ["Gamma review"],
    }
    assert [one["hours"] for one in request["actions"]] == [2, 3, 4]
    lit = [[pieces[n] for n in touched] for touched, _, _ in request["lit"]["constraints"][:2]]
    assert lit == [["Alpha review", "is before", "beta review"], ["Gamma review", "is after", "beta review"]]
    assert [step.get("hours") for step in view["runs"][0]["steps"][1:4]] == [
        "1:00-3:00",
        "4:00-7:00",
        "20:00-24:00",
    ]


def test_without_a_script_it_is_a_text(figure: tuple[Session, Path]) -> None:
    text = figure[1].read_text(encoding="utf-8")
    plain = re.search(r"<noscript>(.*?)</noscript>", text, re.DOTALL)
    assert plain is not None and "A correct plan" in plain[1] and "<script" not in plain[1]
    view = json.loads(re.search(r'id="planscope-view">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    assert view["runs"][view["show"]]["id"] == "r2"
