"""Reading vDSO images and planning what to write, on this machine's own image and on made-up ones."""

import contextlib
import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.warp.code import CLOCK_GETRES, CLOCK_GETTIME, GETTIMEOFDAY, TIME, clock_code
from evaluator.warp.errors import WarpUnavailable
from evaluator.warp.procfs import vdso_span
from evaluator.warp.vdso import Symbol, VdsoImage, parse, plan

PAGE = 4096


def own_image() -> bytes:
    """The vDSO of this process."""
    span = vdso_span(os.getpid())
    assert span is not None
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        memory.seek(span.start)
        return memory.read(len(span))


def made_up(*, size: int = 2 * PAGE, used: int = PAGE, body: int = 900, wrapper: int = 40) -> VdsoImage:
    """An image with all functions, the first of which has a body of the given size."""
    return VdsoImage(
        size,
        used,
        {
            CLOCK_GETTIME: Symbol(1000, body),
            GETTIMEOFDAY: Symbol(2000, wrapper),
            TIME: Symbol(2100, wrapper),
            CLOCK_GETRES: Symbol(2200, wrapper),
        },
    )


def target(source: int, jump: bytes) -> int:
    """Where a jump leads."""
    opcode, distance = struct.unpack("<Bi", jump)
    assert opcode == 0xE9
    return source + len(jump) + int(distance)


def test_this_machines_image_has_what_is_needed() -> None:
    image = parse(own_image())
    assert set(clock_code().entries) <= set(image.symbols)
    assert 0 < image.used <= image.size
    patch = plan(image, clock_code())
    assert patch.home + len(clock_code().image) <= image.size


def test_the_code_goes_into_the_padding_and_is_reached_by_jumps() -> None:
    image = made_up(used=PAGE + 1)
    patch = plan(image, clock_code())
    assert patch.home >= image.used
    assert patch.home % 64 == 0
    reached = {
        name: target(image.symbols[name].offset, patch.jumps[image.symbols[name].offset])
        for name in image.symbols
    }
    assert reached == {name: patch.home + entry for name, entry in clock_code().entries.items()}


def test_without_padding_the_code_goes_behind_the_jump_of_the_largest_body() -> None:
    image = made_up(used=2 * PAGE)
    patch = plan(image, clock_code())
    assert patch.home >= 1005
    assert patch.home + len(clock_code().image) <= 1900


def test_a_body_of_a_jumps_size_is_enough_with_padding() -> None:
    assert plan(made_up(body=5, wrapper=5), clock_code()).home >= PAGE


def test_no_room_is_refused_with_the_sizes() -> None:
    with pytest.raises(
        WarpUnavailable, match=r"no room for \d+ bytes: 16 bytes of padding, 200 bytes"
    ) as failure:
        plan(made_up(used=2 * PAGE - 16, body=200), clock_code())
    assert "--pace settle" in failure.value.alternative


def test_a_body_too_small_for_a_jump_is_refused() -> None:
    with pytest.raises(WarpUnavailable, match="__vdso_gettimeofday has 4 bytes"):
        plan(made_up(wrapper=4), clock_code())


def test_a_missing_function_is_refused() -> None:
    image = VdsoImage(PAGE, 100, {CLOCK_GETTIME: Symbol(1000, 900)})
    with pytest.raises(WarpUnavailable, match="has no __vdso_gettimeofday, __vdso_time"):
        plan(image, clock_code())


@pytest.mark.parametrize(("offset", "value"), [(4, 1), (18, 3), (18, 183)])
def test_another_kind_of_program_is_refused(offset: int, value: int) -> None:
    image = bytearray(own_image())
    image[offset] = value
    with pytest.raises(WarpUnavailable, match="not a 64-bit x86-64 program"):
        parse(bytes(image))


def test_something_else_is_refused() -> None:
    with pytest.raises(WarpUnavailable, match="not an ELF image"):
        parse(b"#!/bin/sh\n")


@given(st.data())
def test_damaged_images_give_an_answer_or_a_refusal(data: st.DataObject) -> None:
    image = bytearray(own_image())
    for _ in range(data.draw(st.integers(1, 20))):
        image[data.draw(st.integers(5, 1600))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(WarpUnavailable):
        patch = plan(parse(bytes(image)), clock_code())
        assert patch.home + len(clock_code().image) <= len(image)


def test_an_image_without_a_hash_table_is_read_by_its_names() -> None:
    image = bytearray(own_image())
    whole = parse(bytes(image))
    tag = struct.pack("<q", 4)
    at = next(at for at in range(0, len(image), 8) if image[at : at + 8] == tag and at > 1000)
    image[at : at + 8] = struct.pack("<q", 0x7FFF_FFFF)
    # The names follow the symbols at once only where a version table does not lie in between; all that is
    # needed must be found in either case.
    found = parse(bytes(image)).symbols
    assert {name: found[name] for name in clock_code().entries} == {
        name: whole.symbols[name] for name in clock_code().entries
    }
