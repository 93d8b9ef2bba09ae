"""Recorded clusters, turned into scenarios.

Every importer accounts for what it keeps, drops, changes and invents in an
:class:`~evaluator.traces.report.ImportReport`, which travels with the scenario into the result.
"""
