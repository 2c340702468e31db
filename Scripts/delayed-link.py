#!/usr/bin/env python3
"""A link with a delay between this machine and itself.

delayed-link.py TARGET_PORT MILLISECONDS   prints the port it listens on; ends with its input

Every byte arrives half of the delay later in each direction, so a round trip takes the whole of it. To
connect takes a round trip, too. The band is not narrowed and nothing is lost.
"""
import asyncio
import os
import sys

TARGET, DELAY = int(sys.argv[1]), int(sys.argv[2]) / 2000


async def carry(reader, writer):
    """Takes bytes at once, as a link does, and hands each piece over when its time has come."""
    loop, pieces = asyncio.get_running_loop(), asyncio.Queue()

    async def deliver():
        while True:
            due, piece = await pieces.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not piece:
                break
            writer.write(piece)
            await writer.drain()
        writer.write_eof()

    delivery = asyncio.create_task(deliver())
    try:
        while piece := await reader.read(1 << 16):
            pieces.put_nowait((loop.time() + DELAY, piece))
        pieces.put_nowait((loop.time() + DELAY, b""))
        await delivery
    except OSError:
        delivery.cancel()


async def connected(reader, writer):
    await asyncio.sleep(2 * DELAY)
    try:
        beyond = await asyncio.open_connection("127.0.0.1", TARGET)
    except OSError:
        writer.close()
        return
    await asyncio.gather(
        carry(reader, beyond[1]), carry(beyond[0], writer), return_exceptions=True)
    for end in (writer, beyond[1]):
        end.close()


async def main():
    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)  # with connections that are still open


asyncio.run(main())
