"""Recording a real cluster: what was submitted, when it ran, which machines were there and which were down.

``kubeconfig`` tells how to reach the cluster, ``client`` lists and watches, ``observer`` makes events of
objects, ``journal`` writes them, ``recorder`` runs it all. Nothing of a pod is kept but its name, requests,
times, priority, user, queue, deadline and estimate: no environment, no command line, no image, no secret.
"""
