"""The vocabulary of the Kubernetes API: kinds, selectors, patches, statuses. No state."""
