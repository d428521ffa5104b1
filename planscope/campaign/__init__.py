"""Campaigns: many synthesized cases on several agents and models (paper, section 6)."""
