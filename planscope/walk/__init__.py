"""The debugger line by line, for screen readers and terminals without room for panes.

``Walker`` takes a line and returns lines; it neither reads nor prints. ``sentences`` has what it says, ``commands`` its
commands. ``planscope.commands.open`` is the prompt.
"""
