#!/bin/bash
# Times a first sync over a link with a delay, beside rclone to the same WebDAV server:
# bench-link.sh BINARY [FILES] [MILLISECONDS]
# Many small files; Apache on loopback; every byte is late (delayed-link.py). One run each, for one
# takes minutes. What is not installed is left out and named.
set -eu
binary=$(realpath "$1")
files=${2:-10000}
delay=${3:-50}
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d "${TMPDIR:-/tmp}/filesinki-link.XXXXXX")
# The server has another user.
chmod 755 "$place"
finish() {
    exec {link_in}>&- || true
    bash "$here/servers/apache.sh" stop "$place/server" || true
    rm -rf "$place"
}
bash "$here/servers/apache.sh" check
cd "$place"
export HOME="$place/home" XDG_CONFIG_HOME="$place/home/config" XDG_DATA_HOME="$place/home/data"
unset FILESINKI_ROOT
mkdir -p "$HOME" tree

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=$(bash "$here/servers/apache.sh" start "$port" "$place/server")
mkfifo link.in
python3 "$here/delayed-link.py" "$port" "$delay" <link.in >link.out &
exec {link_in}>link.in
trap finish EXIT
until [ -s link.out ]; do sleep 0.1; done
path=${url#http://*/}
url=http://127.0.0.1:$(cat link.out)/$path

python3 - "$files" <<'PYTHON'
import os, random, sys
chance = random.Random(1)
for number in range(int(sys.argv[1])):
    folder = "tree/d%d" % (number // 100)
    os.makedirs(folder, exist_ok=True)
    with open("%s/f%d" % (folder, number), "wb") as file:
        file.write(chance.randbytes(chance.randrange(10, 2000)))
PYTHON
echo "$files files, $(du -sb tree | cut -f1) bytes, $delay ms"

# timed NAME COMMAND...
timed() {
    local name=$1 start
    shift
    start=$(date +%s%N)
    "$@" >"$place/said" 2>&1 || { tail -n 5 "$place/said" >&2; echo "$name failed" >&2; exit 1; }
    printf '%-40s %8s ms\n' "$name" $((($(date +%s%N) - start) / 1000000))
}

curl -sS -X MKCOL "$url/ours" -o said
timed 'filesinki init (with its probe)' "$binary" init tree --remote "webdav${url#http}/ours"
timed 'filesinki sync, first' "$binary" sync tree
timed 'filesinki sync, no change' "$binary" sync tree
timed 'filesinki clone' "$binary" clone "webdav${url#http}/ours" other
diff -r -x .filesinki tree other
if ! command -v rclone >/dev/null; then
    echo "rclone is not installed, and left out."
    exit
fi
export RCLONE_CONFIG_LINK_TYPE=webdav RCLONE_CONFIG_LINK_URL="$url" RCLONE_CONFIG_LINK_VENDOR=other
timed 'rclone sync, first' rclone sync --exclude '.filesinki/**' tree link:rclone
timed 'rclone sync, no change' rclone sync --exclude '.filesinki/**' tree link:rclone
timed 'rclone sync, first, 32 at a time' \
    rclone sync --transfers 32 --checkers 32 --exclude '.filesinki/**' tree link:rclone32
