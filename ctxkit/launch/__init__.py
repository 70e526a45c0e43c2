"""A folder that holds nothing but `run.py`: what Python puts first on its path when it starts that file."""
