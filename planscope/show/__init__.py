"""Blocks: what is shown, said once. A view makes blocks of a document; ``text``, ``markdown`` and ``page`` write them.

Texts of models, tools, traces and sessions go into blocks unchanged. The three writers alone make them safe, so that a
view cannot forget it.
"""
