"""How much the server has been asked and still owes: the counters that idleness is judged by."""


class Traffic:
    """Requests begun and requests that still wait for the whole of their answer."""

    def __init__(self) -> None:
        self.requests = 0
        """Requests begun so far, watches included. It never falls."""
        self.in_flight = 0
        """Requests begun and not yet answered in whole; an open watch is answered once its headers are sent."""

    def begin(self) -> None:
        """A request has come."""
        self.requests += 1
        self.in_flight += 1

    def end(self) -> None:
        """A request has its answer, or was given up."""
        self.in_flight -= 1
