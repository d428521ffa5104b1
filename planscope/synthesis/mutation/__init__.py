"""How the mutants of a request are made, a file for each kind; ``planscope.synthesis.mutants`` gives them out."""
