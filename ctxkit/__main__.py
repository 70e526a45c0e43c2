"""`python -m ctxkit` is the same as `ctxkit`."""

from ctxkit.cli import main

main()
