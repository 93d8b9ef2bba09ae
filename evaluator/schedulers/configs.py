"""Configuration files that schedulers are given, other than a kubeconfig."""

from pathlib import Path

import yaml

_QPS = 10_000
"""Requests per second that kube-scheduler's client may send. Its default, 50, is a property of the
client in real time: 8,152 bindings would take 163 s of it whatever the server does."""
_BURST = 20_000


def kube_scheduler_config(kubeconfig_path: Path) -> str:
    """kube-scheduler's configuration: defaults but for what virtual time and a single replica ask for."""
    return yaml.safe_dump(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            # A lease expires in any jump of the clock, and there is no second replica to lead.
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"kubeconfig": str(kubeconfig_path), "qps": _QPS, "burst": _BURST},
        },
        sort_keys=False,
    )
