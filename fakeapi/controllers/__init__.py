"""The controllers of a cluster, as far as schedulers and their users see what they do.

Each listens to the store and does its work in events of rank ``CONTROLLER``: nothing runs while nothing
concerns it, and what an event costs does not grow with the cluster. Each module tells which part of
``k8s.io/kubernetes/pkg/controller`` it follows, what of its timing can be seen, and where it differs.
"""
