"""Makes untrusted text safe to display on a terminal.

Text from a model, a tool, a trace or a session file is untrusted: it may contain escape sequences that write the
clipboard, marks that reverse the reading direction, or ten thousand accents on one letter. The text that this package
returns contains no control, format, surrogate, private or unassigned code point. The package imports neither Rich nor
Textual, so that the command line can use it too.

Offsets and lengths are in code points, widths in terminal cells.
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
