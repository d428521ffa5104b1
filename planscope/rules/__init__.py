"""Rules about tool calls: sentences of a file, judged call by call on traces. Begin reading at ``rule.py``."""
