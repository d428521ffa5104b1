"""What every test runs under."""

from __future__ import annotations

import os

from hypothesis import settings

# No deadline: machines are noisy, and time is measured in tests/bench. Fixed examples where others wait for the
# answer; PLANSCOPE_RANDOM=1 looks for new ones.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None)
settings.load_profile("random" if os.environ.get("PLANSCOPE_RANDOM") else "fixed")
