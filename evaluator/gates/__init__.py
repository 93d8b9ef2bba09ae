"""Gates: whether runs are good enough, by rules, by what their scenarios expect, and beside a baseline."""
