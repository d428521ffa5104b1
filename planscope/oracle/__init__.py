"""The judge: verdicts, step states, cores, repairs. The only place that knows Z3."""
