# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: prints `stack TID END PC...` for each thread of the process."""
import gdb

LIMIT = 600


def pcs():
    frame = gdb.newest_frame()
    while frame:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            yield f"{frame.pc():x}"
        reason = frame.unwind_stop_reason()
        frame = frame.older()
    yield "root" if reason in (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST) else \
        gdb.frame_stop_reason_string(reason).replace(" ", "_")


gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace past-entry on")
gdb.execute(f"set backtrace limit {LIMIT}")
for thread in gdb.selected_inferior().threads():
    thread.switch()
    *frames, end = pcs()
    gdb.write(f"stack {thread.ptid[1]} {end} {' '.join(frames)}\n")
