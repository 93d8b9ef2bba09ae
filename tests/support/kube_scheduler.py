"""An unmodified kube-scheduler as a client of a server, with its default content type (protobuf)."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

from tests.support.processes import running
from tests.support.servers import ApiServer

NO_LIMIT_QPS = 10_000
"""Requests per second that the scheduler allows itself; its default of 50 would measure that limit alone."""


@contextlib.contextmanager
def running_kube_scheduler(program: Path, server: ApiServer, home: Path) -> Iterator[Path]:
    """Run it until the block ends; yields the file that its output goes to.

    Raises:
        ProcessFailed: it ended at once.
    """
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {
            "kubeconfig": str(server.kubeconfig),
            "qps": NO_LIMIT_QPS,
            "burst": NO_LIMIT_QPS,
        },
    }
    home.mkdir(parents=True, exist_ok=True)
    file, log = home / "kube-scheduler.json", home / "kube-scheduler.log"
    file.write_text(json.dumps(config))
    options = ["--authentication-skip-lookup=true", "--secure-port=0"]
    with running([str(program), f"--config={file}", *options], log=log):
        yield log
