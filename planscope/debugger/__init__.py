"""The debugger without a screen: cursor, breakpoints and watches as pure functions over immutable state."""
