"""Reason: observations -> findings -> one diagnosis."""
