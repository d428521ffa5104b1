"""Rules about tool calls: sentences in a file, judged call by call on traces. Begin reading at ``rule.py``."""
