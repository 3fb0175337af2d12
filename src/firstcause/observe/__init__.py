"""Observe: signals x records -> observations."""
