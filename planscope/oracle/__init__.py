"""Judges runs: verdicts, states of steps, unsat cores, repairs. No other package uses Z3."""
