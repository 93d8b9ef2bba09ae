"""Moving the clock of an unmodified process.

On Linux a program reads the time from the vDSO, a few pages of code that the kernel maps into every process.
This package replaces what those functions do, in that one process, by a clock that it holds in its hand.
:class:`evaluator.warp.process.WarpedProcess` is the way in.
"""
