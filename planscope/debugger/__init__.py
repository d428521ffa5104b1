"""The debugger without a screen: cursor, breakpoints, watches; pure functions over immutable state."""
