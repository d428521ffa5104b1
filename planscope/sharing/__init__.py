"""What leaves planscope: a session or a run in a form for other people, with what is private replaced first."""
