"""Traces that people bring: readers for the formats of other programs, behind one interface.

``open_traces`` reads files of any of them; ``shape`` is what it gives.
"""

from planscope.traces.opening import open_traces as open_traces
from planscope.traces.reader import Options as Options
from planscope.traces.source import Unreadable as Unreadable
