"""The vDSO as an ELF image: where its time functions are, where there is room, and what to write where.

Pure functions over bytes; reading them from a process and writing them back is done elsewhere.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from evaluator.warp.code import ALIGNMENT, CLOCK_GETTIME, ClockCode
from evaluator.warp.errors import WarpUnavailable

# ELF64, little endian; names as in elf(5).
_ELF_MAGIC: Final = b"\x7fELF"
_CLASS_OFFSET: Final = 4
_CLASS_64_BIT: Final = 2
_MACHINE_OFFSET: Final = 18
_MACHINE_X86_64: Final = 62
_HEADER: Final = struct.Struct("<16xHHIQQQIHHHHHH")
_PROGRAM_HEADER: Final = struct.Struct("<IIQQQQQQ")
_DYNAMIC: Final = struct.Struct("<qQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_PT_LOAD: Final = 1
_PT_DYNAMIC: Final = 2
_DT_NULL: Final = 0
_DT_HASH: Final = 4
_DT_STRTAB: Final = 5
_DT_SYMTAB: Final = 6

_JUMP: Final = struct.Struct("<Bi")
_JUMP_OPCODE: Final = 0xE9
"""``jmp rel32``: five bytes, the distance counted from their end."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function of the vDSO: offset in the mapping and size of its body in bytes."""

    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class VdsoImage:
    """What is needed of a parsed vDSO."""

    size: int
    """Bytes of the mapping."""

    used: int
    """Bytes of the mapping that the ELF image occupies; the rest is padding of its last page."""

    symbols: Mapping[str, Symbol]

    def holds(self, symbol: Symbol) -> bool:
        """Whether a function's body lies inside the mapping."""
        return 0 <= symbol.offset <= symbol.offset + symbol.size <= self.size


@dataclass(frozen=True, slots=True)
class Patch:
    """Where the replacement goes. Offsets count from the start of the mapping."""

    home: int
    """Where the replacement code lies as a whole."""

    jumps: Mapping[int, bytes]
    """For each replaced function, its offset and the jump that its body then begins with."""


def parse(image: bytes) -> VdsoImage:
    """Read the ELF image of a vDSO mapping.

    Raises:
        WarpUnavailable: it is not a 64-bit x86 image, or its tables cannot be read.
    """
    if image[: len(_ELF_MAGIC)] != _ELF_MAGIC:
        raise WarpUnavailable("its vDSO is not an ELF image")
    machine = int.from_bytes(image[_MACHINE_OFFSET : _MACHINE_OFFSET + 2], "little")
    if image[_CLASS_OFFSET] != _CLASS_64_BIT or machine != _MACHINE_X86_64:
        raise WarpUnavailable("it is not a 64-bit x86-64 program, the only kind supported")
    try:
        return _parse_64(image)
    except (struct.error, KeyError, StopIteration, ValueError, OverflowError) as error:
        raise WarpUnavailable(f"its vDSO has a layout that is not understood ({error!r})") from error


def _parse_64(image: bytes) -> VdsoImage:
    fields = _HEADER.unpack_from(image)
    program_offset, section_offset = fields[4], fields[5]
    program_size, program_count, section_size, section_count = fields[8:12]
    headers = [
        _PROGRAM_HEADER.unpack_from(image, program_offset + program_size * index)
        for index in range(program_count)
    ]
    # Fields of a program header: type, flags, offset, virtual address, physical address, bytes in file, …
    load = next(header for header in headers if header[0] == _PT_LOAD)
    dynamic = next(header for header in headers if header[0] == _PT_DYNAMIC)
    bias = load[3] - load[2]
    tags = dict(_dynamic_tags(image, dynamic[2]))
    symbols = {
        name: Symbol(address - bias, size)
        for name, address, size in _symbols(image, {tag: value - bias for tag, value in tags.items()})
    }
    used = max(
        [section_offset + section_size * section_count] + [header[2] + header[5] for header in headers]
    )
    return VdsoImage(size=len(image), used=used, symbols=symbols)


def _dynamic_tags(image: bytes, offset: int) -> Iterator[tuple[int, int]]:
    for tag, value in _DYNAMIC.iter_unpack(
        image[offset : len(image) - (len(image) - offset) % _DYNAMIC.size]
    ):
        if tag == _DT_NULL:
            return
        yield tag, value


def _symbols(image: bytes, tables: Mapping[int, int]) -> Iterator[tuple[str, int, int]]:
    for index in range(_symbol_count(image, tables)):
        name, _info, _other, _section, address, size = _SYMBOL.unpack_from(
            image, tables[_DT_SYMTAB] + index * _SYMBOL.size
        )
        start = tables[_DT_STRTAB] + name
        text = image[start : image.index(b"\0", start)].decode("ascii")
        if text:
            yield text, address, size


def _symbol_count(image: bytes, tables: Mapping[int, int]) -> int:
    """As many as the hash table chains; some kernels leave that table out, and names follow the symbols."""
    if _DT_HASH in tables:
        _buckets, chains = struct.unpack_from("<II", image, tables[_DT_HASH])
        return int(chains)
    return (tables[_DT_STRTAB] - tables[_DT_SYMTAB]) // _SYMBOL.size


def plan(image: VdsoImage, code: ClockCode) -> Patch:
    """Decide where the replacement code goes and how the original functions reach it.

    It goes into the padding of the mapping's last page, which nothing else uses; where that is too short,
    into the body of ``clock_gettime``, behind the jump. Only the first five bytes of each original body
    change, so that even kernels whose functions are short wrappers will do.

    Raises:
        WarpUnavailable: a function is missing, or there is not enough room.
    """
    missing = [name for name in code.entries if name not in image.symbols]
    if missing:
        raise WarpUnavailable(f"its vDSO has no {', '.join(missing)}")
    outside = [name for name in code.entries if not image.holds(image.symbols[name])]
    if outside:
        raise WarpUnavailable(f"the body of {outside[0]} lies outside of its vDSO")
    small = [name for name in code.entries if image.symbols[name].size < _JUMP.size]
    if small:
        raise WarpUnavailable(f"the body of {small[0]} has {image.symbols[small[0]].size} bytes, too few")
    home = _home(image, code)
    jumps = {
        image.symbols[name].offset: _jump(image.symbols[name].offset, home + entry)
        for name, entry in code.entries.items()
    }
    return Patch(home, jumps)


def _home(image: VdsoImage, code: ClockCode) -> int:
    body = image.symbols[CLOCK_GETTIME]
    rooms = [(image.used, image.size), (body.offset + _JUMP.size, body.offset + body.size)]
    for start, end in rooms:
        home = -(-start // ALIGNMENT) * ALIGNMENT
        if home + len(code.image) <= end:
            return home
    raise WarpUnavailable(
        f"its vDSO has no room for {len(code.image)} bytes: {image.size - image.used} bytes of padding, "
        f"{body.size} bytes in the body of {CLOCK_GETTIME}"
    )


def _jump(source: int, target: int) -> bytes:
    return _JUMP.pack(_JUMP_OPCODE, target - (source + _JUMP.size))
