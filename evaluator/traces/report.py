"""What an importer did to a trace, as notes that travel with the scenario."""

from collections import Counter
from collections.abc import Iterable

from evaluator.scenario.model import Note


class ImportReport:
    """Counts, in the order in which they were first told."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._counts: Counter[str] = Counter()
        self._remarks: list[str] = []

    def count(self, text: str, number: int = 1) -> None:
        """Count ``number`` more of what ``text`` says; 0 only gives it its place."""
        self._counts[text] += number

    def remark(self, text: str) -> None:
        """Say something that has no number."""
        self._remarks.append(text)

    def of(self, text: str) -> int:
        """How many of what ``text`` says were counted."""
        return self._counts[text]

    def notes(self) -> Iterable[Note]:
        """Everything that was told and is not zero, as items of a scenario."""
        for text, number in self._counts.items():
            if number:
                yield Note(topic=self._topic, text=text, count=number)
        for text in self._remarks:
            yield Note(topic=self._topic, text=text)
