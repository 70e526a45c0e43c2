"""Bytes of a file to chunks: languages, chunker, references."""
