"""Agents, models and mock tools. The only place that knows LangChain."""
