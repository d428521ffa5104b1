"""The page of a run of 1,000 steps: processor seconds to write it, and in Chromium its elements, its load and its keys.

``python -m tests.bench.bench_page``. A key counts from its event to the frame after it, layout and paint included.
Without Chromium only the writing is timed.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from planscope.session.store import load
from planscope.sharing.formats import share
from tests.bench.big_session import big_session
from tests.bench.yardstick import table
from tests.sharing.browser import CHROMIUM, Browser

STEPS, CONSTRAINTS = 1_000, 2_000
SIZES = ((1280, 800, False), (390, 844, True))
KEYS = "nnnnnnnnnnNNNNNGNNNNNgnnnnnfnnnnn"

_WATCH = """(() => { window.took = [];
  document.addEventListener("keydown", () => {
    const from = performance.now();
    requestAnimationFrame(() => { const channel = new MessageChannel();
      channel.port1.onmessage = () => window.took.push(performance.now() - from);
      channel.port2.postMessage(0); });
  }, true); })()"""


def main() -> None:
    """Write the page once, open it at each size, press the keys."""
    with TemporaryDirectory() as folder:
        path, made = Path(folder) / "big.json", Path(folder) / "page.html"
        big_session(path, steps=STEPS, constraints=CONSTRAINTS, wrong=STEPS // 2)
        session = load(path)
        began = time.process_time()
        made.write_text(share(session, None, "html", redaction=None), encoding="utf-8")
        wrote = time.process_time() - began
        table(
            f"page of {STEPS:,} steps and {CONSTRAINTS:,} constraints",
            ("written in", "size"),
            [(f"{wrote:.2f} s", f"{made.stat().st_size / 1e6:.1f} MB")],
        )
        if CHROMIUM is not None:
            rows = [_opened(made, *size) for size in SIZES]
            table("in Chromium", ("window", "elements", "loaded in", "key, median", "95 %", "longest"), rows)


def _opened(page: Path, width: int, height: int, phone: bool) -> tuple[object, ...]:
    with Browser() as browser:
        browser.size(width, height, phone=phone)
        browser.open(page)
        loaded = browser.value("performance.getEntriesByType('navigation')[0].loadEventEnd")
        browser.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        browser.value(_WATCH)
        took: list[float] = []
        for n, key in enumerate(KEYS, 1):
            browser.press(key)
            while len(took) < n:
                took = browser.value("window.took")
        elements = browser.value("document.querySelectorAll('*').length")
        took.sort()
        return (
            f"{width}x{height}",
            f"{elements:,}",
            f"{loaded:.0f} ms",
            f"{statistics.median(took):.0f} ms",
            f"{took[int(0.95 * len(took))]:.0f} ms",
            f"{took[-1]:.0f} ms",
        )


if __name__ == "__main__":
    main()
