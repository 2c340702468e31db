#!/bin/sh
# Installs the release binaries and the shells' completions: install.sh BINARY PREFIX
set -eu
binary=$1
prefix=$2

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
echo "Installed $prefix/bin/filesinki and completions for bash, zsh and fish."
