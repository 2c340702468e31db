#!/bin/sh
# Installs what make release built, the manual pages and the shells' completions:
# install.sh FOLDER PREFIX, with the two programs in FOLDER
set -eu
built=$1
prefix=$2
here=$(dirname "$0")

install -D -m 755 "$built/filesinki" "$prefix/bin/filesinki"
# What only a remote over a network needs; filesinki becomes it then.
install -D -m 755 "$built/filesinki-net" "$prefix/libexec/filesinki/filesinki-net"

completions() { # SHELL FILE
    mkdir -p "$(dirname "$prefix/$2")"
    "$built/filesinki" completions "$1" >"$prefix/$2"
    chmod 644 "$prefix/$2"
}
completions bash share/bash-completion/completions/filesinki
completions zsh share/zsh/site-functions/_filesinki
completions fish share/fish/vendor_completions.d/filesinki.fish

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
python3 "$here/man.py" "$built/filesinki" "$pages"
for page in "$pages"/*.1; do
    install -D -m 644 "$page" "$prefix/share/man/man1/$(basename "$page")"
done
echo "Installed $prefix/bin/filesinki, its manual pages, and completions for bash, zsh and fish."
