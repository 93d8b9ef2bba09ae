"""What clients see of ``fakeapi`` and of a real kube-apiserver, held side by side, request by request."""
