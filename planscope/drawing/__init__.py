"""The plan as a picture: order constraints as a layered graph, and hours as bars; in cells of a terminal and as SVG.

``order`` lays out the graph, ``lanes`` draws it in cells, ``hours`` draws hours in cells, ``svg`` draws both as SVG.
All functions are pure. Labels are untrusted and stay as they are: whoever shows them makes them safe.
"""
