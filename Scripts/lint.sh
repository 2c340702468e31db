#!/bin/sh
# What swift format does not see: the scripts' syntax, the links between the documents, and the
# house limits on the length of a file. Every finding is one line; any finding fails.
set -eu
cd "$(dirname "$0")/.."

findings=$(mktemp)
trap 'rm -f "$findings"' EXIT

for script in Scripts/*.sh Scripts/package/*.sh; do
    case $(head -n 1 "$script") in
        *bash) bash -n "$script" 2>>"$findings" || true ;;
        *) sh -n "$script" 2>>"$findings" || true ;;
    esac
done
for script in Scripts/servers/*.sh .ci/run; do
    bash -n "$script" 2>>"$findings" || true
done

# Relative links in Markdown lead to something that is there.
find README.md Docs -name '*.md' 2>/dev/null | while read -r document; do
    folder=$(dirname "$document")
    grep -o '](\([^)]*\))' "$document" | sed 's/^](//; s/)$//; s/#.*$//' | while read -r link; do
        case $link in
            '' | http://* | https://*) continue ;;
        esac
        [ -e "$folder/$link" ] || echo "$document: the link $link leads nowhere." >>"$findings"
    done
done

# No file everything ends up in. Generated code is not counted.
find Sources Tests -name '*.swift' ! -name '*.pb.swift' | while read -r file; do
    lines=$(wc -l <"$file")
    [ "$lines" -le 400 ] || echo "$file: $lines lines; the limit is 400." >>"$findings"
done

# Words that mean unfinished work or a crash on bad luck. Package.swift and tests are not product.
grep -rnE 'TODO|FIXME|fatalError\(|try!' Sources --include='*.swift' --exclude='*.pb.swift' \
    >>"$findings" || true

if [ -s "$findings" ]; then
    cat "$findings" >&2
    exit 1
fi
