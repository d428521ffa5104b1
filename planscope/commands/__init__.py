"""The commands, a file each: ``add`` declares its arguments, ``run`` does the work and returns an exit status.

Declaring imports nothing of the engine, and a command's module is imported only when it is called, so that
``planscope --help`` and the first frame stay quick.
"""

COMMANDS: dict[str, str] = {
    "open": "open the debugger on a session",
    "serve": "open the debugger in a browser on this machine",
    "new": "make a planning request whose constraints are known",
    "parse": "read a request: its constraints, or why it cannot be read",
    "run": "run an agent on a session's request, and record it there",
    "check": "judge a run: exit status 0 right, 1 wrong, 2 cannot tell",
    "replay": "show every step of a run: state, safe next moves, core",
    "repair": "find the valid plan nearest to what the agent did",
    "compare": "show two runs or requests side by side, and where they part",
    "mutate": "make requests that mean the same, as Z3 proves",
    "dissect": "find what in a request makes the agent fail",
    "reasons": "say in every way why a run is lost, and what could be given up",
    "walk": "walk through a run line by line, in plain sentences",
    "export": "share a run: web page, Markdown, text, SVG, JSON, SMT-LIB, test",
    "sessions": "list your sessions; rename, copy, delete, restore them",
    "models": "list the models: simulated ones, providers and their keys",
    "topics": "list the topics that requests are about, or make new ones",
    "grammar": "show the words that requests are made of, and count them",
    "schema": "print the JSON Schemas of sessions and of what --json prints",
    "themes": "list the themes, and what is wrong with a theme file",
    "config": "show the settings of the debugger, and what is wrong with them",
}
"""Every command with a line about it, in the order of the help. ``planscope.commands.NAME`` is its module."""
