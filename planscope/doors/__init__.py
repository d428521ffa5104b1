"""Doors for other programs: the Python interface, a pytest plugin, and a server for coding agents (MCP).

Each is a thin shell over the engine and answers with the documents that the commands print.
"""
