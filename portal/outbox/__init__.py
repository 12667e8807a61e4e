"""What must still happen: rows written with the change that wants them, delivered afterwards at least once."""
