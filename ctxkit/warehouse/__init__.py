"""Units and their use as Parquet for a warehouse: for questions over months, and for fine-tuning sets."""
