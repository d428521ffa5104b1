"""The panes of the debug screen. Each shows the screen's state and posts messages; no pane uses another."""
