"""A folder that contains only `run.py`, because Python puts it first on its path when it starts that file."""
