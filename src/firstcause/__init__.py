"""firstcause finds the first cause of a failure in an LLM serving stack and proves it with evidence."""

__version__ = "0.1.0"
