"""A process that stands by learns all that a leading one does, and performs nothing of what follows from it.

The decision core asks for a gathering window when there is something to decide, and decides at its end. While
the process stands by, that window does not begin: so nothing is decided, and once it leads the first round is
over everything known by then. What is known keeps pace with the cluster meanwhile: taking over costs no list.
"""

from collections.abc import Callable

from scheduler.messages import Action, Announce, Happening, PodGone, PodSeen, PodsListed, Wake


class Standby:
    """Stands between the core's actions and their performance."""

    def __init__(self, perform: Callable[[Action, int], None], *, leading: bool) -> None:
        """``perform`` gets each action with the present instant; ``leading``: from the beginning."""
        self._perform = perform
        self._kept: list[Action] = []
        self.leading = leading

    def pass_on(self, action: Action, now: int) -> None:
        """Perform an action, or keep it until this process leads."""
        if self.leading or isinstance(action, Wake):  # waking alone changes nothing
            self._perform(action, now)
        else:
            self._kept.append(action)

    def settle(self, event: Happening) -> None:
        """Drop what an event makes moot: what was to be said on a pod that is placed or gone.

        So what is kept does not grow for ever.
        """
        if not self._kept:
            return
        match event:
            case PodGone(uid=uid):
                self._keep(lambda each: each != uid)
            case PodSeen(task=task) if task.node:
                self._keep(lambda each: each != task.ref.uid)
            case PodsListed(tasks=tasks):
                waiting = {task.ref.uid for task in tasks if not task.node}
                self._keep(lambda each: each in waiting)

    def _keep(self, wanted: Callable[[str], bool]) -> None:
        self._kept = [each for each in self._kept if not isinstance(each, Announce) or wanted(each.ref.uid)]

    def lead(self, now: int) -> None:
        """From now on this process decides."""
        self.leading = True
        kept, self._kept = self._kept, []
        for action in kept:
            self._perform(action, now)
