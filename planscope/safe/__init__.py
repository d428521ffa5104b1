"""Text from outside, made fit to be shown on a terminal.

Whatever comes from a model, a tool, a trace or a session file is hostile: it may hold escape sequences that
write the clipboard, marks that turn the reading direction round, or ten thousand accents on one letter. What
leaves this package holds no control, format, surrogate, private or unassigned code point. It imports neither
Rich nor Textual, so that the command line can use it too.

Offsets and lengths are code points, widths are terminal cells.
"""

from planscope.safe.cells import cell_width, char_width, clip, wrap
from planscope.safe.glyphs import MAX_MARKS, TAB, Shown, show, visible, without_controls

__all__ = [
    "MAX_MARKS",
    "TAB",
    "Shown",
    "cell_width",
    "char_width",
    "clip",
    "show",
    "visible",
    "without_controls",
    "wrap",
]
