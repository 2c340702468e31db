#!/bin/sh
# Times filesinki on a generated tree, beside rsync and find when they are there:
# bench.sh BINARY FILES
# The tree is Debian-source-like: many small text files in many folders. Each number is the median
# of three runs, in milliseconds of wall time.
set -eu
binary=$(realpath "$1")
files=$2
place=$(mktemp -d "${TMPDIR:-/tmp}/filesinki-bench.XXXXXX")
trap 'rm -rf "$place"' EXIT
cd "$place"
export HOME="$place/home" XDG_CONFIG_HOME="$place/home/config" XDG_DATA_HOME="$place/home/data"
unset FILESINKI_ROOT
mkdir -p "$HOME" tree

python3 - tree "$files" <<'PYTHON'
import os, random, sys
root, count = sys.argv[1], int(sys.argv[2])
chance = random.Random(1)
words = [("word%d" % n).encode() for n in range(5000)]
for number in range(count):
    folder = os.path.join(root, "d%d" % (number // 400), "e%d" % (number // 20 % 20))
    os.makedirs(folder, exist_ok=True)
    length = int(chance.expovariate(1 / 2200)) + 10
    with open(os.path.join(folder, "f%d.c" % number), "wb") as file:
        file.write(b" ".join(chance.choices(words, k=length)))
PYTHON
echo "$files files, $(du -sh tree | cut -f1)"

now() { date +%s%N; }

# median NAME BEFORE COMMAND...: BEFORE is a shell command run untimed ahead of each run.
median() {
    name=$1 before=$2
    shift 2
    times=
    for _ in 1 2 3; do
        eval "$before"
        start=$(now)
        "$@" >/dev/null 2>&1 || { echo "$name failed" >&2; exit 1; }
        times="$times $((($(now) - start) / 1000000))"
    done
    # shellcheck disable=SC2086 # a list of numbers
    printf '%-28s %8s ms\n' "$name" "$(printf '%s\n' $times | sort -n | sed -n 2p)"
}

fresh='rm -rf tree/.filesinki store; "$binary" init tree --remote "$place/store" >/dev/null 2>&1'
median 'filesinki first sync' "$fresh" "$binary" sync tree
if command -v rsync >/dev/null 2>&1; then
    median 'rsync -a, empty target' 'rm -rf copy' rsync -a --exclude .filesinki tree/ copy/
fi
median 'filesinki clone' 'rm -rf other' "$binary" clone "$place/store" other
median 'filesinki sync, no change' : "$binary" sync tree
median 'filesinki status' : "$binary" status --root tree
median 'filesinki status --short' : "$binary" status --short --root tree
if command -v rsync >/dev/null 2>&1; then
    median 'rsync -a, no change' : rsync -a --exclude .filesinki tree/ copy/
fi
median 'find with all stat fields' : find tree -printf '%D %i %s %T@ %C@ %m %p\n'
median 'filesinki --version' : "$binary" --version
echo "store: $(find store -type f | wc -l) objects, $(du -sb store | cut -f1) bytes" \
    "(tar | zstd -3: $(tar -C tree --exclude .filesinki -c . | zstd -3 -q | wc -c))"
