#!/bin/sh
# Installs the release binaries, the manual pages, the shells' completions and systemd's units:
#   install.sh BINARY PREFIX [BINDIR]
# BINDIR is where the program will be found, if not in PREFIX/bin, as with a DESTDIR.
set -eu
binary=$1
mkdir -p "$2"
# The units name the program, and a relative name means nothing to them.
prefix=$(cd "$2" && pwd)
here=$(dirname "$0")

install -D -m 755 "$binary" "$prefix/bin/filesinki"
# What only a remote over a network needs; filesinki becomes it then.
install -D -m 755 "$(dirname "$binary")/filesinki-net" "$prefix/libexec/filesinki/filesinki-net"

completions() { # SHELL FILE
    mkdir -p "$(dirname "$prefix/$2")"
    "$binary" completions "$1" >"$prefix/$2"
    chmod 644 "$prefix/$2"
}
completions bash share/bash-completion/completions/filesinki
completions zsh share/zsh/site-functions/_filesinki
completions fish share/fish/vendor_completions.d/filesinki.fish

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
python3 "$here/man.py" "$binary" "$pages"
for page in "$pages"/*.1; do
    install -D -m 644 "$page" "$prefix/share/man/man1/$(basename "$page")"
done

# Units of the user's service manager, which name the program by its path. systemd.unit(5) says where it looks: in lib
# only of /usr and /usr/local, in a home folder in ~/.local/share.
bindir=${3:-$prefix/bin}
case $bindir in
    /usr/bin | /usr/local/bin) units=$prefix/lib/systemd/user ;;
    *) units=$prefix/share/systemd/user ;;
esac
mkdir -p "$units"
for unit in "$here"/../Packaging/systemd/*; do
    sed "s|@bindir@|$bindir|" "$unit" >"$units/$(basename "$unit")"
    chmod 644 "$units/$(basename "$unit")"
done
echo "Installed $prefix/bin/filesinki, its manual pages, completions for bash, zsh and fish, and units" \
    "for systemd."
