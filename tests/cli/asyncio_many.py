# SPDX-License-Identifier: Apache-2.0
"""Ten thousand tasks that wait: three of four sleep two coroutines deep, the others wait
for an event."""
import asyncio

MANY = 10000


async def nap():
    await asyncio.sleep(3600)


async def sleeper():
    await nap()


async def listener():
    await asyncio.Event().wait()


async def main():
    tasks = [asyncio.ensure_future((sleeper if i % 4 else listener)()) for i in range(MANY)]
    await asyncio.sleep(0.2)
    print("ready", flush=True)
    await asyncio.wait(tasks)


asyncio.run(main())
