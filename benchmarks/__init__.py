"""Measurements, as ratios between two sides in one run; nothing here is part of the test suite."""
