"""Agents under test: mock tools, paradigms, models real and simulated, the recorder and the runner (paper, 4.3-5).

The only place that knows LangChain, and it imports it late: ``runner``, ``models``, ``toolset`` and the pure half
of ``simulated`` load without it.
"""
