"""Synthesis of planning requests (Algorithm 1 of the PDoctor paper, and better)."""
