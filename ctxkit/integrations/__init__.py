"""Adapters for frameworks that take context from a Python object; each module needs its own extra."""
