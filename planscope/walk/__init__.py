"""The debugger line by line, for screen readers and for whoever wants no panes: plain sentences, the same keys.

``Walker`` takes a line and gives lines back; it neither reads nor prints. ``telling`` says things in sentences without
glyphs. ``planscope.commands.open`` is the prompt.
"""
