"""The world behind the API server: nodes, and pods that live and end without kubelets. Knows no HTTP."""
