"""Whether a prompt needs the web, providers, cache."""
