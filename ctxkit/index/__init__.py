"""The content-addressed store and the search over it."""
