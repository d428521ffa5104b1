"""The commands, a file each: ``add`` declares its arguments, ``run`` does the work and returns an exit status.

Declaring imports nothing of the engine, so that ``planscope --help`` and the first frame stay quick.
"""
