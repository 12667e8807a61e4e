"""Published measurements against the engine: reading tables, predicting rows, statistics."""
