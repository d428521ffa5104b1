"""planscope: a terminal debugger for the plans of LLM agents."""

__version__ = "0.1.0"
