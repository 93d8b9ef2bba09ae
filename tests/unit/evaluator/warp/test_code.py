"""The replacement code, run in this very process from a page of our own."""

import ctypes
import ctypes.util
import errno
import mmap
import os
import shutil
import struct
import subprocess
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.warp import code
from evaluator.warp.code import clock_code
from fakeapi.kernel.clock import monotonic_ns, process_cpu_ns
from fakeapi.kernel.time import DAY, SECOND

REALTIME_IDS = (0, 5, 8, 11)
MONOTONIC_IDS = (1, 4, 6, 7)
CPU_IDS = (2, 3)
EFAULT = -errno.EFAULT

pytestmark = pytest.mark.skipif(
    os.uname().sysname != "Linux" or os.uname().machine != "x86_64",
    reason="the code is for Linux on x86-64",
)

nanoseconds = st.integers(-(2**61), 2**61)
"""Far beyond any instant of a run, and far enough from 64 bits for three of them to be added."""


class Loaded:
    """The code in executable memory, with its functions callable."""

    def __init__(self) -> None:
        image = clock_code().image
        self.page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self.page.write(image)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self.page))

    def function(self, name: str, *arguments: type) -> Callable[..., int]:
        made: Callable[..., int] = ctypes.CFUNCTYPE(ctypes.c_long, *arguments)(
            self.start + clock_code().entries[name]
        )
        return made

    def set(self, data: bytes, offset: int = 0) -> None:
        """Write words of the data as the evaluator would."""
        self.page.seek(clock_code().data + offset)
        self.page.write(data)

    def two_words(self, name: str, number: int) -> tuple[int, int, int]:
        """Call a function of a number and a pair of words: result and pair."""
        pair = (ctypes.c_long * 2)(-1, -1)
        function = self.function(name, ctypes.c_long, ctypes.c_void_p)
        result = ctypes.c_int(function(number, ctypes.addressof(pair))).value
        return result, pair[0], pair[1]

    def clock(self, number: int) -> int:
        """Read a clock in nanoseconds."""
        result, seconds, rest = self.two_words(code.CLOCK_GETTIME, number)
        assert result == 0
        assert 0 <= rest < SECOND
        return seconds * SECOND + rest


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    """One copy for all tests; each sets the data it needs."""
    return Loaded()


def frozen(shift: int = 0, realtime: int = 0, monotonic: int = 0) -> bytes:
    """The data of a frozen clock."""
    return code.pack_data(shift=shift, realtime_base=realtime, monotonic_base=monotonic, frozen=True)


def running(shift: int = 0, realtime: int = 0, monotonic: int = 0) -> bytes:
    """The data of a running clock."""
    return code.pack_data(shift=shift, realtime_base=realtime, monotonic_base=monotonic, frozen=False)


def test_the_committed_bytes_are_those_of_the_source(tmp_path: Path) -> None:
    missing = [tool for tool in ("gcc", "objcopy") if shutil.which(tool) is None]
    if missing and not os.environ.get("CI"):
        pytest.skip(f"assembling needs {' and '.join(missing)}")
    source = resources.files("evaluator.warp").joinpath("vdso_x86_64.S")
    with resources.as_file(source) as path:
        subprocess.run(["gcc", "-c", str(path), "-o", str(tmp_path / "code.o")], check=True)
    subprocess.run(
        ["objcopy", "-O", "binary", "-j", ".text", str(tmp_path / "code.o"), str(tmp_path / "code.bin")],
        check=True,
    )
    assert (tmp_path / "code.bin").read_bytes() == clock_code().image


def test_data_has_a_cache_line_of_its_own() -> None:
    made = clock_code()
    assert made.data % code.ALIGNMENT == 0
    assert len(made.image) - made.data == code.ALIGNMENT
    assert code.DATA_SIZE <= code.ALIGNMENT
    assert all(entry < made.data for entry in made.entries.values())


def test_data_goes_where_the_code_reads_it() -> None:
    made = clock_code()
    image = made.with_data(running(1, 2, 3))
    assert len(image) == len(made.image)
    assert image[: made.data] == made.image[: made.data]
    words = code.unpack_data(image[made.data :])
    assert (words.shift, words.realtime_base, words.monotonic_base, words.frozen) == (1, 2, 3, 0)


@given(shift=nanoseconds, base=nanoseconds)
def test_a_frozen_clock_shows_base_and_shift(loaded: Loaded, shift: int, base: int) -> None:
    loaded.set(frozen(shift, realtime=base, monotonic=-base))
    assert {loaded.clock(number) for number in REALTIME_IDS} == {base + shift}
    assert {loaded.clock(number) for number in MONOTONIC_IDS} == {shift - base}


@given(offset=st.integers(-(2**60), 2**60))
def test_a_running_clock_adds_to_the_machines_monotonic_one(loaded: Loaded, offset: int) -> None:
    loaded.set(running(offset, realtime=7 * DAY))
    before = monotonic_ns()
    shown = loaded.clock(0) - 7 * DAY, loaded.clock(1)
    after = monotonic_ns()
    assert all(before <= value - offset <= after for value in shown)


@pytest.mark.parametrize("number", MONOTONIC_IDS)
def test_a_monotonic_clock_never_goes_back_by_a_jump(loaded: Loaded, number: int) -> None:
    loaded.set(running())
    slot, last = 0, loaded.clock(number)
    for shift in range(0, 50 * DAY, DAY):
        slot ^= 1
        for offset, data in code.shift_update(slot, shift):
            loaded.set(data, offset)
        now = loaded.clock(number)
        assert now >= last
        last = now


def test_a_shift_takes_effect_only_with_its_index(loaded: Loaded) -> None:
    loaded.set(frozen(5))
    (first_offset, first), (second_offset, second) = code.shift_update(1, 8)
    loaded.set(first, first_offset)
    assert loaded.clock(1) == 5
    loaded.set(second, second_offset)
    assert loaded.clock(1) == 8


def test_a_clock_of_alarms_is_moved_where_the_machine_has_it(loaded: Loaded) -> None:
    loaded.set(frozen(monotonic=DAY))
    result, seconds, _ = loaded.two_words(code.CLOCK_GETTIME, 9)
    assert (result, seconds) in ((0, DAY // SECOND), (-errno.EINVAL, -1))


def test_processor_time_is_left_alone(loaded: Loaded) -> None:
    loaded.set(frozen(1000 * DAY))
    own = ~os.getpid() << 3 | 2
    for number in (*CPU_IDS, own):
        assert loaded.clock(number) < DAY
    before = process_cpu_ns(own)
    assert before <= loaded.clock(own) <= process_cpu_ns(own)


@pytest.mark.parametrize("number", [10, 12, 15, 63, 2**31 - 1])
def test_a_clock_that_there_is_not_stays_an_error(loaded: Loaded, number: int) -> None:
    assert loaded.two_words(code.CLOCK_GETTIME, number)[0] == -errno.EINVAL


@pytest.mark.parametrize("number", [0, 1])
def test_a_bad_pointer_stays_an_error(loaded: Loaded, number: int) -> None:
    function = loaded.function(code.CLOCK_GETTIME, ctypes.c_long, ctypes.c_void_p)
    assert ctypes.c_int(function(number, 8)).value == EFAULT


@given(instant=nanoseconds)
def test_gettimeofday_cuts_to_microseconds(loaded: Loaded, instant: int) -> None:
    loaded.set(frozen(realtime=instant))
    pair, zone = (ctypes.c_long * 2)(-1, -1), (ctypes.c_int * 2)(-1, -1)
    function = loaded.function(code.GETTIMEOFDAY, ctypes.c_void_p, ctypes.c_void_p)
    assert function(ctypes.addressof(pair), ctypes.addressof(zone)) == 0
    assert (pair[0], pair[1]) == (instant // SECOND, instant % SECOND // 1000)
    assert zone[0] != -1


def test_gettimeofday_without_a_time_or_a_zone(loaded: Loaded) -> None:
    loaded.set(frozen(realtime=3 * SECOND))
    function = loaded.function(code.GETTIMEOFDAY, ctypes.c_void_p, ctypes.c_void_p)
    pair, zone = (ctypes.c_long * 2)(-1, -1), (ctypes.c_int * 2)(-1, -1)
    assert function(None, ctypes.addressof(zone)) == 0
    assert function(ctypes.addressof(pair), None) == 0
    assert function(None, None) == 0
    assert (pair[0], pair[1]) == (3, 0)


@given(instant=nanoseconds)
def test_time_gives_whole_seconds_twice(loaded: Loaded, instant: int) -> None:
    loaded.set(frozen(realtime=instant))
    place = ctypes.c_long(-1)
    function = loaded.function(code.TIME, ctypes.c_void_p)
    assert function(ctypes.addressof(place)) == instant // SECOND == place.value
    assert function(None) == instant // SECOND


def test_a_frozen_clock_tells_a_resolution_of_a_microsecond(loaded: Loaded) -> None:
    loaded.set(frozen())
    for number in (*REALTIME_IDS, *MONOTONIC_IDS):
        result, *pair = loaded.two_words(code.CLOCK_GETRES, number)
        assert result or pair == [0, 1000]
    assert loaded.two_words(code.CLOCK_GETRES, 2) == (0, 0, 1)
    function = loaded.function(code.CLOCK_GETRES, ctypes.c_long, ctypes.c_void_p)
    assert function(1, None) == 0


def test_a_running_clock_tells_the_machines_resolution(loaded: Loaded) -> None:
    loaded.set(running())
    assert loaded.two_words(code.CLOCK_GETRES, 1) == (0, 0, 1)
    assert ctypes.c_int(loaded.two_words(code.CLOCK_GETRES, 99)[0]).value == -errno.EINVAL


def test_the_header_is_read_in_the_order_it_is_written() -> None:
    image = clock_code().image
    assert struct.unpack_from("<4I", image) == tuple(clock_code().entries.values())
