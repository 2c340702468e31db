#!/bin/bash
# How fast a change made on A is on B: filesinki watch through a directory, beside an inotifywait+rsync
# loop, unison -repeat watch and syncthing, where these are installed. Then what a watch of 10,000
# folders costs. Tables: bench-watch.sh BINARY [EDITS] [FOLDERS]
#
# All are started first and then edited in turn, so that each meets the same machine: one after the other,
# they would compare the machine with itself a minute later.
set -u
binary=$(realpath "$1")
edits=${2:-100}
folders=${3:-10000}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
pids=()

stop() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null; done
    pids=()
}
finish() {
    stop
    rm -rf "$work"
}
trap finish EXIT

# Takes a way from A to B into the measurement.
way() { # NAME A B
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$work/ways"
}

tree() { # FOLDER
    mkdir -p "$1"
    for n in $(seq 0 19); do echo "$n" >"$1/f$n"; done
}

wait_for() { # COMMAND...
    for _ in $(seq 3000); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.02
    done
    return 1
}

run_filesinki() { # NAME REMOTE FOLDER
    cd "$work" || return
    local a="$3a" b="$3b"
    tree "$a"
    "$binary" init "$a" --remote "$2" --device a -q
    "$binary" sync "$a" -q
    "$binary" clone "$2" "$b" --device b -q
    for replica in "$a" "$b"; do
        "$binary" watch "$replica" -v >"$replica.log" 2>&1 &
        pids+=($!)
    done
    wait_for grep -q Watching "$a.log" && wait_for grep -q Watching "$b.log"
    way "$1" "$work/$a" "$work/$b"
}

# Through the own server on loopback, where the program for networks lies beside the binary.
run_server() {
    [ -x "$(dirname "$binary")/filesinki-net" ] || return
    cd "$work" || return
    "$binary" serve served --create --listen 127.0.0.1:0 >serve.log 2>&1 &
    pids+=($!)
    local address
    wait_for grep -q '://127' serve.log
    address=$(grep -o '[a-z]*://127[^ ,]*[0-9]' serve.log | head -1)
    run_filesinki "filesinki watch, own server" "$address" n
}

run_rsync() {
    command -v inotifywait >/dev/null || return
    cd "$work" || return
    tree ra
    rsync -a ra/ rb/
    (
        inotifywait -q -m -r -e close_write,move,create,delete --format x ra |
            while read -r _; do rsync -a --delete ra/ rb/; done
    ) &
    pids+=($!)
    loop=${pids[-1]}
    way "inotifywait + rsync (one way)" "$work/ra" "$work/rb"
}

run_unison() {
    command -v unison >/dev/null || return
    cd "$work" || return
    tree ua
    mkdir -p ub unison
    UNISON="$work/unison" unison ua ub -batch -silent >/dev/null 2>&1
    UNISON="$work/unison" unison ua ub -batch -repeat watch >unison.log 2>&1 &
    pids+=($!)
    sleep 3
    if ! kill -0 "${pids[-1]}" 2>/dev/null; then
        echo "unison -repeat watch: no file monitor is installed" >&2
        return
    fi
    way "unison -repeat watch" "$work/ua" "$work/ub"
}

# One device of syncthing, set up by its own configuration file: loopback only, no discovery.
run_syncthing() {
    command -v syncthing >/dev/null || return
    cd "$work" || return
    tree sa
    mkdir -p sb
    for side in a b; do
        syncthing generate --home="$work/st$side" --no-default-folder >/dev/null 2>&1 ||
            syncthing -generate="$work/st$side" -no-default-folder >/dev/null 2>&1
    done
    python3 - "$work" <<'PYTHON' || return
import re, sys
work = sys.argv[1]
ids = {s: re.search(r'<device id="([A-Z0-9-]+)"', open(f"{work}/st{s}/config.xml").read())[1]
       for s in "ab"}
for side, port, gui in (("a", 22401, 22501), ("b", 22402, 22502)):
    devices = "".join(
        f'<device id="{ids[s]}" name="{s}"><address>tcp://127.0.0.1:{p}</address></device>'
        for s, p in (("a", 22401), ("b", 22402)))
    members = "".join(f'<device id="{i}"/>' for i in ids.values())
    open(f"{work}/st{side}/config.xml", "w").write(f'''<configuration version="35">
<folder id="bench" path="{work}/s{side}" type="sendreceive" rescanIntervalS="3600"
 fsWatcherEnabled="true" fsWatcherDelayS="1">{members}</folder>{devices}
<gui enabled="true"><address>127.0.0.1:{gui}</address></gui>
<options><listenAddress>tcp://127.0.0.1:{port}</listenAddress>
<globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
<relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled><urAccepted>-1</urAccepted>
<startBrowser>false</startBrowser><autoUpgradeIntervalH>0</autoUpgradeIntervalH>
<crashReportingEnabled>false</crashReportingEnabled></options></configuration>''')
PYTHON
    for side in a b; do
        STNOUPGRADE=1 syncthing serve --home="$work/st$side" --no-browser >"st$side.log" 2>&1 &
        pids+=($!)
    done
    if ! wait_for cmp -s sa/f19 sb/f19; then
        echo "syncthing: the two did not meet" >&2
        return
    fi
    way "syncthing (delay 1 s, its least)" "$work/sa" "$work/sb"
}

run_filesinki "filesinki watch, directory" "$work/store" f
run_server
run_rsync
run_unison
run_syncthing
sleep 5
python3 "$here/measure-crossing.py" "$edits" "$work/ways"
echo
# One file that changes at a steady rhythm, for the ways of filesinki alone.
grep '^filesinki' "$work/ways" >"$work/own"
python3 "$here/measure-rhythm.py" "$edits" "$work/own"
# The pipe's two ends are children of the loop.
[ -z "${loop-}" ] || pkill -P "$loop" 2>/dev/null
stop

# What it costs to watch many folders.
cd "$work" || exit
mkdir big
(cd big && seq -f 'd%g' "$folders" | xargs mkdir && for n in $(seq 100); do echo x >"d$n/f"; done)
"$binary" init big --remote "$work/store2" --device big -q
"$binary" sync big -q
"$binary" watch big -v >big.log 2>&1 &
pid=$!
pids+=($pid)
began=$(date +%s%N)
wait_for grep -q Watching big.log
ready=$((($(date +%s%N) - began) / 1000000))
sleep 10
# The clock of a process, by its number: see clock_getcpuclockid(3).
used() { python3 -c "import time; print(time.clock_gettime_ns((~$pid << 3) | 2) // 1000)"; }
before=$(used)
sleep 60
after=$(used)
memory=$(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$pid/status")
own=$(awk '/^RssAnon/ { print int($2 / 1024) }' "/proc/$pid/status")
peak=$(awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$pid/status")
echo
echo "| a watch of $folders folders | |"
echo "|---|---|"
echo "| ready, with process start (looked for every 20 ms) | $ready ms |"
echo "| memory at rest, and at most | $memory MB ($own MB without mapped files), $peak MB |"
echo "| CPU in a minute at rest | $((after - before)) µs |"
