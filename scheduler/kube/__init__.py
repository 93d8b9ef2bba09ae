"""Everything that knows the Kubernetes API on the wire: access, calls, list and watch, object shapes."""
