"""The rules of each kind over the store: defaults, admission, validation, deletion, sub-resources.

Synchronous and without HTTP, so that a scenario's own writes obey the same rules as a client's.
"""
