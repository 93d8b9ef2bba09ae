"""A Kubernetes scheduler for AI clusters: least slack first, best fit by free chips.

Layers, each importing only those after it: ``__main__`` → ``runtime`` → ``kube`` | ``state`` → ``pending``,
``cluster``, ``explain`` → ``policy``, ``placement`` → ``fit``, ``laxity`` → ``messages``, ``model``,
``quantity``, ``timetext``. From ``state`` down nothing does I/O, waits or reads a clock: events and the time
go in, actions come out.
"""
