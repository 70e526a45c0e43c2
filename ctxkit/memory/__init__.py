"""Durable memory: snapshot, transcripts, extraction, consolidation."""
