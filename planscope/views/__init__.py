"""Views: each makes blocks of one kind of document, once, for every surface."""
