"""Schedulers under test: what to start, with which files, and how each one keeps time."""
