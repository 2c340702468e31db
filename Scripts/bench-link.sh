#!/bin/bash
# Times a first sync and a small change over a link with a delay: to a host with sshd alone and to one that has
# filesinki, beside rsync and unison over the same ssh; to a WebDAV server, beside rclone:
# bench-link.sh BINARY [FILES] [MILLISECONDS] [ours | ssh]
# Many small files; the servers on loopback; every byte is late (delayed-link.py). One run each, for one of rclone
# takes minutes, and is left out with `ssh`, as WebDAV is; `ours` leaves out all others. What is not installed is left
# out and named.
set -eu
binary=$(realpath "$1")
files=${2:-10000}
delay=${3:-50}
beside=${4:-all}
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d "${TMPDIR:-/tmp}/filesinki-link.XXXXXX")
# The server has another user.
chmod 755 "$place"
started=
finish() {
    local server
    # The links end with their input.
    exec {link_in}>&- || true
    for server in $started; do bash "$here/servers/$server.sh" stop "$place/$server" || true; done
    rm -rf "$place"
}
cd "$place"
export HOME="$place/home" XDG_CONFIG_HOME="$place/home/config" XDG_DATA_HOME="$place/home/data"
unset FILESINKI_ROOT
mkdir -p "$HOME" tree
mkfifo link.in
exec {link_in}<>link.in
trap finish EXIT

# start NAME: starts a server, whose address is in url, and a link to it, by which it is at linked.
start() {
    local port
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    url=$(bash "$here/servers/$1.sh" start "$port" "$place/$1")
    started="$started $1"
    python3 "$here/delayed-link.py" "$port" "$delay" <link.in >"$1.out" {link_in}>&- &
    until [ -s "$1.out" ]; do sleep 0.1; done
    linked=${url/127.0.0.1:$port/127.0.0.1:$(cat "$1.out")}
}

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

# ours NAME ADDRESS: what a person waits for.
ours() {
    timed "$1: init (with its probe)" "$binary" init tree --remote "$2"
    timed "$1: sync, first" "$binary" sync tree
    timed "$1: sync, no change" "$binary" sync tree
    timed "$1: save" "$binary" save --root tree --wait note <<<'a small file'
    timed "$1: clone" "$binary" clone "$2" other
    diff -r -x .filesinki tree other
    rm -rf other tree/note tree/.filesinki
}

# has PROGRAM: whether it is to be measured, and is there.
has() {
    [ "$beside" != ours ] || return 1
    ! command -v "$1" >/dev/null || return 0
    echo "$1 is not installed, and left out."
    return 1
}

# others ADDRESS: rsync and unison over the same link, with the same ssh.
others() {
    local authority=${1#ssh://} folder=/${1#ssh://*/}
    authority=${authority%%/*}
    local ssh="$FILESINKI_SSH_COMMAND -p ${authority##*:}" host=${authority%:*}
    if has rsync; then
        timed 'rsync -a, first' rsync -a -e "$ssh" tree/ "$host:$folder/rsync/"
        timed 'rsync -a, no change' rsync -a -e "$ssh" tree/ "$host:$folder/rsync/"
        echo 'a small file' >tree/note
        timed 'rsync -a, a new file' rsync -a -e "$ssh" tree/ "$host:$folder/rsync/"
        timed 'rsync -a, checkout' rsync -a -e "$ssh" "$host:$folder/rsync/" other/
        rm -rf other tree/note
    fi
    if has unison; then
        # Its far end is to have a folder of archives, as this one has.
        local run="unison tree ssh://$authority/$folder/unison -batch -ui text -confirmbigdel=false"
        run="$run -sshcmd $place/sshd/ssh"
        timed 'unison, first' $run -sshargs "${FILESINKI_SSH_COMMAND#* }"
        timed 'unison, no change' $run -sshargs "${FILESINKI_SSH_COMMAND#* }"
        echo 'a small file' >tree/note
        timed 'unison, a new file' $run -sshargs "${FILESINKI_SSH_COMMAND#* }"
        rm tree/note
    fi
}

if bash "$here/servers/sshd.sh" check; then
    for kind in sftp filesinki; do
        [ $kind = sftp ] || export FILESINKI_PROGRAM="$binary"
        start sshd
        # The host's key is known by the name of the port that it listens on.
        export FILESINKI_SSH_COMMAND="$place/sshd/ssh -o HostKeyAlias=[127.0.0.1]:$(sed 's/.*127.0.0.1:\([0-9]*\).*/\1/' <<<"$url")"
        ours "ssh, $kind" "$linked/store"
        [ $kind = sftp ] || others "$linked"
        bash "$here/servers/sshd.sh" stop "$place/sshd"
        rm -rf sshd sshd.out
        started=
    done
fi
[ "$beside" != ssh ] || exit 0
if ! bash "$here/servers/apache.sh" check; then exit; fi
start apache
dav=http://127.0.0.1:$(cat apache.out)/${url#http://*/}
curl -sS -X MKCOL "$dav/ours" -o said
ours WebDAV "webdav${dav#http}/ours"
has rclone || exit 0
export RCLONE_CONFIG_LINK_TYPE=webdav RCLONE_CONFIG_LINK_URL="$dav" RCLONE_CONFIG_LINK_VENDOR=other
timed 'rclone sync, first' rclone sync --exclude '.filesinki/**' tree link:rclone
timed 'rclone sync, no change' rclone sync --exclude '.filesinki/**' tree link:rclone
timed 'rclone sync, first, 32 at a time' \
    rclone sync --transfers 32 --checkers 32 --exclude '.filesinki/**' tree link:rclone32
