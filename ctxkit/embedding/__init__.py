"""The encoder (onnxruntime + tokenizers) and the models it can load."""
