#!/bin/sh
# Runs the tests (the arguments are the command), and says at the end again what failed, where the output
# is no terminal: among thousands of lines it is not seen, and of a log often only the end is kept.
set -eu

# All at once would let each wait for all others, and what waits for a reply then takes minutes. An older
# toolchain cannot tell how many.
width=--experimental-maximum-parallelization-width
if "$1" test --help-hidden 2>/dev/null | grep -q -e "$width"; then
    set -- "$@" "$width" 12
fi
[ ! -t 1 ] || exec "$@"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    status=0
    "$@" 2>&1 || status=$?
    echo "$status" >"$folder/status"
} | tee "$folder/log"

status=$(cat "$folder/status")
if [ "$status" -ne 0 ]; then
    echo "What failed:"
    grep -A 3 'recorded an issue' "$folder/log" | grep -E '✘|↳' | cut -c 1-500 | tail -n 40 || true
    grep -E '✘ Test run|error:' "$folder/log" | cut -c 1-500 | tail -n 5 || true
fi
exit "$status"
