"""Synthesis of planning queries and of their mutants (Algorithm 1 and section 4.5 of the PDoctor paper, extended)."""
