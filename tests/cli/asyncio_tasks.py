# SPDX-License-Identifier: Apache-2.0
"""Tasks of asyncio whose waits are known: each kind waits in one way for a part of its time and
sleeps for the rest, and adds up how long. A line "begin" on standard input starts the sums again,
"end" prints them as JSON, nanoseconds by kind, with how many tasks there are of it. Runs in every
Python from 3.8 on."""
import asyncio
import json
import random
import sys
import time

EACH = 8
SUMS = {}
KEPT = []
LOOP_CLASS = sys.argv[1] if len(sys.argv) > 1 else ""


def nap():
    """Of different lengths: tasks in step with each other would be one observation."""
    return asyncio.sleep(random.uniform(0.02, 0.04))


async def wait(kind, awaitable):
    begin = time.monotonic_ns()
    await awaitable
    SUMS[kind]["waited"] += time.monotonic_ns() - begin


async def rest(kind):
    begin = time.monotonic_ns()
    await nap()
    SUMS[kind]["slept"] += time.monotonic_ns() - begin


def later(function):
    asyncio.get_running_loop().call_later(random.uniform(0.02, 0.04), function)


async def locks():
    lock = asyncio.Lock()
    while True:
        await lock.acquire()
        later(lock.release)
        await wait("locks", lock.acquire())
        lock.release()
        await rest("locks")


async def queues():
    queue = asyncio.Queue()
    while True:
        later(lambda: queue.put_nowait(1))
        await wait("queues", queue.get())
        await rest("queues")


async def events():
    while True:
        event = asyncio.Event()
        later(event.set)
        await wait("events", event.wait())
        await rest("events")


async def child():
    await nap()


async def children():
    while True:
        await wait("children", asyncio.ensure_future(child()))
        await rest("children")


async def gathers():
    while True:
        await wait("gathers", asyncio.gather(child(), child()))
        await rest("gathers")


async def streams():
    got = asyncio.get_running_loop().create_future()
    server = await asyncio.start_server(lambda r, w: got.set_result(w), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
    far = await got
    KEPT.extend((server, writer))
    while True:
        later(lambda: far.write(b"x"))
        await wait("streams", reader.readexactly(1))
        await rest("streams")


async def ticks():
    """An asynchronous generator."""
    while True:
        await nap()
        yield 1


async def generators():
    async for _ in ticks():
        pass


async def deep(level):
    if not level:
        return await nap()
    return await deep(level - 1)


async def chains():
    while True:
        await deep(30)


def spin(until):
    while time.monotonic_ns() < until:
        pass


async def hog():
    """Runs for 20 of 100 ms."""
    while True:
        begin = time.monotonic_ns()
        spin(begin + 20000000)
        SUMS["hog"]["ran"] += time.monotonic_ns() - begin
        await asyncio.sleep(0.08)


async def worker(queue):
    await queue.get()


def begin():
    for sums in SUMS.values():
        for name in sums:
            if name != "tasks":
                sums[name] = 0


def listen():
    word = sys.stdin.readline().strip()
    if not word:
        asyncio.get_running_loop().stop()
    elif word == "begin":
        begin()
    else:
        print(json.dumps(SUMS), flush=True)


async def main():
    for kind in (locks, queues, events, children, gathers, streams):
        SUMS[kind.__name__] = {"waited": 0, "slept": 0, "tasks": EACH}
        KEPT.extend(asyncio.ensure_future(kind()) for _ in range(EACH))
    SUMS["hog"] = {"ran": 0, "tasks": 1}
    KEPT.extend(asyncio.ensure_future(f()) for f in (generators, chains, hog))
    for number in range(3):
        named = asyncio.ensure_future(worker(asyncio.Queue()))
        named.set_name(f"mail-{number}")
        KEPT.append(named)
    asyncio.get_running_loop().add_reader(sys.stdin, listen)
    await asyncio.sleep(0.2)
    print("ready", flush=True)
    await asyncio.Event().wait()


if LOOP_CLASS == "uvloop":
    import uvloop
    uvloop.install()
asyncio.run(main())
