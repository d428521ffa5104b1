"""An example of a package that extends planscope."""

from pathlib import Path

themes = Path(__file__).parent / "themes"
"""The folder of the themes: files as in planscope's own folder ``themes``."""
