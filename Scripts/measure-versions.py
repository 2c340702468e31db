#!/usr/bin/env python3
"""Measures the laws of a merge on real versions of files, of which no real merges can be had.

usage: measure-versions.py FOLDER... --binary PATH [--list] [--limit N]

FOLDER has a folder for every edit: v0 and v1, two consecutive versions of a file, v2 if there is a
third, and name. Each result is read by the parser of measure-merges.py. A row has:

  edits        those whose versions the parser reads
  laws         those where merge(v0, v0, v1), merge(v0, v1, v1) and merge(v0, v1, v0) are v1, byte for byte
  beside       those where the other side added something at the end
  kept         of these: merged, and the result is v1 with the same addition, byte for byte. Of an
               archive, the other side only compressed v0 otherwise, and the parts of the result are v1's
  declined     of these
  undone       those with v2, where one side undid the last edit and the other made the next one:
               merge(v1, v0, v2)
  merged       of these: merged, and the parser reads the result
  as git       of these: the document that git's merge is, where git has no conflict
  not as git   of these: another one
  wrong        results that are none of these, or others with the sides exchanged

--list names the edits that fell short.
"""
import argparse
import collections
import importlib.util
import io
import pathlib
import re
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SPEC = importlib.util.spec_from_file_location("measure", HERE / "measure-merges.py")
measure = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(measure)

CARD = b"BEGIN:VCARD%sVERSION:3.0%sUID:added-beside%sN:Beside;Added;;;%sFN:Added Beside%sEND:VCARD%s"


def added(kind, data):
    """The version with one more thing at its end, and None where there is no plain place for it."""
    last = data.rfind(b"\n")
    end = b"\r\n" if last > 0 and data[last - 1] == 13 else b"\n"
    if kind in {"svg", "plist", "XML", "draw.io", "OPML"}:
        return data + b"<!-- added beside -->" + end if data.endswith(b"\n") else None
    if kind == "units":
        return data + end + b"[X-Added]" + end + b"Beside=yes" + end if data.endswith(b"\n") else None
    if kind == "calendars":
        head, mark, tail = data.rpartition(b"END:VCALENDAR")
        event = end.join([b"BEGIN:VTODO", b"UID:added-beside", b"SUMMARY:Beside", b"END:VTODO", b""])
        return head + event + mark + tail if mark else None
    if kind == "cards":
        return data + CARD.replace(b"%s", end) if data.endswith(b"\n") else None
    if kind == "bookmarks":
        place = [match.start() for match in re.finditer(rb"(?im)^[ \t]*</DL>", data)]
        line = b'    <DT><A HREF="https://added.beside/">Beside</A>' + end
        return data[:place[-1]] + line + data[place[-1]:] if place else None
    return None


def packed_again(data):
    """The same parts in the same order, not compressed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as parts, zipfile.ZipFile(made, "w") as others:
        for entry in parts.infolist():
            others.writestr(entry, parts.read(entry), compress_type=zipfile.ZIP_STORED)
    return made.getvalue()


class Merges:
    def __init__(self, binary, name, folder):
        self.binary, self.name, self.folder = binary, name, pathlib.Path(folder)

    def files(self, *versions):
        paths = [self.folder / each for each in ("base", "here", "there")]
        for path, data in zip(paths, versions):
            path.write_bytes(data)
        return list(map(str, paths))

    def ours(self, *versions):
        """The bytes; None where it is declined; an error as text."""
        done = measure.run([self.binary, "merge", "--path", self.name, *self.files(*versions)])
        if done.returncode == 1:
            return None
        return done.stdout if done.returncode == 0 else done.stderr.decode("utf-8", "replace")

    def git(self, *versions):
        base, here, there = self.files(*versions)
        done = measure.run(["git", "merge-file", "-p", here, base, there])
        return done.stdout if done.returncode == 0 else None


def laws(merges, first, second):
    results = [merges.ours(*three) for three in (
        (first, first, second), (first, second, second), (first, second, first))]
    if all(result == second for result in results):
        return {"laws"}
    return set() if all(result in (None, second) for result in results) else {"wrong"}


def beside(merges, kind, reader, first, second):
    if kind in measure.ARCHIVES:
        other, expected = packed_again(first), second
    else:
        other, expected = added(kind, first), added(kind, second)
    if other is None or expected is None:
        return set()
    result, swapped = merges.ours(first, second, other), merges.ours(first, other, second)
    if result != swapped or isinstance(result, str):
        return {"beside", "wrong"}
    if result is None:
        return {"beside", "declined"}
    if kind in measure.ARCHIVES:
        return {"beside", "kept" if reader(result) == reader(expected) else "wrong"}
    return {"beside", "kept" if result == expected else "wrong"}


def undone(merges, reader, first, second, third):
    result, swapped = merges.ours(second, first, third), merges.ours(second, third, first)
    if result != swapped or isinstance(result, str):
        return {"undone", "wrong"}
    if result is None:
        return {"undone"}
    document = measure.parsed(reader, result)
    if document is measure.MISSING:
        return {"undone", "wrong"}
    git = merges.git(second, first, third)
    by_git = measure.MISSING if git is None else measure.parsed(reader, git)
    if by_git is measure.MISSING:
        return {"undone", "merged"}
    return {"undone", "merged", "as git" if by_git == document else "not as git"}


def measured(folder, options, scratch):
    """The format and what was found, each measurement as a set of words."""
    versions = {each: (folder / each).read_bytes() for each in ("v0", "v1", "v2")
                if (folder / each).exists()}
    name = (folder / "name").read_bytes().decode("utf-8", "replace").partition("\n")[0]
    kind, reader = measure.format_of(name, versions)
    if kind is None:
        return None, name, []
    merges = Merges(options.binary, name, scratch)
    first, second, *rest = versions.values()
    found = [laws(merges, first, second), beside(merges, kind, reader, first, second)]
    if rest:
        found.append(undone(merges, reader, first, second, rest[0]))
    return kind, name, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--limit", type=int, default=1000, help="at most so many of each folder")
    options = parser.parse_args()
    counts, left_out = collections.defaultdict(collections.Counter), 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in (each.parent for top in options.folders
                       for each in sorted(top.glob("**/v0"))[:options.limit]):
            kind, name, found = measured(folder, options, scratch)
            if kind is None:
                left_out += 1
                continue
            counts[kind]["edits"] += 1
            for words in found:
                counts[kind].update(words)
                if options.list and words & {"wrong", "declined", "not as git"}:
                    print(f"    {folder} {name}: {', '.join(sorted(words))}", flush=True)
    columns = ["edits", "laws", "beside", "kept", "declined", "undone", "merged", "as git",
               "not as git", "wrong"]
    print("| format | " + " | ".join(columns) + " |")
    print("|---|" + "--:|" * len(columns))
    for kind in sorted(counts, key=str.lower):
        print("| " + " | ".join([kind, *(str(counts[kind][each]) for each in columns)]) + " |")
    print(f"{left_out} left out: a version that the parser does not read, or no format.")


if __name__ == "__main__":
    main()
