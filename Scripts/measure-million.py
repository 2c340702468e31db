#!/usr/bin/env python3
"""The life of a store with very many saves: what it holds before and after a prune, and what a device finds that slept.

measure-million.py BINARY NET [--saves 1000000] [--paths 1000] [--keep-last 10] [--runs 3] [--place FOLDER]
                   [--kept FOLDER] [--spare 4G]

Each save is a commit of its own with one small file, at one of PATHS paths by turns. They are made through one
`BINARY rpc`, which is told of some of them ahead; each is published before it is answered. A device that has cloned
the store before sleeps meanwhile, with changes that it has not published: a new file, a line added to a text of which
the others change another line, a deletion, and a file that the others save, too.

Then measured: the objects of the store; `restore --at` of the moment after half of the saves, through the folder and
through `NET serve`, with the number of requests; `prune --keep-last`; the objects after it; `restore --at` again; the first
sync of the device that slept. Fails if a restored tree or a tree in the end is not what was saved, if a change of the device that slept is
missing, if a deletion came back, or if `check --read-data` finds damage.

With --kept the folder stays, and the saves are not made again if they are there. Stops when the folder's file system has
less than --spare left.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import time

from measured import Run, Server, temporary_home

# Requests that wait in the pipe, so that none waits for this script.
AHEAD = 32
PROGRESS = 20
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parsed():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("net")
    parser.add_argument("--saves", type=int, default=1_000_000)
    parser.add_argument("--paths", type=int, default=1000)
    parser.add_argument("--keep-last", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--place", default=None)
    parser.add_argument("--kept", default=None)
    parser.add_argument("--spare", default="4G")
    options = parser.parse_args()
    options.binary, options.net = os.path.realpath(options.binary), os.path.realpath(options.net)
    options.spare = int(options.spare[:-1]) * UNITS[options.spare[-1]]
    return options


def content(number):
    return f"saved {number}\n"


def tree(root):
    """The files of a root, without the state folder."""
    root = pathlib.Path(root)
    return {
        str(path.relative_to(root)): path.read_text()
        for path in root.rglob("*") if path.is_file() and ".filesinki" not in path.parts}


def objects(store):
    """Number and bytes of the objects of each kind."""
    counts, sizes = collections.Counter(), collections.Counter()
    folders = [(store, "")]
    while folders:
        folder, kind = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, entry.name if entry.name.isalpha() else kind))
                else:
                    counts[kind] += 1
                    sizes[kind] += entry.stat(follow_symlinks=False).st_size
    return counts, sizes


class Device:
    def __init__(self, options, place, name):
        self.options, self.root = options, f"{place}/{name}"

    def run(self, *words, codes=(0,)):
        return Run([self.options.binary, *words, "--root", self.root, "-q"], codes=codes)

    def write(self, path, text):
        file = pathlib.Path(self.root, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


class Saver:
    """Saves through `rpc`, one commit each."""

    def __init__(self, device):
        self.process = subprocess.Popen(
            [device.options.binary, "rpc", "--root", device.root], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.paths = device.options.paths

    def send(self, number):
        parameters = {"path": f"notes/{number % self.paths}", "content": content(number)}
        request = {"jsonrpc": "2.0", "id": number, "method": "files.save", "params": parameters}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")

    def receive(self, number):
        answer = json.loads(self.process.stdout.readline())
        result = answer.get("result", {})
        if answer["id"] != number or result.get("exit") != 0 or result.get("queued"):
            raise SystemExit(f"save {number}: {answer}")
        return result["version"]

    def save(self, numbers, told):
        """Saves the contents of a range of numbers; ``told`` is called after each with its number and version."""
        sent = numbers.start
        for number in numbers:
            if sent - number < AHEAD // 2:
                goal = min(number + AHEAD, numbers.stop)
                for sent in range(sent, goal):
                    self.send(sent)
                sent = goal
                self.process.stdin.flush()
            told(number, self.receive(number))

    def usage(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            words = file.read().rpartition(")")[2].split()
        ticks = int(words[11]) + int(words[12])
        return ticks / os.sysconf("SC_CLK_TCK"), int(words[21]) * os.sysconf("SC_PAGE_SIZE")

    def close(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise SystemExit("rpc did not end with 0")


class Progress:
    def __init__(self, options, place, saver):
        self.options, self.place, self.saver = options, place, saver
        self.step = max(1, options.saves // PROGRESS)
        self.begun = self.last = time.perf_counter()
        self.cpu = saver.usage()[0]

    def __call__(self, number, version):
        if (number + 1) % self.step:
            return
        now, (cpu, memory) = time.perf_counter(), self.saver.usage()
        each = f"{(now - self.last) / self.step * 1e3:.2f} | {(cpu - self.cpu) / self.step * 1e3:.2f}"
        print(f"| {number + 1} | {each} | {memory / 1e6:.0f} |", flush=True)
        self.last, self.cpu = now, cpu
        free = os.statvfs(self.place)
        if free.f_bavail * free.f_frsize < self.options.spare:
            raise SystemExit(f"stopped after {number + 1} saves: less than --spare is free")


BEFORE = {"text.txt": "first\nsecond\nthird\nfourth\nfifth\n", "deleted.txt": "to be deleted\n", "both.bin": "\0before"}


def make(options, place):
    """Makes the saves, and returns what has to be known of them."""
    store, writer, sleeper = f"{place}/store", Device(options, place, "writer"), Device(options, place, "sleeper")
    os.makedirs(writer.root)
    writer.run("init", "--remote", store, "--device", "writer")
    for path, text in BEFORE.items():
        writer.write(path, text)
    writer.run("sync")
    Run([options.binary, "clone", store, sleeper.root, "--device", "sleeper", "-q"])
    sleeper.run("sync")
    sleeper.write("asleep/new.txt", "written while asleep\n")
    sleeper.write("text.txt", BEFORE["text.txt"] + "added while asleep\n")
    sleeper.write("both.bin", "\0changed while asleep")
    os.unlink(f"{sleeper.root}/deleted.txt")

    writer.write("text.txt", "changed by the writer\n" + BEFORE["text.txt"])
    writer.write("both.bin", "\0changed by the writer")
    writer.run("sync")
    print("| saves | ms each | CPU ms | MB of memory |\n|---|---|---|---|", flush=True)
    begun = time.perf_counter()
    saver = Saver(writer)
    told = Progress(options, place, saver)
    saver.save(range(options.saves // 2), told)
    # --at counts in whole seconds: the next commit comes in another one.
    half = int(time.time()) + 1
    time.sleep(half + 1.1 - time.time())
    saver.save(range(options.saves // 2, options.saves), told)
    cpu = saver.usage()[0]
    saver.close()
    seconds = time.perf_counter() - begun
    known = {"half": half, "seconds": seconds, "cpu": cpu}
    with open(f"{place}/known.json", "w") as file:
        json.dump(known, file)
    return known


def expected(options, saves):
    """The notes after so many saves."""
    return {
        f"notes/{number % options.paths}": content(number) for number in range(max(0, saves - options.paths), saves)}


def require(condition, said):
    if not condition:
        raise SystemExit(said)


def require_same(found, wanted, said):
    differing = [path for path in sorted(found.keys() | wanted.keys()) if found.get(path) != wanted.get(path)]
    require(not differing, f"{said}: {len(differing)} paths differ, such as {differing[:3]}")


def restored(options, place, device, half):
    """`restore --at`, some times; returns the runs and compares what they wrote."""
    runs = []
    wanted = expected(options, options.saves // 2)
    for _ in range(options.runs):
        goal = f"{place}/then"
        shutil.rmtree(goal, ignore_errors=True)
        runs.append(device.run("restore", "--at", f"@{half}", "-o", goal))
        found = {path: text for path, text in tree(goal).items() if path.startswith("notes/")}
        require_same(found, wanted, "restore --at")
    return runs


def tell(name, runs, more=""):
    wall = statistics.median(run.wall for run in runs)
    cpu = statistics.median(run.cpu for run in runs)
    print(f"| {name} | {wall:.2f} | {cpu:.2f} | {max(run.peak for run in runs) / 1e6:.0f} | {more} |", flush=True)


def tell_objects(place, moment):
    counts, sizes = objects(f"{place}/store")
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in sorted(counts))
    print(f"\n{moment}: {sum(counts.values())} objects, {sum(sizes.values()) / 1e6:.1f} MB: {kinds}\n", flush=True)


def through_server(options, place, half):
    """A clone and `restore --at` through a server, which counts requests."""
    server = Server(options.net, f"{place}/store")
    device = Device(options, place, "remote")
    try:
        shutil.rmtree(device.root, ignore_errors=True)
        clone = Run([options.binary, "clone", server.address, device.root, "--device", "remote", "-q"])
        tell("clone through a server", [clone], server.meter.requests)
        before = server.meter.requests
        runs = restored(options, place, device, half)
        tell("restore --at through a server", runs, (server.meter.requests - before) // len(runs))
    finally:
        server.close()


def woken(options, place):
    """The device that slept syncs; then the other one, and everything has to be there."""
    writer, sleeper = Device(options, place, "writer"), Device(options, place, "sleeper")
    # A conflict is reported: both changed one file.
    tell("sync of the device that slept", [sleeper.run("sync", codes=(0, 3))])
    tell("sync of the writer after it", [writer.run("sync", codes=(0, 3))])
    here, there = tree(sleeper.root), tree(writer.root)
    require_same(here, there, "the devices")
    notes = {path: text for path, text in here.items() if path.startswith("notes/")}
    require_same(notes, expected(options, options.saves), "the notes")
    text = "changed by the writer\n" + BEFORE["text.txt"] + "added while asleep\n"
    require(here["text.txt"] == text, f"text.txt is not merged: {here['text.txt']!r}")
    require(here.get("asleep/new.txt") == "written while asleep\n", "the new file is missing")
    require("deleted.txt" not in here, "the deletion came back")
    both = {text for path, text in here.items() if path.startswith("both")}
    require(both == {"\0changed while asleep", "\0changed by the writer"}, f"of both.bin there is {both}")
    tell("check --read-data", [writer.run("check", "--read-data")])


def measure(options, place):
    known = f"{place}/known.json"
    if os.path.exists(known):
        with open(known) as file:
            known = json.load(file)
    else:
        known = make(options, place)
    each = f"{known['seconds'] / options.saves * 1e3:.2f} ms, {known['cpu'] / options.saves * 1e3:.2f} ms CPU each"
    print(f"\n{options.saves} saves in {known['seconds']:.0f} s: {each}")
    tell_objects(place, "before")
    print("| | s | CPU s | peak MB | requests |\n|---|---|---|---|---|")
    writer = Device(options, place, "writer")
    tell("restore --at through the folder", restored(options, place, writer, known["half"]))
    through_server(options, place, known["half"])
    tell(f"prune --keep-last {options.keep_last}", [writer.run("prune", "--keep-last", str(options.keep_last))])
    tell_objects(place, "after the prune")
    print("| | s | CPU s | peak MB | requests |\n|---|---|---|---|---|")
    # Small contents lie in the commits, which are archived and not removed.
    tell("restore --at through the folder", restored(options, place, writer, known["half"]))
    woken(options, place)
    tell_objects(place, "in the end")


def main():
    options = parsed()
    if options.kept:
        os.makedirs(options.kept, exist_ok=True)
    with temporary_home("million", options.kept or options.place) as place:
        if options.kept:
            place = os.path.realpath(f"{options.kept}/million-{options.saves}")
            os.makedirs(place, exist_ok=True)
        measure(options, place)


main()
