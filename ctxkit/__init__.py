"""ctxkit: a fresh, budgeted, secret-free context file for coding agents after every git event."""

__version__ = '0.1.0'
