#!/bin/bash
# Tries the packages of a folder: check.sh FOLDER
# The static programs, from the archive and from the image, run in a folder that has nothing but them and the list of certificate authorities, as root in
# namespaces of their own: two replicas sync through a store, and over the network through a server. The
# Debian package is unpacked, and looked at by lintian where that is installed, as the image is by skopeo.
set -euo pipefail
folder=$(cd "$1" && pwd)
scripts=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

say() { printf '%s\n' "$*"; }

(cd "$folder" && sha256sum --quiet -c SHA256SUMS)
say "The sums are right."

# try NAME ROOT PREFIX: two replicas in ROOT, which has the programs below PREFIX.
try() {
    local name=$1 root=$2 program=$3/bin/filesinki
    mkdir -p "$root/proc" "$root/tmp" "$root/dev" "$root/etc/ssl/certs"; cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    cat >run <<'END'
root=$1 program=$2
mount --make-rprivate / && mount -t proc proc "$root/proc" && ip link set lo up 2>/dev/null || true
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 chroot "$root" "$program" "$@"; }
set -e
inside --version
mkdir "$root/tmp/a"
echo one >"$root/tmp/a/file"
inside init /tmp/a --remote /tmp/store --device a
inside sync -q /tmp/a
inside serve token make /tmp/store b --self-signed -o /tmp/b.token
mkfifo talk
inside serve /tmp/store --listen 127.0.0.1:0 --self-signed 2>talk &
server=$!
exec 9<talk
port=
while [ -z "$port" ] && read -r line <&9; do
    port=$(printf '%s\n' "$line" | sed -n 's/^Serving .*:\([0-9]*\)$/\1/p')
done
inside clone "https://127.0.0.1:$port" /tmp/b --token-file /tmp/b.token --device b
cmp "$root/tmp/a/file" "$root/tmp/b/file"
kill "$server"
END
    rm -f talk
    unshare --mount --pid --fork --kill-child bash run "$root" "$program" >log 2>&1 || { cat log; return 1; }
    say "$name: $(head -n 1 log) syncs alone in a folder."
}

mkdir archive
tar -C archive --strip-components=1 -xf "$folder"/filesinki-*-linux.tar.xz
try "The archive" "$place/archive" ""

mkdir image layer
tar -C image -xf "$folder"/filesinki-*-oci.tar
python3 "$scripts/verify-image.py" image | tail -n +2 >layers
while read -r layer; do tar -C layer -xzf "$layer"; done <layers
try "The image" "$place/layer" /usr
if command -v skopeo >/dev/null 2>&1; then
    skopeo inspect "oci-archive:$(echo "$folder"/filesinki-*-oci.tar)" >inspected
    # To unpack it for an engine, every part is read and compared with its digest.
    skopeo --insecure-policy copy -q "oci-archive:$(echo "$folder"/filesinki-*-oci.tar)" dir:copied
    say "skopeo reads the image: $(sed -n 's/.*"Digest": "\(.*\)",/\1/p' inspected)"
fi

mkdir debian
dpkg-deb -x "$folder"/filesinki_*.deb debian
dpkg-deb -e "$folder"/filesinki_*.deb debian/DEBIAN
(cd debian && md5sum --quiet -c DEBIAN/md5sums)
debian/usr/bin/filesinki --version >/dev/null
say "The Debian package: $(dpkg-deb -f "$folder"/filesinki_*.deb Version Depends | tr '\n' ' ')"
if command -v lintian >/dev/null 2>&1; then
    lintian --fail-on error "$folder"/filesinki_*.deb && say "lintian finds no error."
fi
