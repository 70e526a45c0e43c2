"""What each coding agent expects: the files that `ctxkit init --agent` writes and the answers that `ctxkit show` gives.

One data file an agent below `templates/`; everything that is written follows from it, never from the repository.
`files` writes and takes away, `condition` is what `ctxkit doctor` asks, `injected` answers a hook.
"""
