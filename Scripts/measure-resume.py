#!/usr/bin/env python3
"""What a first upload costs that is interrupted again and again.

measure-resume.py FOLDER [--binary B] [--size 2G] [--kills 20] [--seed 1] [--at-most 1.02]
                  [--serve NET] [--rate 50M]

Makes a tree of random bytes in FOLDER and syncs it into an empty store. The program is killed (SIGKILL) each time
the bytes sent pass one of --kills points, which are random and lie all over the upload. Then it may end. Prints the
bytes that were sent in all, those of the same tree stored without an interruption, and their ratio. Fails if that is
larger than --at-most.

The store is a folder: all bytes that were ever written into it count, unfinished and abandoned files included. With
--serve it is `NET serve`, behind a connection that sends at most --rate bytes a second: the bytes of all requests count.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

from measured import Server, total


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--binary", default=".build/release/filesinki")
    parser.add_argument("--size", default="2G")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-most", type=float, default=1.02)
    parser.add_argument("--serve", metavar="NET")
    parser.add_argument("--rate", default="50M")
    return parser.parse_args()


def number(text):
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def make_tree(root, size, chance):
    """A quarter in one file, a quarter in eight, the rest in small ones."""
    root.mkdir(parents=True)
    sizes = [size // 4] + [size // 32] * 8
    rest = size - sum(sizes)
    while rest > 0:
        sizes.append(min(rest, int(chance.expovariate(1 / 300_000)) + 1))
        rest -= sizes[-1]
    for index, count in enumerate(sizes):
        folder = root / f"d{index // 100}"
        folder.mkdir(exist_ok=True)
        with open(folder / f"f{index}", "wb") as file:
            while count > 0:
                file.write(chance.randbytes(min(count, 1 << 20)))
                count -= 1 << 20


class FolderStore:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.address = str(folder)
        self.before = 0

    def sent(self, process):
        """Bytes sent by now; the process writes little else."""
        try:
            with open(f"/proc/{process.pid}/io") as file:
                return self.before + int(dict(line.split(": ") for line in file)["wchar"])
        except (OSError, KeyError):
            return 0

    def ended(self):
        self.before = total(self.folder)

    def all_sent(self):
        return total(self.folder)

    def close(self):
        pass


class ServerStore(Server):
    def sent(self, process):
        return self.meter.sent

    def ended(self):
        pass

    def all_sent(self):
        return self.meter.sent


def kill_at(process, store, point):
    """Kills the process once so many bytes were sent. Returns whether it was still running."""
    while process.poll() is None:
        if store.sent(process) >= point:
            process.kill()
            process.wait()
            return True
        time.sleep(0.001)
    return False


def upload(arguments, root, state, store, points):
    """Syncs until a run ends by itself. Returns how many runs were killed."""
    place = ["--root", str(root), "--state", str(state)]
    subprocess.run([arguments.binary, "init", *place, "--remote", store.address],
                   check=True, stdout=subprocess.DEVNULL)
    store.ended()
    killed = 0
    for point in [*points, None]:
        process = subprocess.Popen([arguments.binary, "sync", "--quiet", *place])
        if point is None:
            if process.wait() != 0:
                sys.exit(f"sync failed: {process.returncode}")
        elif kill_at(process, store, point):
            killed += 1
            store.ended()
        else:
            break
    return killed


def make_store(arguments, folder):
    if arguments.serve:
        return ServerStore(arguments.serve, folder, number(arguments.rate))
    return FolderStore(folder)


def main():
    arguments = parse()
    if os.sep in arguments.binary:
        arguments.binary = os.path.abspath(arguments.binary)
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    work = folder / "resume"
    shutil.rmtree(work, ignore_errors=True)
    chance = random.Random(arguments.seed)
    root = work / "tree"
    make_tree(root, number(arguments.size), chance)

    once = make_store(arguments, work / "once")
    begun = time.monotonic()
    upload(arguments, root, work / "state-once", once, [])
    seconds = time.monotonic() - begun
    final = once.all_sent()
    once.close()
    shutil.rmtree(work / "once", ignore_errors=True)

    store = make_store(arguments, work / "store")
    points = sorted(chance.uniform(0.005, 0.98) * final for _ in range(arguments.kills))
    begun = time.monotonic()
    killed = upload(arguments, root, work / "state", store, points)
    again = time.monotonic() - begun
    sent = store.all_sent()
    store.close()
    packs = sum(len(names) for _, _, names in os.walk(work / "store" / "packs"))
    print(f"tree {arguments.size}, store {final:,} bytes in {seconds:.1f} s")
    print(f"killed {killed} times: {sent:,} bytes in {again:.1f} s, {packs} files of packs")
    print(f"uploaded / final store: {sent / final:.4f}")
    shutil.rmtree(work, ignore_errors=True)
    # A run that ends before its point is reached has not been killed.
    if killed < arguments.kills * 3 // 4 or sent > arguments.at_most * final:
        sys.exit(1)


if __name__ == "__main__":
    main()
