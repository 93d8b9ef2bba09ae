"""The replacement code as data: its bytes, where its entries are, and the words it reads.

The bytes come from ``vdso_x86_64.S``; the layout of its header and its data is known here and nowhere else.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

CODE_FILE: Final = "vdso_x86_64.bin"

CLOCK_GETTIME: Final = "__vdso_clock_gettime"
GETTIMEOFDAY: Final = "__vdso_gettimeofday"
TIME: Final = "__vdso_time"
CLOCK_GETRES: Final = "__vdso_clock_getres"

ALIGNMENT: Final = 64
"""Bytes of a cache line: the code lies at a multiple of it, so that its data has a line of its own."""

_HEADER: Final = struct.Struct("<5I")
"""Offsets of the replacements in the order of :data:`_FUNCTIONS`, and of the data."""

_FUNCTIONS: Final = (CLOCK_GETTIME, GETTIMEOFDAY, TIME, CLOCK_GETRES)

_DATA: Final = struct.Struct("<qqqqBB")
"""Two slots for the shift, base of the real-time clocks and of the monotonic ones, slot in use, frozen."""

_SHIFT: Final = struct.Struct("<q")
_SLOT_SIZE: Final = 8
_INDEX_OFFSET: Final = 32


@dataclass(frozen=True, slots=True)
class ClockCode:
    """Position-independent machine code that reads a movable clock."""

    image: bytes
    """The code followed by its data, to be placed as a whole at a multiple of :data:`ALIGNMENT`."""

    entries: Mapping[str, int]
    """Where in the image the replacement of each vDSO function begins."""

    data: int
    """Where in the image the data begins."""

    def with_data(self, data: bytes) -> bytes:
        """The image with its data set."""
        return self.image[: self.data] + data + self.image[self.data + len(data) :]


@cache
def clock_code() -> ClockCode:
    """The committed code for x86-64."""
    image = resources.files(__package__).joinpath(CODE_FILE).read_bytes()
    *entries, data = _HEADER.unpack_from(image)
    return ClockCode(image=image, entries=dict(zip(_FUNCTIONS, entries, strict=True)), data=data)


class ClockWords(NamedTuple):
    """The data in the order in which it lies there; durations in nanoseconds."""

    slot_0: int
    slot_1: int
    realtime_base: int
    monotonic_base: int
    slot: int
    frozen: int

    @property
    def shift(self) -> int:
        """The shift in use."""
        return self.slot_1 if self.slot else self.slot_0


def unpack_data(data: bytes) -> ClockWords:
    """The words in ``data``, which may be longer than they are."""
    return ClockWords(*_DATA.unpack_from(data))


def pack_data(*, shift: int, realtime_base: int, monotonic_base: int, frozen: bool) -> bytes:
    """The data of a clock just taken over: slot 0 in use. All arguments in nanoseconds.

    The other slot holds the same, for a thread that stands between reading the index and reading the slot.
    """
    return _DATA.pack(shift, shift, realtime_base, monotonic_base, 0, int(frozen))


def shift_update(slot: int, shift: int) -> tuple[tuple[int, bytes], tuple[int, bytes]]:
    """Two writes that, in this order, change the shift for all readers at once: offset in the data, bytes.

    The first fills ``slot``, which must be the one not in use, and the second puts it in use.
    """
    return (slot * _SLOT_SIZE, _SHIFT.pack(shift)), (_INDEX_OFFSET, bytes([slot]))


DATA_SIZE: Final = _DATA.size
"""Bytes of the data."""
