"""Units and what became of them, as Parquet for a warehouse: for questions over months, and for fine-tuning sets."""
