# SPDX-License-Identifier: Apache-2.0
"""A task that blocks its event loop in a call for a part of its time, which others would use. Lines
"begin" and "end" as in asyncio_tasks.py: how long it was blocked."""
import asyncio
import json
import sys
import time

took = {"blocker": 0}


def block():
    begin = time.monotonic_ns()
    time.sleep(0.03)
    took["blocker"] += time.monotonic_ns() - begin


async def blocker():
    while True:
        block()
        await asyncio.sleep(0.03)


async def ticks():
    while True:
        await asyncio.sleep(0)


def listen():
    if sys.stdin.readline().strip() == "begin":
        took["blocker"] = 0
    else:
        print(json.dumps(took), flush=True)


async def main():
    asyncio.get_running_loop().add_reader(sys.stdin, listen)
    tasks = [asyncio.create_task(f()) for f in (blocker, ticks)]
    print("ready", flush=True)
    await asyncio.gather(*tasks)


asyncio.run(main())
