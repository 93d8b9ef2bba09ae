"""Ends with status 7 after as many pods as its second argument says."""

import sys

from small_client import watched_pods

for number, _ in enumerate(watched_pods(), start=1):
    if number == int(sys.argv[2]):
        print("about to crash", flush=True)  # noqa: T201 — the log is what the tests read
        sys.exit(7)
