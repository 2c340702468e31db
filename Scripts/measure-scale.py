#!/usr/bin/env python3
"""How memory and time grow with the number of files, of changes in one run, and of what a store holds.

measure-scale.py BINARY [--tree FILES] [--overwrites N,N,...] [--save CONTENTS] [--files FILES] [--packs PACKS]
                 [--runs RUNS] [--place FOLDER] [--kept FOLDER]

Without --tree, --overwrites and --save all three are measured, in the sizes that the defaults say. The remote is a
folder. Peak memory is the kernel's ru_maxrss of the process; time is wall and processor time of the process.

The place must be on a file system that nothing else writes to, such as a loop device: a run that receives many
files calls syncfs(2), and the kernel charges it for writing everybody's data. On a shared disk the same run took
from 250 to 970 µs of processor time for each file, on one of its own 210 to 290.

tree        first sync, sync without a change, clone, 1,000 files sent and received, at FILES/2 and at FILES small
            files; the growth per file is the slope between the two.
overwrites  so many files, all of them overwritten in one run: sent, and received by a second replica.
save        `filesinki save` of one small file, with an empty history, and with CONTENTS past contents, FILES files
            and PACKS packs in the store; likewise on a device that only saves and has no tree. The two are
            measured by turns, RUNS times each. With --kept the stores are made in that folder if they are not
            there yet, and stay, so that several programs are measured with equal ones.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import time

from measured import Run, temporary_home

PER_FOLDER = 100
CHANGED = 1000
# More than this in one run goes into a pack; see Docs/Format.md.
PACK_BYTES = 300 << 10


def parsed():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--tree", type=int, nargs="?", const=100_000)
    parser.add_argument("--overwrites", nargs="?", const="10000,50000,100000")
    parser.add_argument("--save", type=int, nargs="?", const=240_000)
    parser.add_argument("--files", type=int, default=60_000)
    parser.add_argument("--packs", type=int, default=2_000)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--place", default=None)
    parser.add_argument("--kept", default=None)
    options = parser.parse_args()
    if options.tree is None and options.overwrites is None and options.save is None:
        options.tree, options.overwrites, options.save = 100_000, "10000,50000,100000", 240_000
    return options


def write(folder, numbers, text):
    """Writes small files, all of them different."""
    for number in numbers:
        parent = f"{folder}/d{number // (PER_FOLDER * PER_FOLDER)}/e{number // PER_FOLDER % PER_FOLDER}"
        os.makedirs(parent, exist_ok=True)
        with open(f"{parent}/file-{number}.txt", "w") as file:
            file.write(f"{text} {number}\n")


class Store:
    """A store in a folder, with a replica beside it."""

    def __init__(self, binary, place, name):
        self.binary, self.place = binary, f"{place}/{name}"
        self.store, self.tree = f"{self.place}/store", f"{self.place}/a"
        self.is_new = not os.path.exists(self.tree)
        if self.is_new:
            os.makedirs(self.tree)
            self.run("init", self.tree, "--remote", self.store)

    def run(self, *words, feed=None):
        return Run([self.binary, *words, "-q"], feed)

    def sync(self, tree=None):
        return self.run("sync", tree or self.tree)

    def sync_approved(self, tree):
        """A sync that overwrites nearly all files, which the safety limits stop until the plan is approved."""
        seen = subprocess.run([self.binary, "sync", tree, "-q"], capture_output=True, text=True)
        plan = re.search(r"--approve ([0-9a-f]+)", seen.stderr)
        return self.run("sync", tree, "--approve", plan[1]) if plan else self.sync(tree)

    def clone(self):
        return self.run("clone", self.store, f"{self.place}/b")

    def receive(self):
        return self.sync(f"{self.place}/b")

    def remove(self):
        shutil.rmtree(self.place)


def tree_runs(binary, place, count):
    store = Store(binary, place, f"tree-{count}")
    write(store.tree, range(count), "first")
    runs = {"first sync": store.sync(), "no change": store.sync(), "clone": store.clone()}
    step = max(1, count // CHANGED)
    write(store.tree, range(0, count, step), "second")
    runs[f"{CHANGED} changed, sent"] = store.sync()
    runs[f"{CHANGED} changed, received"] = store.receive()
    store.remove()
    return runs


def measure_tree(binary, place, count):
    half, whole = tree_runs(binary, place, count // 2), tree_runs(binary, place, count)
    print(f"| {count} small files | s | CPU s | peak MB | bytes per file |")
    print("|---|---|---|---|---|")
    for name, run in whole.items():
        slope = (run.peak - half[name].peak) / (count - count // 2)
        print(f"| {name} | {run.wall:.2f} | {run.cpu:.2f} | {run.peak / 1e6:.0f} | {slope:.0f} |", flush=True)


def measure_overwrites(binary, place, counts):
    print("| overwrites in one run | sent s | CPU µs each | received s | CPU µs each | peak MB sent, received |")
    print("|---|---|---|---|---|---|", flush=True)
    for count in counts:
        store = Store(binary, place, f"overwrites-{count}")
        write(store.tree, range(count), "first")
        store.sync()
        store.clone()
        write(store.tree, range(count), "second")
        sent, received = store.sync_approved(store.tree), store.sync_approved(f"{store.place}/b")
        each = [f"{run.wall:.2f} | {run.cpu / count * 1e6:.0f}" for run in (sent, received)]
        peaks = f"{sent.peak / 1e6:.0f}, {received.peak / 1e6:.0f}"
        print(f"| {count} | {each[0]} | {each[1]} | {peaks} |", flush=True)
        store.remove()


def fill(store, contents, files, packs):
    """Gives the store past contents, a part of them in packs and the rest inside commits, and files.

    The tree is small until the end, so that the many commits take little time.
    """
    per_pack = 20
    for number in range(packs):
        write(store.tree, range(per_pack), f"pack {number}" + " " * (PACK_BYTES // per_pack))
        store.sync()
    # The safety limits stop a run that overwrites nine tenths of all.
    per_commit = 1000
    write(store.tree, range(2 * per_commit), "before")
    store.sync()
    for number in range(max(0, contents - packs * per_pack) // per_commit):
        write(store.tree, range(per_commit), f"past {number}")
        store.sync()
    write(store.tree, range(2 * per_commit, files), "now")
    store.sync()


def saving(store, saver, name):
    """A function that saves a new content at a path of its own: two that save at one path make conflicts."""
    numbers = iter(range(time.time_ns(), 2**63))

    def save():
        return store.run("save", f"notes/{name}", "--root", saver, feed=b"saved %d\n" % next(numbers))

    return save


def measure_save(binary, place, options):
    ways = {}
    for name, contents in [("empty history", 0), (f"{options.save} past contents", options.save)]:
        store = Store(binary, options.kept or place, f"save-{contents}")
        if contents and store.is_new:
            begun = time.perf_counter()
            fill(store, contents, options.files, options.packs)
            packs = sum(len(files) for path, _, files in os.walk(store.store) if "pack" in path)
            print(f"filled in {time.perf_counter() - begun:.0f} s, {packs} objects of packs", flush=True)
        only = f"{store.place}/saver"
        os.makedirs(only, exist_ok=True)
        store.run("init", only, "--remote", store.store)
        ways[f"save, {name}"] = saving(store, store.tree, "here")
        ways[f"save where nothing else is, {name}"] = saving(store, only, "apart")
    for save in ways.values():
        save()
    runs = {name: [] for name in ways}
    for _ in range(options.runs):
        for name, save in ways.items():
            runs[name].append(save())
    print(f"| {options.runs} runs each | median ms | mean CPU ms | peak MB |")
    print("|---|---|---|---|")
    for name, found in runs.items():
        wall = statistics.median(run.wall for run in found) * 1000
        cpu = statistics.fmean(run.cpu for run in found) * 1000
        print(f"| {name} | {wall:.1f} | {cpu:.1f} | {max(run.peak for run in found) / 1e6:.0f} |", flush=True)


def main():
    options = parsed()
    binary = os.path.realpath(options.binary)
    with temporary_home("scale", options.place) as place:
        if options.save:
            measure_save(binary, place, options)
        if options.overwrites:
            measure_overwrites(binary, place, [int(word) for word in options.overwrites.split(",")])
        if options.tree:
            measure_tree(binary, place, options.tree)


main()
