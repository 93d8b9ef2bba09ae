"""Scenarios that can be run by name. Each file says what arrives, and what it is for."""
