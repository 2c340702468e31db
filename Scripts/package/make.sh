#!/bin/sh
# Builds the packages of the release build: make.sh BUILD OUTPUT
# BUILD has release/filesinki and release/filesinki-net, and where they were linked from. The same
# commit and the same machine give the same bytes: all times are SOURCE_DATE_EPOCH, the commit's.
set -eu
build=$(cd "$1" && pwd)
output=$2
scripts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$scripts/../.." && pwd)
swift=$(readlink -f "$(command -v "${SWIFT:-swift}")")
runtime_license=$(dirname "$swift")/../share/swift/LICENSE.txt
export LC_ALL=C TZ=UTC
umask 022

read -r version commit <<END
$(sh "$root/Scripts/version.sh")
END
if [ -z "${SOURCE_DATE_EPOCH-}" ]; then
    # In an archive of git's, files have the time of the commit.
    SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null ||
        stat -c %Y "$root/Sources/CVersion/archive.h")
fi
export SOURCE_DATE_EPOCH

rm -rf "$output"
mkdir -p "$output/parts"
output=$(cd "$output" && pwd)
work=$output/parts
for kind in debian full; do
    python3 "$scripts/licenses.py" "$kind" "$build" "$runtime_license" filesinki filesinki-net \
        >"$work/licenses-$kind"
done

sh "$scripts/deb.sh" "$build/release" "$work/licenses-debian" \
    "$(sh "$scripts/deb-version.sh" "$version" "${commit-}")" "$output"

mkdir "$work/static"
sh "$scripts/link-static.sh" "$build" filesinki filesinki_cli "$work/static/filesinki"
sh "$scripts/link-static.sh" "$build" filesinki-net filesinki_net "$work/static/filesinki-net"
sh "$scripts/tarball.sh" "$work/static" "$work/licenses-full" "$version" "$output"
sh "$scripts/image.sh" "$work/static" "$work/licenses-full" "$version" "$output"

rm -rf "$work"
(cd "$output" && sha256sum -- * >SHA256SUMS)
ls -l "$output"
