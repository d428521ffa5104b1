"""What every test runs under."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

from hypothesis import settings

# No folder of whoever runs the tests is read or written: neither here nor in processes that tests start.
_HOME = tempfile.mkdtemp(prefix="planscope-tests-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
for _name in ("CONFIG", "DATA", "STATE", "CACHE"):
    os.environ[f"XDG_{_name}_HOME"] = f"{_HOME}/{_name.lower()}"

# No deadline: machines are noisy, and time is measured in tests/bench. Fixed examples where others wait for the
# answer; PLANSCOPE_RANDOM=1 looks for new ones.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None)
settings.load_profile("random" if os.environ.get("PLANSCOPE_RANDOM") else "fixed")
