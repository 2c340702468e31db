#!/usr/bin/env python3
"""Cuts real three-way merges from the history of a git repository.

    cut-triples.py REPOSITORY FOLDER [--glob '*.json'] [--limit N]

For every merge commit and every file that both of its parents changed since their merge base,
FOLDER/N/ gets the files base, here (first parent), there (second parent), committed (the merge
commit's own version) and name (the path and the commit). Files that one of the four has not are
left out. The numbers begin at 0 and have no gaps.
"""

import argparse
import fnmatch
import pathlib
import subprocess


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--glob", default="*", help="only paths or names that match")
    parser.add_argument("--limit", type=int, default=1000, help="at most so many triples")
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

    def merges(self):
        for line in self.lines("log", "--merges", "--format=%H %P"):
            words = line.split()
            if len(words) == 3:
                yield words

    def blobs(self, commit, other):
        """The blobs that the files have in `other`, of files changed since `commit`."""
        found = {}
        for line in self.lines(
                "diff-tree", "-r", "--no-renames", "--diff-filter=M", commit, other):
            facts, _, name = line.partition("\t")
            words = facts.split()
            if words[0] != ":160000":
                found[name] = (words[2], words[3])
        return found

    def content(self, blob):
        self.objects.stdin.write(blob.encode() + b"\n")
        self.objects.stdin.flush()
        header = self.objects.stdout.readline().split()
        if len(header) != 3:
            return None
        data = self.objects.stdout.read(int(header[2]))
        self.objects.stdout.read(1)
        return data


def triples(repository, pattern):
    for merge, first, second in repository.merges():
        bases = repository.lines("merge-base", first, second)
        if len(bases) != 1:
            continue
        here = repository.blobs(bases[0], first)
        there = repository.blobs(bases[0], second)
        for name in sorted(set(here) & set(there)):
            matches = fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(
                name.rpartition("/")[2], pattern)
            if not matches or here[name][1] == there[name][1]:
                continue
            final = repository.lines("rev-parse", "-q", "--verify", f"{merge}:{name}")
            if not final:
                continue
            blobs = (here[name][0], here[name][1], there[name][1], final[0])
            contents = [repository.content(blob) for blob in blobs]
            if None not in contents:
                yield f"{name}\n{merge}\n", contents


def main():
    options = arguments()
    repository = Repository(options.repository)
    count = 0
    for name, contents in triples(repository, options.glob):
        if count >= options.limit:
            break
        folder = options.folder / str(count)
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in zip(("base", "here", "there", "committed"), contents):
            (folder / file).write_bytes(content)
        (folder / "name").write_bytes(name.encode("utf-8", "surrogateescape"))
        count += 1
    print(f"{count} triples in {options.folder}")


if __name__ == "__main__":
    main()
