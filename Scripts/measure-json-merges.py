#!/usr/bin/env python3
"""Measures `merge --strategy json` on real triples, beside `git merge-file`.

usage: measure-json-merges.py FOLDER --binary PATH [--list]

FOLDER has a folder for every triple, with the files base, here, there and committed (what the
people made of it), and optionally name; folders of such folders are measured one by one. Triples
of which a version is not strict JSON are left out and counted. --list names the triples that fell
short. The four figures:

  agrees     of what git merges cleanly: the same parsed document
  resolves   of what git gives up on: merged to what was committed, also as a parsed document
  invalid    results that are not JSON
  noise      results that change lines of a side which the other side did not change; told apart
             where a side also broke its lines anew, as then a line may be of both

"without contradictions" leaves out what both sides changed to different values, or one removed
and the other changed: a person decided there.
"""
import argparse
import collections
import decimal
import json
import pathlib
import subprocess
import sys


def strict(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        return collections.OrderedDict(twice=pairs)
    return dict(pairs)


MISSING = object()
LAYOUT = "noise beside a new layout"


def number(text):
    """A number with a fraction or an exponent, exactly."""
    return {"number": str(decimal.Decimal(text).normalize())}


def parsed(data):
    def refuse(word):
        raise ValueError(word)

    try:
        text = data.decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=strict, parse_constant=refuse, parse_float=number)
    except (ValueError, RecursionError, decimal.DecimalException):
        return None


def is_same(left, right):
    return left is not None and json.dumps(left, sort_keys=True) == json.dumps(
        right, sort_keys=True)


def unordered(value):
    """The same for arrays that differ in their order only."""
    if isinstance(value, dict):
        return json.dumps(sorted((key, unordered(inner)) for key, inner in value.items()))
    if isinstance(value, list):
        return json.dumps(sorted(unordered(inner) for inner in value))
    return json.dumps(value)


def contradicts(base, here, there):
    """Whether the sides made different things of the same member, as no merge can have both."""
    if here == there or base in (here, there):
        return False
    if isinstance(here, dict) and isinstance(there, dict):
        base = base if isinstance(base, dict) else {}
        keys = set(here) | set(there) | set(base)
        return any(contradicts(base.get(key, MISSING), here.get(key, MISSING),
                               there.get(key, MISSING)) for key in keys)
    return not (isinstance(here, list) and isinstance(there, list))


def lines(data):
    """How often each line is there, without the comma, which comes and goes with neighbours."""
    return collections.Counter(line.rstrip(b"\r").removesuffix(b",") for line in data.split(b"\n"))


def noise(versions, result):
    """Lines that are there and should not be, or the other way round.

    A line that no version has twice is in the result if both sides have it, or the one that
    changed that; so is a line that is nowhere.
    """
    counts = [lines(versions[name]) for name in ("base", "here", "there")] + [lines(result)]
    found = set()
    for line in set().union(*counts):
        base, here, there, made = (count[line] for count in counts)
        expected = here if base == there else there
        if max(base, here, there, made) <= 1 and made != expected and (here != there or made != here):
            found.add(line)
    return found


def was_laid_out_anew(base, side):
    """Whether the side has lines of base otherwise: the same without the white space."""
    squeezed = b"".join(side.split())
    gone = set(lines(base)) - set(lines(side))
    return any(len(line.strip()) > 4 and b"".join(line.split()) in squeezed for line in gone)


def run(arguments):
    return subprocess.run(arguments, capture_output=True, check=False)


def measure(folder, binary):
    """What became of one triple: a set of words."""
    names = ["base", "here", "there", "committed"]
    versions = {name: (folder / name).read_bytes() for name in names}
    documents = {name: parsed(data) for name, data in versions.items()}
    if any(document is None for document in documents.values()):
        return {"left out"}
    paths = {name: str(folder / name) for name in names}
    ours = run([binary, "merge", "--strategy", "json",
                paths["base"], paths["here"], paths["there"]])
    git = run(["git", "merge-file", "-p", paths["here"], paths["base"], paths["there"]])
    found = {"git merged" if git.returncode == 0 else "git gave up"}
    if git.returncode == 0 and parsed(git.stdout) is None:
        found = {"git broke it"}
    if contradicts(documents["base"], documents["here"], documents["there"]):
        found.add("contradiction")
    if ours.returncode not in (0, 1):
        return found | {"crashed"}
    if ours.returncode == 1:
        return found | {"declined"}
    result = parsed(ours.stdout)
    found.add("merged")
    if result is None:
        found.add("invalid")
    if git.returncode == 0 and is_same(result, parsed(git.stdout)):
        found.add("as git")
    if is_same(result, documents["committed"]):
        found.add("as committed")
    elif result is not None and unordered(result) == unordered(documents["committed"]):
        found.add("in another order")
    if noise(versions, ours.stdout):
        is_new = any(was_laid_out_anew(versions["base"], versions[side])
                     for side in ("here", "there"))
        found.add(LAYOUT if is_new else "noise")
    return found


def share(part, whole):
    return f"{part}/{whole} ({100 * part / whole:.1f}%)" if whole else "0/0"


def report(name, results, shows):
    def count(*words):
        return sum(1 for found in results.values() if found.issuperset(words))

    print(f"{name}: {len(results)} triples, {count('left out')} left out, "
          f"git broke {count('git broke it')}")
    print(f"  agrees    {share(count('git merged', 'as git'), count('git merged'))}, "
          f"declined {count('git merged', 'declined')}")
    print(f"  resolves  {share(count('git gave up', 'as committed'), count('git gave up'))}, "
          f"declined {count('git gave up', 'declined')}, "
          f"merged otherwise "
          f"{count('git gave up', 'merged') - count('git gave up', 'as committed')}")
    print(f"  invalid   {count('invalid')}, crashed {count('crashed')}")
    print(f"  noise     {count('noise')} of {count('merged')}, and {count(LAYOUT)} {LAYOUT}")
    given = count("git gave up") - count("git gave up", "contradiction")
    could = count("git gave up", "as committed") - count(
        "git gave up", "as committed", "contradiction")
    print(f"  without contradictions: resolves {share(could, given)}, "
          f"and in another order {count('git gave up', 'in another order')}")
    if not shows:
        return
    for folder, found in results.items():
        if not found & {"left out", "git broke it"} and (
                found & {"invalid", "noise", "crashed"} or not found & {"as git", "as committed"}):
            print(f"    {folder}: {', '.join(sorted(found))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    groups = collections.defaultdict(dict)
    for base in sorted(options.folder.glob("**/base")):
        triple = base.parent
        groups[triple.parent][triple] = measure(triple, options.binary)
    if not groups:
        sys.exit("There are no triples in the folder.")
    for group, results in groups.items():
        report(group.name, results, options.list)
    if len(groups) > 1:
        everything = {}
        for results in groups.values():
            everything.update(results)
        report("all", everything, False)


if __name__ == "__main__":
    main()
