"""Secrets, untrusted text, paths, trust."""
