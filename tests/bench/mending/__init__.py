"""A benchmark of files: 30 tasks, tools whose documentation leaves out what matters, and a simulated model."""
