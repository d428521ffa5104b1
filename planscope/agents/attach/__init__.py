"""Attach a debugger to an agent that runs in another process, over a Unix socket.

``protocol``: the messages. ``place``: the folder of the sockets, and who may use them. ``listener``: the agent's side,
which the agent's process imports only if its owner allows attaching. ``client``: the debugger's side.

The socket carries decisions; the record stays in the run's journal, which the debugger reads as it grows. So a slow or
broken debugger costs the agent nothing, and whoever is killed, the record is whole up to its last event.
"""
