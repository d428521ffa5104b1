"""Simulated models, which read only the prompt and the tools. They are always displayed as simulated.

``chat`` is the LangChain chat model; ``profiles``, ``mind``, ``knowledge``, ``misreading`` and ``planning`` need no
LangChain.
"""
