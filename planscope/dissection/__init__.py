"""What in a request makes an agent fail (paper, section 4.5): mutants are run, and the runs name the cause.

``Dissector`` (``engine``) spends the runs and hands out each as it ends; ``summary`` says what they tell, from the
session alone: the matrix, the rates with their intervals, the decision. ``decide`` and ``belief`` are the statistics
behind the method ``rates``, ``policy`` chooses its next run, ``paper`` is Algorithm 2 as published.
"""
