"""The wording of planscope for states, constraints, calls, endings and findings, on screen and everywhere else.

``terms`` has the tables, ``phrases`` short pieces, ``constraints`` what a query asks for, ``explain`` and ``reasons``
whole sentences about a judged run.
"""
