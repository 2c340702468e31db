#!/usr/bin/env python3
"""How `filesinki rpc --socket` bears load: many clients at a steady rate, and one that stops reading.

measure-rpc.py BINARY [--clients N] [--rate REQUESTS] [--seconds N] [--place FOLDER]

CLIENTS clients together send RATE requests a second: nine of ten read a record, the tenth sets a key, on a replica without
a remote. One more client sends as much as it can and never reads. Prints the answers a second, the time from a request to
its answer, the memory of the server before and after, and whether what was set is there.
"""

import argparse
import asyncio
import json
import os
import subprocess
import time

from measured import temporary_home


def parsed():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--place", default=None)
    return parser.parse_args()


def line(id_, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n"


class Client:
    """Sends at a steady rate whatever the answers do, and notes how long each took."""

    def __init__(self, number, rate, seconds):
        self.number, self.rate, self.seconds = number, rate, seconds
        self.sent, self.delays, self.errors, self.written = {}, [], [], 0

    async def run(self, address):
        reader, writer = await asyncio.open_unix_connection(address)
        answers = asyncio.create_task(self.read(reader))
        begun = time.perf_counter()
        for id_ in range(int(self.rate * self.seconds)):
            await asyncio.sleep(max(0, begun + id_ / self.rate - time.perf_counter()))
            self.sent[id_] = time.perf_counter()
            if id_ % 10 == 0:
                self.written = id_
                writer.write(line(id_, "kv.set", key=f"client{self.number}", value=id_))
            else:
                writer.write(line(id_, "rec.get", names=["n"]))
            await writer.drain()
        writer.write_eof()
        await answers
        writer.close()

    async def read(self, reader):
        while text := await reader.readline():
            answer = json.loads(text)
            self.delays.append(time.perf_counter() - self.sent.pop(answer["id"]))
            if "error" in answer:
                self.errors.append(answer["error"])


async def never_read(address):
    """Sends until nothing more is taken, and waits. Returns how many bytes were taken."""
    reader, writer = await asyncio.open_unix_connection(address, limit=1)
    reader._transport.pause_reading()
    taken = 0
    request = line(1, "rec.get", names=["n"]) * 100
    while True:
        writer.write(request)
        try:
            await asyncio.wait_for(writer.drain(), 3)
        except asyncio.TimeoutError:
            return taken, writer
        taken += len(request)


def memory(process):
    with open(f"/proc/{process}/status") as file:
        return next(int(text.split()[1]) / 1000 for text in file if text.startswith("VmRSS"))


async def load(address, process, options):
    before = memory(process)
    greedy = asyncio.create_task(never_read(address))
    rate = options.rate / options.clients
    clients = [Client(number, rate, options.seconds) for number in range(options.clients)]
    begun = time.perf_counter()
    await asyncio.gather(*(client.run(address) for client in clients))
    took = time.perf_counter() - begun
    taken, writer = await greedy
    delays = sorted(delay * 1000 for client in clients for delay in client.delays)
    lost = sum(len(client.sent) for client in clients)
    errors = [error for client in clients for error in client.errors]
    print("| answers a second | p50 ms | p99 ms | worst ms | unanswered | errors | MB before, after | bytes of the one that never reads |")
    print("|---|---|---|---|---|---|---|---|")
    print(
        f"| {len(delays) / took:.0f} | {delays[len(delays) // 2]:.1f} | {delays[len(delays) * 99 // 100]:.1f} | "
        f"{delays[-1]:.1f} | {lost} | {len(errors)} | {before:.0f}, {memory(process):.0f} | {taken} |")
    if errors:
        print(errors[0])
    writer.transport.abort()
    return clients


def main():
    options = parsed()
    binary = os.path.realpath(options.binary)
    with temporary_home("rpc", options.place) as place:
        root = f"{place}/a"
        subprocess.run([binary, "init", root, "-q"], check=True)
        subprocess.run([binary, "rec", "save", "Note", "n", "--root", root, "--set", "title=x"], check=True)
        server = subprocess.Popen([binary, "rpc", "--socket", "--root", root], stdout=subprocess.PIPE, text=True)
        try:
            answer = server.stdout.readline().strip()
            address = json.loads(answer)["socket"] if answer.startswith("{") else answer
            clients = asyncio.run(load(address, server.pid, options))
        finally:
            server.terminate()
            server.wait()
        for client in clients:
            found = subprocess.run(
                [binary, "kv", "get", f"client{client.number}", "--root", root], capture_output=True, text=True)
            if found.stdout.strip() != str(client.written):
                raise SystemExit(f"client{client.number} is {found.stdout.strip()}, not {client.written}")


main()
