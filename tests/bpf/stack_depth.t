#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The BPF stack of each chain of calls, from the linked object.

The verifier allows 512 bytes for a program and all it calls. It rounds each frame up to 32 bytes
and counts the callback of bpf_loop() as a call (check_max_stack_depth() in kernel/bpf/verifier.c of
6.1). Newer kernels round up to 16 and take chains that 6.1 refuses, so the kernel that runs
the tests cannot tell.
"""
import collections
import os
import struct
import sys

LIMIT_BYTES = 512
FRAME_BYTES = 32
FP = 10
CALL, LD_IMM64, MOV_REG, ADD_IMM = 0x85, 0x18, 0xBF, 0x07
PSEUDO_CALL, PSEUDO_FUNC = 1, 4
LDX, ST, STX = 1, 2, 3
SHT_SYMTAB, SHT_REL = 2, 9
STT_FUNC, STT_SECTION = 2, 3

Insn = collections.namedtuple("Insn", "code dst src off imm")
Function = collections.namedtuple("Function", "name section begin end")


def text_at(blob, at):
    return blob[at:blob.index(b"\0", at)].decode()


class Object:
    """An ELF file of 64 bits, little endian, as clang and bpftool write it."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        shoff, = struct.unpack_from("<Q", self.data, 40)
        count, = struct.unpack_from("<H", self.data, 60)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + 64 * i)
                         for i in range(count)]
        table = next(s for s in self.sections if s[1] == SHT_SYMTAB)
        names = self.bytes_of(self.sections[table[6]])
        self.symbols = []
        for at in range(0, table[5], 24):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", self.data,
                                                                     table[4] + at)
            self.symbols.append((text_at(names, name), info & 15, section, value, size))

    def bytes_of(self, section):
        return self.data[section[4]:section[4] + section[5]]

    def functions(self):
        return [Function(name, section, value // 8, (value + size) // 8)
                for name, kind, section, value, size in self.symbols if kind == STT_FUNC]

    def relocations(self):
        """(section, instruction) -> symbol"""
        found = {}
        for s in self.sections:
            for at in range(0, s[5] if s[1] == SHT_REL else 0, 16):
                offset, info = struct.unpack_from("<QQ", self.data, s[4] + at)
                found[s[7], offset // 8] = self.symbols[info >> 32]
        return found


def decode(blob):
    for code, regs, off, imm in struct.iter_unpack("<BBhi", blob):
        yield Insn(code, regs & 15, regs >> 4, off, imm)


def frame_bytes(insns):
    """The lowest byte of the frame that is named: by a load or store, or as an address."""
    low, copies = 0, set()
    for i in insns:
        if i.code & 7 == LDX and i.src == FP or i.code & 7 in (ST, STX) and i.dst == FP:
            low = min(low, i.off)
        if i.code == ADD_IMM and i.dst in copies:
            low = min(low, i.imm)
        copies.discard(i.dst)
        if i.code == MOV_REG and i.src == FP:
            copies.add(i.dst)
    return (max(-low, 1) + FRAME_BYTES - 1) // FRAME_BYTES * FRAME_BYTES


def calls(obj):
    """Of each function its frame in bytes, and whom it calls or gives to a helper."""
    functions, relocations = obj.functions(), obj.relocations()
    code = {f.section: list(decode(obj.bytes_of(obj.sections[f.section]))) for f in functions}
    starts = {(f.section, f.begin): f.name for f in functions}
    frames, callees = {}, collections.defaultdict(set)
    for f in functions:
        frames[f.name] = frame_bytes(code[f.section][f.begin:f.end])
        for at in range(f.begin, f.end):
            i, symbol = code[f.section][at], relocations.get((f.section, at))
            if i.code == CALL and i.src == PSEUDO_CALL:
                target = (f.section, at + 1 + i.imm)
                if symbol:
                    _, kind, section, value, _ = symbol
                    target = (section, value // 8 + (i.imm + 1 if kind == STT_SECTION else 0))
            elif i.code == LD_IMM64 and symbol and (symbol[2], i.imm // 8) in starts and (
                    symbol[1] == STT_SECTION):
                target = (symbol[2], i.imm // 8)
            elif i.code == LD_IMM64 and symbol and symbol[1] == STT_FUNC:
                target = (symbol[2], symbol[3] // 8)
            else:
                continue
            callees[f.name].add(starts[target])
    return frames, callees


def deepest(name, frames, callees):
    below = max((deepest(c, frames, callees) for c in callees[name]), default=(0, []))
    return frames[name] + below[0], [f"{name} {frames[name]}"] + below[1]


def main():
    obj = Object(os.path.join(os.environ["COLDSPOT_BUILD"], "coldspot.bpf.o"))
    frames, callees = calls(obj)
    called = set().union(*callees.values())
    programs = sorted(set(frames) - called)
    failed = 0
    for number, name in enumerate(programs, 1):
        total, chain = deepest(name, frames, callees)
        ok = total <= LIMIT_BYTES
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {number} - {name}: at most {LIMIT_BYTES} bytes of stack")
        if not ok:
            print(f"#   {total} bytes: " + " > ".join(chain))
    print(f"1..{len(programs)}")
    return 1 if failed else 0


sys.exit(main())
