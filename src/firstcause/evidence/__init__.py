"""Evidence: from what a person gave to lines, windows and records."""
