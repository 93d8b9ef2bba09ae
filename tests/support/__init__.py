"""What several suites share: bounded polling, real processes, API servers to talk to, objects to send."""
