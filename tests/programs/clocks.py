"""Tells what its clocks show, whenever a line arrives on its standard input.

The first answer is given unasked and holds what the clocks showed as early as a Python program can look.
Further lines: ``threads N`` starts N threads that read clocks without pause, ``fork`` answers from a forked
child, ``execute FILE ARG…`` becomes another program, ``end N`` exits.
"""

import json
import os
import sys
import threading
import time  # noqa: TID251 - its clock is what a test moves

EARLY = time.time_ns()

CLOCKS = {
    "realtime": time.CLOCK_REALTIME,
    "monotonic": time.CLOCK_MONOTONIC,
    "monotonic_raw": time.CLOCK_MONOTONIC_RAW,
    "boottime": time.CLOCK_BOOTTIME,
    "tai": time.CLOCK_TAI,
    "realtime_coarse": 5,
    "monotonic_coarse": 6,
    "process_cpu": time.CLOCK_PROCESS_CPUTIME_ID,
    "thread_cpu": time.CLOCK_THREAD_CPUTIME_ID,
    "process_cpu_by_number": ~os.getpid() << 3 | 2,
}


def answer() -> None:
    """Print all readings as one line of JSON."""
    readings: dict[str, float] = {name: time.clock_gettime_ns(number) for name, number in CLOCKS.items()}
    readings |= {"early": EARLY, "pid": os.getpid(), "resolution": time.clock_getres(time.CLOCK_MONOTONIC)}
    sys.stdout.write(json.dumps(readings) + "\n")
    sys.stdout.flush()


def read_without_pause() -> None:
    """Look at the clocks for ever; end the program with status 9 if the monotonic one goes back."""
    last = 0
    while True:
        now = time.monotonic_ns()
        time.time_ns()
        if now < last:
            os._exit(9)
        last = now
        # Lets go of the interpreter: another thread would wait for it by the clock, which is being moved.
        os.sched_yield()


def fork_and_answer() -> None:
    """Answer from a child, after the next line."""
    child = os.fork()
    if child == 0:
        sys.stdin.readline()
        answer()
        os._exit(0)
    os.waitpid(child, 0)


def main() -> None:
    """Obey lines until there are none."""
    answer()
    while line := sys.stdin.readline().split():
        if line[0] == "threads":
            for _ in range(int(line[1])):
                threading.Thread(target=read_without_pause, daemon=True).start()
        elif line[0] == "fork":
            fork_and_answer()
            continue
        elif line[0] == "execute":
            os.execv(line[1], line[1:])
        elif line[0] == "end":
            sys.exit(int(line[1]))
        answer()


if __name__ == "__main__":
    main()
