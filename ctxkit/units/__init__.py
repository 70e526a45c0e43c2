"""Fold, link, score and select semantic units."""
