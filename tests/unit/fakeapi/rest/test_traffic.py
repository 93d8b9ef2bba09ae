"""What the server still owes, as idleness is judged by."""

from fakeapi.rest.traffic import Traffic


def test_a_request_counts_for_ever_and_is_owed_until_it_ends() -> None:
    traffic = Traffic()
    traffic.begin()
    traffic.begin()
    traffic.end()
    assert (traffic.requests, traffic.in_flight) == (2, 1)


class Waiting:
    """A queue of that length, equal only to itself."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length


def test_queued_events_are_summed_by_client() -> None:
    traffic = Traffic()
    one, other, idle = ("10.0.0.1", 5), ("10.0.0.1", 6), ("10.0.0.2", 5)
    queues = [(Waiting(2), one), (Waiting(3), one), (Waiting(1), other), (Waiting(0), idle)]
    for queue, client in queues:
        traffic.watches[queue] = client
    assert traffic.queued() == {one: 5, other: 1}


def test_clients_that_were_written_to_are_told_once() -> None:
    traffic, one, other = Traffic(), ("10.0.0.1", 5), ("10.0.0.1", 6)
    for client in (one, other, one):
        traffic.writing_to(client)
    assert traffic.take_written() == {one, other}
    assert traffic.take_written() == set()
