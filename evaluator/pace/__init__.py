"""When may virtual time move, and moving it: proofs of idleness, wake-ups and the paces built from them.

The run loop knows one interface, :class:`evaluator.pace.pace.Pace`. Two paces stand behind it:

* ``warp`` (:mod:`evaluator.pace.proven`): the scheduler's clock is moved and its idleness is proven;
* ``settle`` (:mod:`evaluator.pace.settle`): for a scheduler that cannot be reached, idleness is guessed
  from silence, and every result says so.
"""
