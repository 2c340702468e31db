#!/bin/sh
# Builds an image of static programs for containers: image.sh BINARIES LICENSES VERSION OUTPUT
# It has nothing else in it: no shell and no libraries. SOURCE_DATE_EPOCH is the time of all files.
set -eu
binaries=$1
licenses=$2
version=$3
output=$(cd "$4" && pwd)
scripts=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"

install -D -m 755 "$binaries/filesinki" "$tree/usr/bin/filesinki"
install -D -m 755 "$binaries/filesinki-net" "$tree/usr/libexec/filesinki/filesinki-net"
install -D -m 644 "$licenses" "$tree/usr/share/doc/filesinki/LICENSES"
install -d -m 700 "$tree/store"
install -d -m 1777 "$tree/tmp"
python3 "$scripts/oci.py" "$tree" "$output/filesinki-$version-$(uname -m)-oci.tar" filesinki "$version" \
    /usr/bin/filesinki -- serve /store --create --listen 0.0.0.0:8390 --self-signed
