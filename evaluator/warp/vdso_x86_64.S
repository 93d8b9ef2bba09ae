# The clock that a moved process reads, x86-64.
#
# Assembled into vdso_x86_64.bin by
#
#     gcc -c vdso_x86_64.S -o vdso_x86_64.o && objcopy -O binary -j .text vdso_x86_64.o vdso_x86_64.bin
#
# and a test compares the bytes. The result is position independent: code and data keep their distance and nothing
# in it is patched. It is placed as a whole into unused bytes of the process's vDSO; the bodies of the original
# functions then begin with a jump to an entry here.
#
# Two kinds of clock, one formula: what a clock shows is
#
#     (the real monotonic clock, unless frozen) + base of the clock + shift
#
# in nanoseconds, where a jump changes only the shift, which all clocks share: no reader can see one clock jumped
# and another not. 64 signed bits of nanoseconds since 1970 last until the year 2262.
#
# The real system call is made in every case, even where its result is then thrown away: the kernel checks the
# caller's pointer, so that a bad one stays the error (EFAULT) that it was.
#
# Registers: these functions are called by the C convention, so that rax, rcx, rdx, rsi, rdi and r8 to r11 may
# change; `syscall` changes rax, rcx and r11 and keeps the others. The stack is used for return addresses and one
# timespec only, always below rsp, because Go calls with little stack and signals may come at any instruction.

.intel_syntax noprefix
.text

.set NR_gettimeofday, 96
.set NR_clock_gettime, 228
.set NR_clock_getres, 229
.set CLOCK_REALTIME, 0
.set CLOCK_MONOTONIC, 1
.set NS_PER_SECOND, 1000000000
.set NS_PER_MICROSECOND, 1000

# What a frozen clock says of its resolution: one microsecond. asyncio runs the timers that are due within the
# resolution of its clock from now. With the kernel's one nanosecond, and a clock that stands exactly at a timer's time,
# that addition is lost to floating point once the clock shows more than 2**24 seconds: the timer is never due, and
# asyncio spins.
.set FROZEN_RESOLUTION, 1000

# One bit for each clock id. CPU-time clocks (2, 3, and negative ids, which belong to one process or thread) are in
# neither set: they measure real work and stay as they are, and so does any clock that this table does not know.
.set REALTIME_IDS,  (1 << 0) | (1 << 5) | (1 << 8) | (1 << 11)            # real, coarse, alarm, TAI
.set MONOTONIC_IDS, (1 << 1) | (1 << 4) | (1 << 6) | (1 << 7) | (1 << 9)  # plain, raw, coarse, boot, boot alarm
.set HIGHEST_ID, 11

# ---- Header: where things are, counted from `start`. Read by evaluator/warp/code.py.
start:
    .long entry_clock_gettime - start
    .long entry_gettimeofday - start
    .long entry_time - start
    .long entry_clock_getres - start
    .long data - start

# ---- int clock_gettime(clockid_t edi, struct timespec *rsi)
    .balign 16, 0xcc                    # a stated filler: assemblers differ in the one they choose
entry_clock_gettime:
    cmp   edi, HIGHEST_ID               # unsigned: negative ids are above it
    ja    untouched
    mov   eax, REALTIME_IDS
    bt    eax, edi
    jc    realtime
    mov   eax, MONOTONIC_IDS
    bt    eax, edi
    jc    monotonic
untouched:
    mov   eax, NR_clock_gettime
    syscall
    ret

realtime:
    # Built on the machine's monotonic clock, not on its real-time clock: when the machine's date is set or
    # corrected during a run, the process must not notice.
    mov   edi, CLOCK_MONOTONIC
    mov   r9, [rip + realtime_base]
    jmp   moved
monotonic:
    mov   r9, [rip + monotonic_base]
moved:
    mov   eax, NR_clock_gettime
    syscall
    test  eax, eax
    jnz   1f
    mov   rax, [rsi]
    imul  rax, rax, NS_PER_SECOND
    add   rax, [rsi + 8]
    call  virtual_time
    mov   [rsi], rax
    mov   [rsi + 8], rdx
    xor   eax, eax
1:  ret

# Nanoseconds of a real clock in rax, base in r9 -> whole seconds in rax, nanoseconds (0 to 999,999,999) in rdx.
virtual_time:
    # The shift is read after the real clock. The other order could pair an old shift with a newer real clock that
    # another thread has already seen with the new shift: monotonic time would go back.
    # It is read by way of an index of one byte: the evaluator writes the slot that is not in use and then the
    # index, and one byte cannot be seen half written, whatever way the kernel copies eight.
    movzx ecx, byte ptr [rip + shift_index]
    lea   rdx, [rip + shift_slots]
    mov   rdx, [rdx + rcx * 8]
    cmp   byte ptr [rip + frozen], 0
    je    2f
    xor   eax, eax
2:  add   rax, r9
    add   rax, rdx
    # Signed division truncates towards zero; before 1970 the nanoseconds come out negative and one second is
    # borrowed.
    mov   ecx, NS_PER_SECOND
    cqo
    idiv  rcx
    test  rdx, rdx
    jns   3f
    add   rdx, rcx
    dec   rax
3:  ret

# ---- int gettimeofday(struct timeval *rdi, struct timezone *rsi)
    .balign 16, 0xcc                    # a stated filler: assemblers differ in the one they choose
entry_gettimeofday:
    mov   eax, NR_gettimeofday          # fills the time zone when it is asked for
    syscall
    test  eax, eax
    jnz   1f
    test  rdi, rdi                      # the time itself may be left out
    jz    1f
    mov   rsi, rdi                      # timeval and timespec have the same shape
    call  realtime
    mov   rax, [rsi + 8]
    xor   edx, edx
    mov   ecx, NS_PER_MICROSECOND
    div   rcx
    mov   [rsi + 8], rax
    xor   eax, eax
1:  ret

# ---- time_t time(time_t *rdi)
    .balign 16, 0xcc                    # a stated filler: assemblers differ in the one they choose
entry_time:
    mov   r10, rdi
    sub   rsp, 24                       # one timespec, and the stack stays aligned to 16 at the call
    mov   rsi, rsp
    call  realtime
    mov   rax, [rsp]
    add   rsp, 24
    test  r10, r10
    jz    1f
    mov   [r10], rax
1:  ret

# ---- int clock_getres(clockid_t edi, struct timespec *rsi)
    .balign 16, 0xcc                    # a stated filler: assemblers differ in the one they choose
entry_clock_getres:
    mov   eax, NR_clock_getres
    syscall
    test  eax, eax
    jnz   1f
    test  rsi, rsi                      # the answer may be left out
    jz    1f
    cmp   byte ptr [rip + frozen], 0
    je    1f
    cmp   edi, HIGHEST_ID
    ja    1f
    mov   ecx, REALTIME_IDS | MONOTONIC_IDS
    bt    ecx, edi
    jnc   1f
    mov   qword ptr [rsi], 0
    mov   qword ptr [rsi + 8], FROZEN_RESOLUTION
1:  ret

# ---- Data. The program itself may not write here (the page is mapped for reading and execution), the evaluator
# may. In a cache line of its own: a store to a line that also holds running code would stall the program. Every word
# is aligned to its size, so that no word lies across two lines. Layout known to evaluator/warp/code.py.
    .balign 64, 0
data:
shift_slots:    .quad 0, 0
realtime_base:  .quad 0
monotonic_base: .quad 0
shift_index:    .byte 0                 # which of the two slots is in use
frozen:         .byte 0                 # 1: the real clock does not count
    .balign 64, 0
