"""A Dask cluster on this machine: prints its address, and ends with its standard input."""

import sys

from distributed import LocalCluster

if __name__ == "__main__":
    workers = int(sys.argv[1])
    made = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)  # type: ignore[no-untyped-call]  # the library has no types
    with made as cluster:
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        sys.stdin.read()
