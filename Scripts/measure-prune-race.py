#!/usr/bin/env python3
"""Prunes a store without pause while several devices publish into it, and looks whether any of them lost something.

measure-prune-race.py FOLDER [--binary B] [--net N] [--remote directory|server|apache|ceph] [--seconds 600]
                      [--writers 8] [--disturbed 0.12] [--sleep 15] [--seed 1]

Each writer is a replica with files of its own, which it overwrites, appends to, moves and deletes, and a member of one
JSON file that all of them change. A share of its runs, --disturbed, is killed or stopped for up to --sleep seconds in the
middle.
Another device runs `prune --keep-last 1` all the time and is killed, too. In the end everybody syncs. Fails if a run ended
with another code than 0 or 75, if a tree differs from what its writers wrote last, if there is a conflict, or if
`check --read-data` finds damage.

The servers are those of Scripts/servers, on loopback; FOLDER holds everything and has to be empty or absent.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time

SERVERS = pathlib.Path(__file__).resolve().parent / "servers"
KEY = {"AWS_ACCESS_KEY_ID": "filesinki", "AWS_SECRET_ACCESS_KEY": "open sesame"}
# Not published, or not yet: the next run goes on.
LATER = 75
# A run that was killed.
KILLED = -signal.SIGKILL


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--binary", default=".build/release/filesinki")
    parser.add_argument("--net", default=".build/release/filesinki-net")
    parser.add_argument("--remote", default="directory", choices=["directory", "server", "apache", "ceph"])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--disturbed", type=float, default=0.12)
    parser.add_argument("--sleep", type=float, default=15)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Store:
    """An empty store of some kind; ``address`` is what --remote is given."""

    def __init__(self, options, folder):
        self.kind, self.folder, self.process = options.remote, folder, None
        if self.kind == "directory":
            self.address = str(folder)
        elif self.kind == "server":
            port = free_port()
            self.process = subprocess.Popen(
                [options.net, "serve", str(folder), "--create", "--listen", f"127.0.0.1:{port}"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.address = f"http://127.0.0.1:{port}"
            self.wait(port)
        else:
            os.environ["APACHE_SPARE"] = "50"
            made = subprocess.run(
                ["bash", SERVERS / f"{self.kind}.sh", "start", str(free_port()), folder],
                stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
            if self.kind == "apache":
                self.address = f"webdav{made.removeprefix('http')}/store"
            else:
                subprocess.run(
                    ["curl", "-sS", "--fail", "-X", "PUT", "-H", "x-amz-content-sha256:UNSIGNED-PAYLOAD",
                     "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", ":".join(KEY.values()), f"{made}/race"],
                    check=True)
                self.address = f"s3://race/store?endpoint={made}&region=us-east-1"

    def wait(self, port):
        for _ in range(200):
            try:
                return socket.create_connection(("127.0.0.1", port)).close()
            except OSError:
                time.sleep(0.05)
        raise SystemExit("The server does not answer.")

    def close(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
        elif self.kind != "directory":
            subprocess.run(["bash", SERVERS / f"{self.kind}.sh", "stop", self.folder], check=False)


class Device(threading.Thread):
    """A replica in a home of its own, with the runs that it made."""

    def __init__(self, options, place, name, ends):
        super().__init__(name=name)
        self.options, self.ends = options, ends
        self.root = place / name / "tree"
        self.chance = random.Random(f"{options.seed} {name}")
        self.environment = {
            "HOME": str(place / name), "PATH": os.environ["PATH"], "FILESINKI_NO_HINTS": "1", **KEY}
        self.runs, self.killed, self.stopped, self.later, self.faults = 0, 0, 0, 0, []
        self.slowest = 0

    def command(self, *words, disturbed=False):
        """Runs the program; returns its exit code. A fault is noted with what it said."""
        begun = time.monotonic()
        process = subprocess.Popen(
            [self.options.binary, *words], env=self.environment, cwd=self.root.parent,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        asleep = self.disturb(process) if disturbed else 0
        said = process.communicate()[0]
        self.slowest = max(self.slowest, time.monotonic() - begun - asleep)
        self.runs += 1
        self.later += process.returncode == LATER
        if process.returncode not in (0, LATER, KILLED):
            self.faults.append(f"{' '.join(words)}: exit {process.returncode}: {said[-600:]}")
        return process.returncode

    def disturb(self, process):
        """Kills or stops a run in its midst; returns for how long it was stopped."""
        kind = self.chance.random()
        if kind > self.options.disturbed:
            return 0
        time.sleep(self.chance.uniform(0.005, 0.25))
        if process.poll() is not None:
            return 0
        if kind < self.options.disturbed / 2:
            process.kill()
            self.killed += 1
            return 0
        process.send_signal(signal.SIGSTOP)
        asleep = self.chance.uniform(0.1, self.options.sleep)
        time.sleep(asleep)
        process.send_signal(signal.SIGCONT)
        self.stopped += 1
        return asleep

    def settle(self):
        """Syncs until the store has everything."""
        for _ in range(50):
            if self.command("sync", "--root", str(self.root), "--wait", "--timeout", "120s") == 0:
                return
        self.faults.append("does not come to an end")


class Writer(Device):
    """Changes its own files and its member of the shared one, and syncs."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.files, self.lines, self.count = {}, [], 0

    def run(self):
        while time.monotonic() < self.ends:
            for _ in range(self.chance.randrange(1, 4)):
                self.edit()
            self.command("sync", "--root", str(self.root), disturbed=True)

    def edit(self):
        own = self.root / self.name
        own.mkdir(exist_ok=True)
        kind = self.chance.random()
        if kind < 0.4:
            name = f"f{self.chance.randrange(8)}"
            self.files[name] = self.chance.randbytes(self.chance.choice([200, 30_000, 400_000]))
            self.replace(own / name, self.files[name])
        elif kind < 0.5 and self.files:
            name = self.chance.choice(sorted(self.files))
            del self.files[name]
            (own / name).unlink()
        elif kind < 0.6 and self.files:
            name = self.chance.choice(sorted(self.files))
            goal = f"f{self.chance.randrange(8)}"
            self.files[goal] = self.files.pop(name)
            (own / name).rename(own / goal)
        elif kind < 0.8:
            self.lines.append(f"{self.name} {len(self.lines)}")
            self.replace(own / "log.txt", "".join(f"{line}\n" for line in self.lines).encode())
        else:
            self.count += 1
            self.change_shared()

    def change_shared(self):
        """A merge needs the version that both sides had: no prune may remove it."""
        shared = self.root / "shared.json"
        before = shared.read_bytes()
        members = json.loads(before)
        members[self.name] = self.count
        self.replace(shared, json.dumps(members, indent=1, sort_keys=True).encode() + b"\n")

    def replace(self, path, data):
        draft = path.with_name(".draft")
        draft.write_bytes(data)
        draft.rename(path)

    def lost(self, root):
        """What a tree lacks of what this writer wrote last."""
        own = root / self.name
        wanted = dict(self.files)
        if self.lines:
            wanted["log.txt"] = "".join(f"{line}\n" for line in self.lines).encode()
        found = {path.name for path in own.iterdir()} if own.exists() else set()
        missing = [f"{root}: {self.name}/{name}" for name in found ^ set(wanted)]
        missing += [
            f"{root}: {self.name}/{name} has another content"
            for name in found & set(wanted) if (own / name).read_bytes() != wanted[name]]
        members = json.loads((root / "shared.json").read_bytes())
        if members.get(self.name, 0) != self.count:
            missing.append(f"{root}: shared.json: {self.name} is {members.get(self.name)}, not {self.count}")
        return missing


class Pruner(Device):
    prunes = 0

    def run(self):
        while time.monotonic() < self.ends:
            self.command("sync", "--root", str(self.root), disturbed=True)
            code = self.command("prune", "--keep-last", "1", "--root", str(self.root), disturbed=True)
            self.prunes += code == 0


def main():
    options = parse()
    options.binary, options.net = os.path.realpath(options.binary), os.path.realpath(options.net)
    place = options.folder.resolve()
    place.mkdir(parents=True, exist_ok=True)
    place.chmod(0o755)
    store = Store(options, place / "store")
    try:
        raise SystemExit(race(options, place, store))
    finally:
        store.close()


def race(options, place, store):
    ends = time.monotonic() + options.seconds
    writers = [Writer(options, place, f"w{number}", ends) for number in range(options.writers)]
    pruner = Pruner(options, place, "pruner", ends)
    devices = [*writers, pruner]
    for device in devices:
        device.root.mkdir(parents=True)
        if device is devices[0]:
            (device.root / "shared.json").write_bytes(b"{}\n")
            (device.root / ".filesinkiignore").write_bytes(b".draft\n")
        device.command("init", str(device.root), "--remote", store.address, "--device", device.name)
        device.settle()
    for device in devices:
        device.start()
    for device in devices:
        device.join()
    for _ in range(2):
        for device in devices:
            device.settle()
    pruner.command("prune", "--keep-last", "1", "--root", str(pruner.root))
    pruner.command("check", "--read-data", "--root", str(pruner.root))
    faults = [f"{device.name}: {fault}" for device in devices for fault in device.faults]
    faults += [lost for writer in writers for device in devices for lost in writer.lost(device.root)]
    faults += [
        f"{device.root}: {path.name}" for device in devices for path in device.root.rglob("*(conflict*")]
    print(
        f"{options.remote}: {len(writers)} writers, {options.seconds:.0f} s, "
        f"{sum(writer.runs for writer in writers)} runs, {pruner.prunes} prunes, "
        f"{sum(device.killed for device in devices)} killed, {sum(device.stopped for device in devices)} stopped, "
        f"{sum(device.later for device in devices)} to be run again, slowest run "
        f"{max(device.slowest for device in devices):.1f} s: {len(faults) or 'no'} faults")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    main()
