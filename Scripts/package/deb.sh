#!/bin/sh
# Builds a Debian package: deb.sh BINARIES LICENSES VERSION OUTPUT
# BINARIES has filesinki and filesinki-net; LICENSES is the copyright file. SOURCE_DATE_EPOCH is the time of
# all files. Prints nothing.
set -eu
binaries=$1
licenses=$2
version=$3
output=$(cd "$4" && pwd)
scripts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$scripts/../.." && pwd)
maintainer=${MAINTAINER:-filesinki contributors <filesinki@packages.invalid>}
architecture=$(dpkg --print-architecture)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
tree=$place/tree
doc=$tree/usr/share/doc/filesinki

mkdir -p "$tree"
sh "$root/Scripts/install.sh" "$binaries/filesinki" "$tree/usr" /usr/bin >"$place/log"
# Where Debian's zsh looks for completions of packages.
mkdir -p "$tree/usr/share/zsh/vendor-completions"
mv "$tree/usr/share/zsh/site-functions/_filesinki" "$tree/usr/share/zsh/vendor-completions"
rmdir "$tree/usr/share/zsh/site-functions"
# bash reads it, and runs it not.
sed -i '1{/^#!/d}' "$tree/usr/share/bash-completion/completions/filesinki"
gzip -9n "$tree"/usr/share/man/man1/*.1

install -D -m 644 "$licenses" "$doc/copyright"
printf 'filesinki (%s) unstable; urgency=medium\n\n  * See Docs/Changes in the sources.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
chmod 644 "$doc/changelog.gz"
mkdir -p "$tree/usr/share/lintian/overrides"
install -m 644 "$root/Packaging/debian/lintian-overrides" "$tree/usr/share/lintian/overrides/filesinki"

# dpkg-shlibdeps asks for the file that a source package has.
mkdir -p "$place/debian" "$tree/DEBIAN"
printf 'Source: filesinki\n\nPackage: filesinki\nArchitecture: any\n' >"$place/debian/control"
depends=$(cd "$place" && dpkg-shlibdeps -O -e"$tree/usr/bin/filesinki" \
    -e"$tree/usr/libexec/filesinki/filesinki-net" 2>>log) || { cat "$place/log" >&2; exit 1; }
size=$(find "$tree/usr" -type f -printf '%s\n' | awk '{ kib += int(($1 + 1023) / 1024) } END { print kib }')
sed "s|@version@|$version|; s|@architecture@|$architecture|; s|@maintainer@|$maintainer|
    s|@size@|$size|; s|@depends@|${depends#shlibs:Depends=}|" "$root/Packaging/debian/control.in" \
    >"$tree/DEBIAN/control"
(cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)

# It sorts the files itself.
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group "-Z${DPKG_DEB_COMPRESSOR_TYPE:-xz}" --build "$tree" \
    "$output/filesinki_${version}_$architecture.deb" >>"$place/log"
