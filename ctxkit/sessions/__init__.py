"""The message log and its two channels."""
