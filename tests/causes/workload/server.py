# SPDX-License-Identifier: Apache-2.0
"""One Python program for each way to wait: server.py HOW."""
import asyncio
import concurrent.futures
import sys
import threading
import time


def compute():
    total = 0
    while True:
        total += sum(range(1000))


async def stall_now_and_then():
    while True:
        time.sleep(0.05)  # what a coroutine must not do
        await asyncio.sleep(0.05)


async def serve():
    server = await asyncio.start_unix_server(lambda r, w: None, sys.argv[2])
    await server.serve_forever()


def pool():
    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        list(executor.map(abs, range(16)))
        asyncio.run(serve())


def on_uvloop(job):
    import uvloop  # pylint: disable=import-outside-toplevel
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    asyncio.run(job())


def gil():
    for _ in range(3):
        threading.Thread(target=compute, daemon=True).start()
    compute()


def lock():
    held = threading.Lock()

    def take_turns():
        while True:
            with held:
                time.sleep(0.02)

    for _ in range(3):
        threading.Thread(target=take_turns, daemon=True).start()
    take_turns()


HOW = {
    "asyncio": lambda: asyncio.run(serve()),
    "stall": lambda: asyncio.run(stall_now_and_then()),
    "uvloop": lambda: on_uvloop(serve),
    "uvloop-stall": lambda: on_uvloop(stall_now_and_then),
    "pool": pool,
    "gil": gil,
    "lock": lock,
}
HOW[sys.argv[1]]()
