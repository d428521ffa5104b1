"""Simulated models: real chat models in front, plain decisions behind, always shown as simulated.

They read the prompt and the tools they are given and nothing else. ``profiles`` and ``mind`` (with ``understand``,
``planning``) know nothing of LangChain; ``chat`` is the chat model.
"""
