"""The GitHub Action's logic: refresh the context of what was pushed, report on it, publish it if it changed."""
