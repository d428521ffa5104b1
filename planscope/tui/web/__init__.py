"""The debugger in a browser: a server on this machine alone, with a process of its own for each visitor."""
