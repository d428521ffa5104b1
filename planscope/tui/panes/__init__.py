"""The panes of the debug screen. Each shows the room's state and posts messages; none knows another."""
