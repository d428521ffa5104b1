"""Benchmarks: run by hand, never as tests. Each prints its table; `python -m tests.bench` runs them all."""
