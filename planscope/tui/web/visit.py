"""One visitor's debugger: ``python -m planscope.tui.web.visit JSON``, a process that the server starts.

It ends when its visitor leaves or the server is gone.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from planscope.errors import UserError
from planscope.safe import visible

LOOK_EVERY = 1.0
GRACE = 5.0
"""Seconds between checks that the server still runs, and from its end until this process is ended by force."""


def main(given: dict[str, Any]) -> int:
    """Run the debugger. ``given``: path, run, step and theme to open, and the server's process id."""
    parent = os.getppid() if os.name == "nt" else given["server"]
    threading.Thread(target=_end_with_parent, args=(parent,), name="planscope parent", daemon=True).start()
    from planscope.tui.launch import run

    try:
        return run(
            Path(given["path"]), run=given["run"], step=given["step"], theme=given["theme"], in_browser=True
        )
    except UserError as error:
        _show(str(error))
        return 2


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY)
    import signal

    signal.raise_signal(signal.SIGTERM)  # the application saves and leaves
    time.sleep(GRACE)
    os._exit(1)


def _show(line: str) -> None:
    """Show one line in the browser until the visitor leaves, in the protocol of Textual's web driver."""
    text = f"planscope: {visible(line, limit=2000)}".encode()
    out = sys.stdout.buffer
    out.write(b"__GANGLION__\n" + b"D%s%s" % (len(text).to_bytes(4, "big"), text))
    out.flush()
    sys.stdin.buffer.read()


if __name__ == "__main__":
    raise SystemExit(main(json.loads(sys.argv[1])))
