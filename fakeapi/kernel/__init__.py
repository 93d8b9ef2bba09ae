"""Time, the order of events, and chance. Knows nothing of Kubernetes or HTTP."""
