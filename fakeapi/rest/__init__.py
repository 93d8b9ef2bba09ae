"""The Kubernetes API over HTTP: requests, answers, watches, and the documents that describe it."""
