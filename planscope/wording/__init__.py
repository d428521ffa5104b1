"""The words of planscope for states, constraints, calls, endings and findings, on screen and everywhere else.

``terms`` has the tables, ``phrases`` short pieces, ``constraints`` the constraints of a query in words, ``explain`` and
``reasons`` whole sentences about a judged run.
"""
