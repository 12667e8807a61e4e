"""Who is here: people, organisations, tokens, what a reader may see, and what the business decides."""
