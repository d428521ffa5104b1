"""``python -m planscope``, and the program ``planscope``. Signals are handled before anything else is imported."""

import sys

from planscope.signals import leave_at_once


def main() -> int:
    """Run one command, and return its exit status."""
    leave_at_once()
    from planscope.cli import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
