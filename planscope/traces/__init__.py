"""Traces of other programs: readers for their formats, behind one interface.

``open_traces`` reads files of any format; ``planscope.oracle.trace`` defines the traces that it returns.
"""

from planscope.traces.opening import open_traces as open_traces
from planscope.traces.reader import Options as Options
from planscope.traces.source import Unreadable as Unreadable
