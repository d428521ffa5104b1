"""Draws the plan: order constraints as a layered graph, and hours as bars; in cells of a terminal and as SVG.

``order`` lays out the graph, ``lanes`` draws it in cells, ``hours`` draws hours in cells, ``svg`` draws both as SVG.
All functions are pure. Labels are untrusted and unchanged: the caller makes them safe to show.
"""
