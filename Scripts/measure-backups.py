#!/usr/bin/env python3
"""filesinki beside restic and borg, on the successive commits of a repository of git.

measure-backups.py BINARY REPOSITORY [--snapshots 100] [--keep-last 10] [--runs 3] [--place FOLDER] [--only NAME,...]

So many commits of the first-parent history of REPOSITORY, at equal distances from the oldest to HEAD, are checked out one
after the other into a tree of each tool's own, where git writes the files that differ. After each, every tool stores its
tree; the order rotates, so that other load hits all alike. Then the newest and the middle snapshot are restored into an
empty folder, by turns and RUNS times each, and the newest one as on a new device, with an empty home. Then each tool prunes
to the last snapshots, RUNS times, each on a copy of its store. What was restored is compared with git, also from the
pruned stores.

filesinki    `sync` with a folder, `restore --commit`, `prune --keep-last`; plain and with --encrypt. A new device clones; the
             prune is that of a device that has just cloned the copy.
restic       `backup` with its compression auto and max, always encrypted; `forget --keep-last --prune`.
borg         `create` with its compression lz4 (the default) and zstd, encrypted with repokey-blake2; `prune`, then `compact`.

All else is as each tool does it by default, its caches in a home of its own included, which is not counted.
"""

import argparse
import os
import shutil
import statistics
import subprocess

from measured import Run, temporary_home, total

SECRET = "open sesame"


def parsed():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("repository")
    parser.add_argument("--snapshots", type=int, default=100)
    parser.add_argument("--keep-last", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--place", default=None)
    parser.add_argument("--only", default=None)
    options = parser.parse_args()
    options.binary = os.path.realpath(options.binary)
    options.repository = os.path.realpath(options.repository)
    return options


class History:
    """Commits of a repository, which it writes into folders."""

    def __init__(self, repository, count, place):
        self.repository, self.place = repository, place
        log = self.git("log", "--first-parent", "--reverse", "--format=%H").split()
        last, steps = len(log) - 1, max(1, count - 1)
        self.commits = [log[last * number // steps] for number in range(count)]

    def git(self, *words, tree=None, index=None):
        environment = dict(os.environ)
        place = ["--git-dir", f"{self.repository}/.git"]
        if tree:
            environment["GIT_INDEX_FILE"] = index
            place += ["--work-tree", tree]
        done = subprocess.run(
            ["git", *place, *words], cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout

    def check_out(self, commit, tree, index):
        self.git("read-tree", "-u", "--reset", commit, tree=tree, index=index)

    def differences(self, commit, tree):
        """The paths of a folder that are not as in a commit."""
        index = f"{self.place}/index.compared"
        self.git("read-tree", commit, tree=tree, index=index)
        lines = self.git("status", "--porcelain", "--untracked-files=all", tree=tree, index=index).splitlines()
        os.unlink(index)
        # The second column is the folder; the first one compares with HEAD.
        return [line for line in lines if line[1] != " " and ".filesinki/" not in line]


class Tool:
    """A tool with a store, a tree and a home of its own."""

    environment = {}

    def __init__(self, options, place, name):
        self.options, self.name, self.place = options, name, f"{place}/{name.replace(' ', '-')}"
        self.tree, self.store, self.home = (f"{self.place}/{part}" for part in ("tree", "store", "home"))
        self.snapshots, self.runs = [], []
        self.secret = f"{place}/secret"
        os.makedirs(self.tree)
        os.makedirs(self.home)
        self.make()

    def enter(self, home=None):
        home = home or self.home
        os.environ.update(
            HOME=home, XDG_CACHE_HOME=f"{home}/cache", XDG_CONFIG_HOME=f"{home}/config", XDG_DATA_HOME=f"{home}/data",
            **self.environment)

    def run(self, *words, home=None):
        self.enter(home)
        return Run([shutil.which(words[0]), *words[1:]])

    def output(self, *words):
        self.enter()
        return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout

    def copied(self, number):
        """A copy of the store, with a home that knows the same."""
        copy = f"{self.place}/copy-{number}"
        shutil.rmtree(copy, ignore_errors=True)
        os.makedirs(copy)
        shutil.copytree(self.store, f"{copy}/store")
        shutil.copytree(self.home, f"{copy}/home")
        return copy


class Filesinki(Tool):
    extra = []
    reading = []

    def filesinki(self, *words):
        return self.run(self.options.binary, *words, "-q")

    def make(self):
        self.filesinki("init", self.tree, "--remote", self.store, *self.extra, *self.reading)

    def snapshot(self):
        run = self.filesinki("sync", self.tree, "--max-delete", "100%")
        log = self.output(self.options.binary, "log", "-n", "1", "--json", "--root", self.tree)
        self.snapshots.append(log.split('"sequence":')[1].split(",")[0])
        return run

    def restore_anew(self, goal, home):
        return self.filesinki("clone", self.store, goal, *self.reading)

    def restore(self, number, goal):
        return self.filesinki("restore", "--commit", self.snapshots[number], "-o", goal, "--root", self.tree)

    def prune(self, copy, keep):
        self.filesinki("clone", f"{copy}/store", f"{copy}/tree", *self.reading)
        return self.filesinki("prune", "--keep-last", str(keep), "--root", f"{copy}/tree")

    def restore_pruned(self, copy, number, goal):
        self.filesinki("restore", "--commit", self.snapshots[number], "-o", goal, "--root", f"{copy}/tree")


class EncryptedFilesinki(Filesinki):
    extra = ["--encrypt"]

    @property
    def reading(self):
        return ["--passphrase-file", self.secret]


class Restic(Tool):
    environment = {"RESTIC_PASSWORD": SECRET}
    compression = "auto"

    def restic(self, *words, store=None, home=None):
        return self.run("restic", "-q", "-r", store or self.store, "--compression", self.compression, *words, home=home)

    def make(self):
        self.restic("init")

    def snapshot(self):
        run = self.restic("backup", self.tree)
        lines = self.output("restic", "-r", self.store, "snapshots", "--latest", "1", "--json")
        self.snapshots.append(lines.split('"short_id":"')[1].split('"')[0])
        return run

    def restore_anew(self, goal, home):
        return self.restic("restore", "latest", "--target", goal, home=home)

    def restore(self, number, goal):
        return self.restic("restore", self.snapshots[number], "--target", goal)

    def found(self, goal):
        return goal + self.tree

    def prune(self, copy, keep):
        return self.restic(
            "forget", "--keep-last", str(keep), "--prune", store=f"{copy}/store", home=f"{copy}/home")

    def restore_pruned(self, copy, number, goal):
        self.restic("restore", self.snapshots[number], "--target", goal, store=f"{copy}/store", home=f"{copy}/home")


class ResticMax(Restic):
    compression = "max"


class Both:
    """Two processes, one after the other."""

    def __init__(self, *runs):
        self.wall, self.cpu = sum(run.wall for run in runs), sum(run.cpu for run in runs)
        self.peak = max(run.peak for run in runs)


class Borg(Tool):
    environment = {"BORG_PASSPHRASE": SECRET, "BORG_RELOCATED_REPO_ACCESS_IS_OK": "yes"}
    compression = "lz4"

    def borg(self, *words, home=None):
        return self.run("borg", *words, home=home)

    def make(self):
        self.borg("init", "-e", "repokey-blake2", self.store)

    def snapshot(self):
        name = f"s{len(self.snapshots)}"
        self.snapshots.append(name)
        return self.borg("create", "-C", self.compression, f"{self.store}::{name}", self.tree)

    def restore_anew(self, goal, home):
        return self.restore(-1, goal, home=home)

    def restore(self, number, goal, store=None, home=None):
        os.makedirs(goal)
        os.chdir(goal)
        try:
            return self.borg("extract", f"{store or self.store}::{self.snapshots[number]}", home=home)
        finally:
            os.chdir("/")

    def found(self, goal):
        return goal + self.tree

    def prune(self, copy, keep):
        store, home = f"{copy}/store", f"{copy}/home"
        pruned = self.borg("prune", "--keep-last", str(keep), store, home=home)
        return Both(pruned, self.borg("compact", store, home=home))

    def restore_pruned(self, copy, number, goal):
        self.restore(number, goal, f"{copy}/store", f"{copy}/home")


class BorgZstd(Borg):
    compression = "zstd"


TOOLS = {
    "filesinki": Filesinki, "filesinki --encrypt": EncryptedFilesinki, "restic": Restic, "restic max": ResticMax,
    "borg": Borg, "borg zstd": BorgZstd}


def files(folder):
    return sum(len(names) for _, _, names in os.walk(folder))


def rotated(tools, number):
    number %= len(tools)
    return tools[number:] + tools[:number]


def compare(history, tool, commit, goal):
    found = tool.found(goal) if hasattr(tool, "found") else goal
    differing = history.differences(commit, found)
    if differing:
        raise SystemExit(f"{tool.name}: {len(differing)} paths differ, such as {differing[:3]}")
    shutil.rmtree(goal)


def store_all(options, history, tools):
    for number, commit in enumerate(history.commits):
        for tool in rotated(tools, number):
            history.check_out(commit, tool.tree, f"{tool.place}/index")
            tool.runs.append(tool.snapshot())
    middle = history.commits[-1]
    size = total(tools[0].tree) - total(f"{tools[0].tree}/.filesinki")
    print(f"{len(history.commits)} snapshots; the last one, {middle[:8]}, has {size / 1e6:.1f} MB", flush=True)


def restore_all(options, history, tools, place):
    found = {tool: {"newest": [], "middle": [], "anew": []} for tool in tools}
    last = len(history.commits) - 1
    goal, home = f"{place}/goal", f"{place}/empty"
    for number in range(options.runs):
        for tool in rotated(tools, number):
            for name, snapshot in ("newest", last), ("middle", last // 2):
                found[tool][name].append(tool.restore(snapshot, goal))
                compare(history, tool, history.commits[snapshot], goal)
            os.makedirs(home)
            found[tool]["anew"].append(tool.restore_anew(goal, home))
            compare(history, tool, history.commits[last], goal)
            shutil.rmtree(home)
    return found


def prune_all(options, history, tools, place):
    found = {tool: [] for tool in tools}
    sizes = {}
    for number in range(options.runs):
        for tool in rotated(tools, number):
            copy = tool.copied(number)
            found[tool].append(tool.prune(copy, options.keep_last))
            sizes[tool] = total(f"{copy}/store"), files(f"{copy}/store")
            oldest = -options.keep_last
            tool.restore_pruned(copy, oldest, f"{place}/goal")
            compare(history, tool, history.commits[oldest], f"{place}/goal")
            shutil.rmtree(copy)
    return found, sizes


def median(runs):
    return f"{statistics.median(run.wall for run in runs):.2f}, {statistics.median(run.cpu for run in runs):.2f}"


def main():
    options = parsed()
    with temporary_home("backups", options.place) as place:
        with open(f"{place}/secret", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(f"{SECRET}\n")
        history = History(options.repository, options.snapshots, place)
        names = options.only.split(",") if options.only else list(TOOLS)
        tools = [TOOLS[name](options, place, name) for name in names]
        store_all(options, history, tools)
        stored = {tool: (total(tool.store), files(tool.store)) for tool in tools}
        for tool, (size, count) in stored.items():
            print(f"{tool.name}: {size} bytes in {count} files", flush=True)
        restored = restore_all(options, history, tools, place)
        for tool, runs in restored.items():
            print(f"{tool.name}: " + ", ".join(f"{name} {median(each)}" for name, each in runs.items()), flush=True)
        pruned, left = prune_all(options, history, tools, place)
        print(
            f"\n| s, CPU s | {len(history.commits)} snapshots | the first | store MB, files | restore newest | restore middle "
            f"| newest on a new device | prune to {options.keep_last} | store MB after it, files |\n|---|---|---|---|---|---|---|---|---|")
        for tool in tools:
            sums = f"{sum(run.wall for run in tool.runs):.1f}, {sum(run.cpu for run in tool.runs):.1f}"
            sizes = [f"{size / 1e6:.2f}, {count}" for size, count in (stored[tool], left[tool])]
            cells = [
                sums, median(tool.runs[:1]), sizes[0], median(restored[tool]["newest"]),
                median(restored[tool]["middle"]), median(restored[tool]["anew"]), median(pruned[tool]), sizes[1]]
            print(f"| {tool.name} | " + " | ".join(cells) + " |", flush=True)


main()
