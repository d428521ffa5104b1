"""Small tools with planted, labelled bugs (``planted.py``, ``sequences.py``) and tools without any (``sound.py``).

They were written and labelled before the fuzzer was tuned. A label is the kind of finding and its exception class.
"""
