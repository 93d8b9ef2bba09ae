"""A Kubernetes scheduler for AI clusters: least slack first, best fit by free chips.

Layers, each importing only those after it: ``__main__`` → ``runtime`` → ``writer`` → ``kube`` | ``state`` →
``pending``, ``cluster``, ``explain`` → ``placement``, ``policy`` → ``fit``, ``room``, ``laxity`` →
``messages``, ``model``, ``quantity``, ``timetext``. Beside them: ``commandline`` → ``config`` → ``policy``.
From ``state`` down nothing does I/O, waits or reads a clock: happenings and the time go in, actions come out.
"""
