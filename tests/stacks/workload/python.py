# SPDX-License-Identifier: Apache-2.0
"""The interpreter, and the C of its extensions calling back into it."""
import ctypes
import functools
import json
import random
import re
import sqlite3
import sys
import threading
import time
import zlib

LIBC = ctypes.CDLL(None)
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))


def some():
    if random.random() < 0.02:
        time.sleep(random.random() / 1000)


def with_json():
    data = {f"key {i}": [i, {"x": str(i)}] for i in range(100)}
    json.loads(json.dumps(data), object_hook=lambda d: some() or d)


def with_sqlite():
    db = sqlite3.connect(":memory:")
    db.create_function("f", 1, lambda x: some() or x + 1)
    db.create_collation("odd", lambda a, b: some() or (a > b) - (a < b))
    db.execute("create table t(x, y)")
    db.executemany("insert into t values(?, ?)", ((i, str(i * 7919 % 101)) for i in range(60)))
    db.execute("select f(x), y from t order by y collate odd").fetchall()
    db.close()


def with_zlib():
    zlib.decompress(zlib.compress(bytes(random.randrange(256) for _ in range(4000)) * 5, 9))


def with_regex():
    re.match("(a|aa)+b", "a" * 20)
    re.sub("[a-c]+", lambda m: some() or m[0].upper(), "abcdef" * 50)


def with_callbacks():
    values = (ctypes.c_int * 50)(*(random.randrange(1000) for _ in range(50)))
    LIBC.qsort(values, 50, 4, COMPARE(lambda a, b: some() or a[0] - b[0]))
    sorted(range(50), key=functools.cmp_to_key(lambda a, b: some() or b - a))


class Odd:
    def __getattr__(self, name):
        some()
        return len(name)


def deeper(n):
    some()
    return n and sum(map(deeper, [n - 1])) + getattr(Odd(), "x" * n)


def forever(work):
    while True:
        work()
        some()


def main():
    sys.setswitchinterval(0.0005)
    for work in (with_json, with_sqlite, with_zlib, with_regex, with_callbacks):
        threading.Thread(target=forever, args=(work,), daemon=True).start()
    forever(lambda: deeper(12))


main()
