"""One real program per framework, and where their recordings lie."""

from pathlib import Path

RECORDED = Path(__file__).parents[1] / "recorded"
