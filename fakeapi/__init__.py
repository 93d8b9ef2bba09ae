"""A Kubernetes API server in one process, with a virtual clock and a small world behind it."""
