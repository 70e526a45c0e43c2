"""What ctxkit does, in figures: a journal in the git common dir, and Prometheus metrics made from it on request.

Hooks and renders are short processes that nobody can scrape, so each leaves a line in the journal; `ctxkit metrics`
adds the lines up. Nothing is counted twice and nothing runs in between.
"""
