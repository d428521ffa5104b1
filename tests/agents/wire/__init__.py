"""A small local server that speaks the wire protocol of chat models, so that the real clients are tested."""
