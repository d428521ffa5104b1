"""The debugger in a browser: a server on this machine alone, and for each visitor a process of its own."""
