"""Versioned objects, their history and their watchers: synchronous, single-threaded, no HTTP."""
