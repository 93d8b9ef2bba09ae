"""Judge a Kubernetes scheduler: run it against a simulated cluster in virtual time, measure, report.

Layers, each of which may import only those below it:

* ``evaluator.cli`` — commands
* ``evaluator.report`` — what a run looks like in a terminal and in a browser
* ``evaluator.trial`` — one run: scenario, scheduler and seed become a timeline
* ``evaluator.results`` — the versioned file that holds a run's outcome
* ``evaluator.metrics`` — pure functions of a timeline
* ``evaluator.traces`` — recorded clusters, turned into scenarios
* ``evaluator.timeline`` and ``evaluator.scenario`` — what happened, and what should happen
* ``evaluator.errors`` and ``evaluator.exits`` — how a command ends
"""
