# SPDX-License-Identifier: Apache-2.0
"""The few bpf() calls that a measurement needs: which programs a process has, how long they ran,
and run-time statistics switched on for as long as somebody holds them."""
import ctypes
import errno
import glob
import os
import platform
import re

SYS_BPF = {"x86_64": 321, "aarch64": 280}[platform.machine()]
PROG_GET_NEXT_ID, PROG_GET_FD_BY_ID, OBJ_GET_INFO_BY_FD, ENABLE_STATS = 11, 13, 15, 32
# kprobe, tracepoint, perf_event, raw_tracepoint, tracing, lsm: what may slow down a workload.
TRACING_TYPES = {2, 5, 7, 17, 26, 29}

_libc = ctypes.CDLL(None, use_errno=True)


class ProgInfo(ctypes.Structure):
    """struct bpf_prog_info of <linux/bpf.h>."""
    _fields_ = [
        ("type", ctypes.c_uint32), ("id", ctypes.c_uint32), ("tag", ctypes.c_uint8 * 8),
        ("jited_prog_len", ctypes.c_uint32), ("xlated_prog_len", ctypes.c_uint32),
        ("jited_prog_insns", ctypes.c_uint64), ("xlated_prog_insns", ctypes.c_uint64),
        ("load_time", ctypes.c_uint64), ("created_by_uid", ctypes.c_uint32),
        ("nr_map_ids", ctypes.c_uint32), ("map_ids", ctypes.c_uint64), ("name", ctypes.c_char * 16),
        ("ifindex", ctypes.c_uint32), ("gpl_compatible", ctypes.c_uint32),
        ("netns_dev", ctypes.c_uint64), ("netns_ino", ctypes.c_uint64),
        ("nr_jited_ksyms", ctypes.c_uint32), ("nr_jited_func_lens", ctypes.c_uint32),
        ("jited_ksyms", ctypes.c_uint64), ("jited_func_lens", ctypes.c_uint64),
        ("btf_id", ctypes.c_uint32), ("func_info_rec_size", ctypes.c_uint32),
        ("func_info", ctypes.c_uint64), ("nr_func_info", ctypes.c_uint32),
        ("nr_line_info", ctypes.c_uint32), ("line_info", ctypes.c_uint64),
        ("jited_line_info", ctypes.c_uint64), ("nr_jited_line_info", ctypes.c_uint32),
        ("line_info_rec_size", ctypes.c_uint32), ("jited_line_info_rec_size", ctypes.c_uint32),
        ("nr_prog_tags", ctypes.c_uint32), ("prog_tags", ctypes.c_uint64),
        ("run_time_ns", ctypes.c_uint64), ("run_cnt", ctypes.c_uint64),
        ("recursion_misses", ctypes.c_uint64), ("verified_insns", ctypes.c_uint32),
        ("attach_btf_obj_id", ctypes.c_uint32), ("attach_btf_id", ctypes.c_uint32),
    ]


class _Attr(ctypes.Structure):
    """The start of union bpf_attr, which is all that these calls look at."""
    _fields_ = [("a", ctypes.c_uint32), ("b", ctypes.c_uint32), ("c", ctypes.c_uint64),
                ("rest", ctypes.c_uint8 * 128)]


def _bpf(cmd, attr):
    r = _libc.syscall(SYS_BPF, cmd, ctypes.byref(attr), ctypes.sizeof(attr))
    if r < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return r


def info(fd):
    got = ProgInfo()
    _bpf(OBJ_GET_INFO_BY_FD, _Attr(a=fd, b=ctypes.sizeof(got), c=ctypes.addressof(got)))
    return got


def program_ids_of(pid):
    """Of the programs that the process holds. Others may trace at the same time."""
    ids = set()
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            with open(path, encoding="ascii") as f:
                found = re.search(r"^prog_id:\s*(\d+)", f.read(), re.M)
        except OSError:
            continue
        if found:
            ids.add(int(found.group(1)))
    return ids


def tracing_ids():
    """Of all programs on the machine that can slow a workload down."""
    ids, last = set(), 0
    while True:
        attr = _Attr(a=last)
        try:
            _bpf(PROG_GET_NEXT_ID, attr)
            last = attr.b
            fd = _bpf(PROG_GET_FD_BY_ID, _Attr(a=last))
        except OSError as e:
            if e.errno != errno.ENOENT or attr.b == 0:
                return ids
            continue
        try:
            if info(fd).type in TRACING_TYPES:
                ids.add(last)
        finally:
            os.close(fd)


class Programs:
    """The programs of one process, held so that their numbers outlive it."""

    def __init__(self, pid):
        self.fds = []
        for i in sorted(program_ids_of(pid)):
            try:
                self.fds.append(_bpf(PROG_GET_FD_BY_ID, _Attr(a=i)))
            except OSError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for fd in self.fds:
            os.close(fd)

    def infos(self):
        return [info(fd) for fd in self.fds]

    def runs(self):
        """{name: (how long, how often)}; those of the same name are one."""
        found = {}
        for i in self.infos():
            ns, runs = found.get(i.name.decode(), (0, 0))
            found[i.name.decode()] = ns + i.run_time_ns, runs + i.run_cnt
        return found


class Stats:
    """The kernel measures programs while one of these is open; nothing stays switched on."""

    def __enter__(self):
        self.fd = _bpf(ENABLE_STATS, _Attr(a=0))
        return self

    def __exit__(self, *exc):
        os.close(self.fd)
