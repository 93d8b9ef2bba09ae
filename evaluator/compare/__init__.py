"""Two schedulers on the same arrivals: what differs, by how much, and how sure that is."""
