"""``python -m planscope``."""

import sys

from planscope.cli import main

sys.exit(main())
