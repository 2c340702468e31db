#!/bin/bash
# Tries the packages of a folder in systems that debootstrap makes, as root: check-debian.sh FOLDER NEW OLD [MIRROR]
# NEW and OLD are names of Debian releases. In NEW the Debian package is installed, shows the main job and is
# removed; in OLD, which need not have a library that filesinki wants, the archive of static programs shows it, and serves
# a second device with encryption. 400 MB of a temporary folder, and some minutes.
set -euo pipefail
folder=$(cd "$1" && pwd)
new=$2
old=$3
mirror=${4:-http://deb.debian.org/debian}
scripts=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

say() { printf '%s\n' "$*"; }

# system SUITE: a minimal system in the folder of that name.
system() {
    debootstrap --variant=minbase "$1" "$1" "$mirror" >"$1.log" 2>&1 || { tail -n 5 "$1.log"; return 1; }
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    mkdir -p "$1/etc/ssl/certs"
    cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
    cp "$scripts/demo.sh" "$1/tmp/"
}

# inside SUITE: runs the lines of its input in the system, with what a chroot needs, and shows them if one fails.
inside() {
    cat >"$1/tmp/lines"
    cat >enter <<'END'
mount --make-rprivate / && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" || exit
exec env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive chroot "$1" sh -e /tmp/lines
END
    unshare --mount --pid --fork --kill-child bash enter "$place/$1" >"$1.log" 2>&1 || { cat "$1.log"; return 1; }
}

system "$new"
cp "$folder"/filesinki_*.deb "$new/tmp/filesinki.deb"
inside "$new" <<'END'
apt-get update -qq
apt-get install -y --no-install-recommends /tmp/filesinki.deb
sh /tmp/demo.sh /usr/bin/filesinki
apt-get remove -y filesinki
! command -v filesinki
END
say "Debian $(cat "$new/etc/debian_version"): the package is installed, passes the demo, and is removed."

system "$old"
tar -C "$old/usr/local" --strip-components=1 -xf "$folder"/filesinki-*-linux.tar.xz
inside "$old" <<'END'
sh /tmp/demo.sh /usr/local/bin/filesinki
mkdir /tmp/a
echo one >/tmp/a/file
filesinki init /tmp/a --remote /tmp/store --device a
filesinki sync -q /tmp/a
filesinki serve token make /tmp/store b --self-signed -o /tmp/b.token
mkfifo /tmp/talk
filesinki serve /tmp/store --listen 127.0.0.1:0 --self-signed 2>/tmp/talk &
exec 9</tmp/talk
port=
while [ -z "$port" ] && read -r line <&9; do
    port=$(echo "$line" | sed -n 's/^Serving .*:\([0-9]*\)$/\1/p')
done
filesinki clone "https://127.0.0.1:$port" /tmp/b --token-file /tmp/b.token --device b
cmp /tmp/a/file /tmp/b/file
kill $!
END
say "Debian $(cat "$old/etc/debian_version"): the static programs pass the demo, and serve with encryption."
