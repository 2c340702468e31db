#!/usr/bin/env python3
"""Cuts real three-way merges from the history of a git repository.

    cut-triples.py REPOSITORY FOLDER [--glob '*.json'] [--limit N]
    cut-triples.py REPOSITORY FOLDER --into yaml='*.yml,*.yaml' --into toml='*.toml' [--limit N]

For every merge commit and every file that both of its parents changed since their merge base,
FOLDER/N/ gets the files base, here (first parent), there (second parent), committed (the merge
commit's own version) and name (the path and the commit). Files that one of the four has not are
left out, and files that the merge took from one parent as they are, unless --taken asks for them.
The numbers begin at 0 and have no gaps. With --into, each set of patterns has its own folder
below FOLDER and its own limit, and one pass fills all of them.
"""

import argparse
import collections
import fnmatch
import pathlib
import subprocess


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--glob", default="*", help="only paths or names that match")
    parser.add_argument("--into", action="append", metavar="NAME=PATTERN[,PATTERN...]",
                        help="a folder and what belongs into it; may be repeated")
    parser.add_argument("--limit", type=int, default=1000, help="at most so many triples of a set")
    parser.add_argument("--per-file", type=int, default=1000,
                        help="at most so many triples of one path, for a corpus of many files")
    parser.add_argument("--largest", type=int, default=2 << 20, help="leave out larger files, in bytes")
    parser.add_argument("--taken", action="store_true",
                        help="also files of which the merge took one parent's version; slower")
    return parser.parse_args()


class Repository:
    def __init__(self, path):
        self.command = ["git", "-C", path]
        self.objects = subprocess.Popen(
            self.command + ["cat-file", "--batch"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def lines(self, *words):
        result = subprocess.run(self.command + list(words), capture_output=True)
        return result.stdout.decode("utf-8", "surrogateescape").splitlines()

    def merged(self, takes_one):
        """Each merge with its parents, and the names of the files that are neither parent's.

        One process walks the whole history: git's combined diff has just these files.
        With `takes_one` the names are None: any file may be meant.
        """
        form = ["--format=%x01%H %P"]
        if not takes_one:
            form += ["--diff-merges=combined", "--raw", "-z", "--no-renames", "--abbrev=40"]
        log = subprocess.Popen(
            self.command + ["log", "--merges", "--all", *form], stdout=subprocess.PIPE)
        for entry in entries(log.stdout):
            header, *fields = entry.replace(b"\n", b"\0").split(b"\0")
            words = header.decode().split()
            if len(words) != 3:
                continue
            names = {field.decode("utf-8", "surrogateescape")
                     for field in fields if field and not field.startswith(b"::")}
            yield words, None if takes_one else names
        log.kill()

    def changed(self, commit, other):
        """The files that are otherwise in `other` than in `commit`."""
        return {line.partition("\t")[2] for line in self.lines(
            "-c", "core.quotePath=false", "diff-tree", "-r", "--no-renames", "--diff-filter=M",
            commit, other)}

    def content(self, commit, name, largest):
        """The bytes of a file, and its object; None for what is no file or too large."""
        if "\n" in name:
            return None
        self.objects.stdin.write(f"{commit}:{name}\n".encode("utf-8", "surrogateescape"))
        self.objects.stdin.flush()
        header = self.objects.stdout.readline().split()
        if len(header) != 3 or not header[2].isdigit():
            return None
        data = self.objects.stdout.read(int(header[2]))
        self.objects.stdout.read(1)
        return data if header[1] == b"blob" and len(data) <= largest else None


def entries(stream):
    """What stands between the bytes 1 of a stream, without the first, which is empty."""
    rest = b""
    while block := stream.read(1 << 16):
        *done, rest = (rest + block).split(b"\1")
        yield from (entry for entry in done if entry)
    if rest:
        yield rest


def matches(name, patterns):
    last = name.rpartition("/")[2]
    return any(fnmatch.fnmatch(name, each) or fnmatch.fnmatch(last, each) for each in patterns)


class Sets:
    """The folders to fill, and how far they are."""

    def __init__(self, options):
        self.limit, self.per_file = options.limit, options.per_file
        self.patterns = {options.folder: [options.glob]}
        if options.into:
            pairs = (each.partition("=") for each in options.into)
            self.patterns = {options.folder / name: words.split(",") for name, _, words in pairs}
        self.counts = collections.Counter()
        self.of_file = collections.Counter()

    def folder(self, name):
        """Where a triple of this file belongs; None if nowhere, or if there are enough."""
        for folder, patterns in self.patterns.items():
            if (self.counts[folder] < self.limit and matches(name, patterns)
                    and self.of_file[name] < self.per_file):
                return folder
        return None

    def are_full(self):
        return all(self.counts[folder] >= self.limit for folder in self.patterns)

    def add(self, folder, name, merge, contents):
        triple = folder / str(self.counts[folder])
        triple.mkdir(parents=True, exist_ok=True)
        for file, content in zip(("base", "here", "there", "committed"), contents):
            (triple / file).write_bytes(content)
        (triple / "name").write_bytes(f"{name}\n{merge}\n".encode("utf-8", "surrogateescape"))
        self.counts[folder] += 1
        self.of_file[name] += 1


def cut(repository, sets, options):
    for (merge, first, second), names in repository.merged(options.taken):
        if sets.are_full():
            return
        if names is not None:
            names = [name for name in names if sets.folder(name)]
            if not names:
                continue
        bases = repository.lines("merge-base", "--all", first, second)
        if len(bases) != 1:
            continue
        if names is None:
            names = repository.changed(bases[0], first) & repository.changed(bases[0], second)
        for name in sorted(names):
            folder = sets.folder(name)
            if folder is None:
                continue
            contents = [repository.content(commit, name, options.largest)
                        for commit in (bases[0], first, second, merge)]
            base, here, there, _ = contents
            if None not in contents and base not in (here, there) and here != there:
                sets.add(folder, name, merge, contents)


def main():
    options = arguments()
    repository = Repository(options.repository)
    sets = Sets(options)
    cut(repository, sets, options)
    for folder in sets.patterns:
        print(f"{sets.counts[folder]} triples in {folder}")


if __name__ == "__main__":
    main()
