"""The budgeted context block."""
